// SPDX-License-Identifier: Apache-2.0
/// The program in double precision, to tell the effect of rounding on the other's results.
#pragma once

#include "core/ir/function.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace nestwright::measure {

/// `function` of the module alone, with every floating-point value in float64. Nothing where that would be
/// another program: one that looks at the bits of floats, or uses operations of some types only.
std::optional<ir::Module> inDoublePrecision(const ir::Module &module, const std::string &function);

/// Terms of the longest sum of the function: the most values that one reduction block takes together for an
/// element.
std::int64_t longestReduction(const ir::PrimFunc &function, const std::map<std::string, std::int64_t> &sizes);

} // namespace nestwright::measure
