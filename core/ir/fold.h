// SPDX-License-Identifier: Apache-2.0
/// Constant folding with the arithmetic of the machine: two's-complement wrap-around, IEEE floats.
#pragma once

#include "core/ir/expr.h"

namespace nestwright::ir {

/// `value` reduced to the width of an integral `dtype` (bool: 0 or 1).
std::int64_t wrapToType(std::int64_t value, DataType dtype);

/// `value` rounded to the precision of a floating `dtype`; too large for it becomes infinity.
double roundToType(double value, DataType dtype);

/// The constant `a op b`, or null when an operand is not constant, or the result is not defined (division by 0).
Expr foldBinary(BinaryOp op, const Expr &a, const Expr &b);

/// A constant cast to `dtype`, or null when `value` is not constant or does not fit.
Expr foldCast(DataType dtype, const Expr &value);

} // namespace nestwright::ir
