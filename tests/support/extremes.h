// SPDX-License-Identifier: Apache-2.0
/// Numbers at the ends of their types, among which rules that hold for all others fail.
#pragma once

#include "core/ir/ndarray.h"
#include "core/ir/node/function.h"

namespace nestwright::tests {

/// Puts NaN, infinities and -0.0, or the least and the greatest integer, into about one of eight elements.
void addExtremes(ir::NdArray &array, std::uint64_t seed);

/// The same for the arguments of a function, save for integers that it computes with (of the type of its
/// result): that their sums do not overflow is taken for granted where they are compared or divided.
void addExtremes(std::vector<ir::NdArray> &arguments, std::uint64_t seed);

/// Whether the module's results for such numbers are the same in whatever order its reductions run: a maximum
/// of NaN and another number is the one that comes last.
bool bearsExtremes(const ir::Module &module);

} // namespace nestwright::tests
