// SPDX-License-Identifier: Apache-2.0
/// Strides and offsets of parameters that the program leaves to its caller.
#pragma once

#include "core/ir/function.h"

namespace nestwright::ir {

/// The function as it is for arrays that begin where their memory does and lie in it without gaps:
/// variables that are only strides or element offsets of parameters get those values. One that would need
/// two different values stays.
Function withCompactParameters(const Function &function);
Module withCompactParameters(const Module &module);

} // namespace nestwright::ir
