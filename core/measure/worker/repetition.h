// SPDX-License-Identifier: Apache-2.0
/// Timed calls of a kernel in a row, by Google Benchmark where it was there when this was built.
#pragma once

#include <cstdint>

namespace nestwright::backend {
class BoundCall;
}

namespace nestwright::measure {

struct Repetition {
    double seconds = 0;          ///< of one call
    std::int64_t iterations = 1; ///< calls that were timed
};

/// Calls so often; where `iterations` is 0, as often as takes `seconds` at least. `flush`: the caches hold
/// nothing of the kernel's before each call, which does not count.
Repetition repeated(backend::BoundCall &call, bool flush, double seconds, std::int64_t iterations);

/// Prepares, once, everything that would need files later.
void prepareRepetitions();

} // namespace nestwright::measure
