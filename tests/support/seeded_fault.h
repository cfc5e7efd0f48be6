// SPDX-License-Identifier: Apache-2.0
/// Faults put into programs, for tests that must find them.
#pragma once

#include "core/ir/node/function.h"
#include "tests/support/random.h"

#include <string>

namespace nestwright::tests {

struct SeededFault {
    ir::Module module;
    std::string about; ///< "an index more: A[v0 + 1]"; empty where the program has no place for one
};

/// The module with one small fault: an index or integer off by one, another constant, swapped operands,
/// another operator, an iteration less, a store or an init left out.
SeededFault withFault(const ir::Module &module, Random &random);

} // namespace nestwright::tests
