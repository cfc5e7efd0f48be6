// SPDX-License-Identifier: Apache-2.0
/// Work of a program apart from arithmetic, counted element by element, to compare two programs.
#pragma once

#include "core/ir/node/function.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nestwright::tests {

struct Work {
    double loads = 0, stores = 0; ///< elements
    double branches = 0;          ///< conditions computed to choose a statement or a value
    double bytes = 0;             ///< of memory that is allocated, at most at one time

    /// "loads 64, stores 64, branches 0, bytes 128".
    std::string text() const;
};

/// With scalar parameters of 7 and symbolic sizes as the interpreter makes them up. Blocks or lowered.
/// Conditions that depend on data count as the dearer way, a loop that data end as one round. Nothing where
/// the extent of a loop depends on data, or there are more than some million rounds to look at one by one.
std::optional<Work> workOf(const ir::PrimFunc &function);

} // namespace nestwright::tests
