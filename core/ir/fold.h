// SPDX-License-Identifier: Apache-2.0
/// The arithmetic of programs where machines differ, defined once for folding, the interpreter and every
/// backend, and constant folding with it: two's-complement wrap-around (the least integer divided by -1 is
/// itself, its remainder 0), IEEE floats.
#pragma once

#include "core/ir/node/expr.h"

#include <optional>

namespace nestwright::ir {

/// `value` reduced to the width of an integral `dtype` (bool: 0 or 1).
std::int64_t wrapToType(std::int64_t value, DataType dtype);

/// `value` as an integer of `dtype` (as its bits): cut towards 0, the nearest value of the type where it lies
/// beyond it, and 0 for NaN. Bool: whether it is not 0.
std::int64_t integerOf(double value, DataType dtype);

/// Shifted by a number of bits; where that is negative, or not below the width, all bits are shifted out: 0
/// is left, or -1 by a shift to the right of a negative number.
std::int64_t shiftLeft(std::int64_t value, std::int64_t by, DataType dtype);
std::int64_t shiftRight(std::int64_t value, std::int64_t by, DataType dtype);

/// The number of zero bits above the highest one of `value`, an integer of `dtype`; all bits where it is 0.
std::int64_t leadingZeroBits(std::int64_t value, DataType dtype);

/// `a op b` of integers of `dtype`, reduced to its width; a comparison, `and`, `or` give 0 or 1. Nothing
/// where it divides by 0.
std::optional<std::int64_t> wrappingBinary(BinaryOp op, std::int64_t a, std::int64_t b, DataType dtype);

/// The operation on whole numbers as in mathematics: nothing also where 64 bits do not hold the result.
std::optional<std::int64_t> checkedBinary(BinaryOp op, std::int64_t a, std::int64_t b);

/// `value` rounded to the precision of a floating `dtype`; too large for it becomes infinity.
double roundToType(double value, DataType dtype);

/// The constant `a op b`, or null when an operand is not constant, or the result is not defined (division by
/// 0).
Expr foldBinary(BinaryOp op, const Expr &a, const Expr &b);

/// A constant cast to `dtype`, or null when `value` is not constant (or `dtype` no type of scalars).
Expr foldCast(DataType dtype, const Expr &value);

} // namespace nestwright::ir
