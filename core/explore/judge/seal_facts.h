// SPDX-License-Identifier: Apache-2.0
/// Facts about a program that say whether it can be sealed, and what of.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/diagnostic.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace nestwright::explore {

struct SealFacts {
    std::vector<double> constants;            ///< floating-point ones, as their types hold them
    std::set<std::int64_t> integers;          ///< small ones, with their neighbours: guards look for such
    std::set<std::pair<int, int>> narrowings; ///< of floating-point types: bits before and after a cast
    std::set<int> roundings;                  ///< bits of the types that are computed in
    bool comparesValues = false;              ///< of floating-point types
    bool testsValues = false; ///< by conditions, which may hold for one value alone: maxima hold for none
    std::optional<support::Diagnostic> excluded; ///< why there is no meaning in a field
};

SealFacts sealFactsOf(const ir::PrimFunc &function);

} // namespace nestwright::explore
