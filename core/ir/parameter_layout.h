// SPDX-License-Identifier: Apache-2.0
/// Strides and offsets of parameters that the program leaves to its caller.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"

#include <vector>

namespace nestwright::ir {

/// The function as it is for arrays that begin where their memory does and lie in it without gaps:
/// variables that are only strides or element offsets of parameters get those values. One that would need
/// two different values stays.
Function withCompactParameters(const Function &function);
Module withCompactParameters(const Module &module);

/// Error "argument.strides" where strides of the parameter that are numbers are not those of a compact array
/// of that shape, which is all that programs are called with.
support::Result<void> checkStrides(const Buffer &parameter, const std::vector<std::int64_t> &shape);

} // namespace nestwright::ir
