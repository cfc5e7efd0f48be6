// SPDX-License-Identifier: Apache-2.0
/// Code of operators, casts and functions whose floating-point values are elements of a field.
#pragma once

#include "core/interp/field.h"
#include "core/interp/frame.h"
#include "core/ir/node/expr.h"

#include <optional>

namespace nestwright::interp {

/// The field must live as long as the code does.
FloatPtr makeFieldConstant(const Field &field, double value);
/// Binary operation of a field on values of `type`; unwritten where an operand is.
FloatPtr makeFieldBinary(const Field &field, ir::BinaryOp op, ir::DataType type, FloatPtr a, FloatPtr b);
/// Comparison by the field's order; stops the run where an operand was never written.
IntPtr makeFieldComparison(const Field &field, ir::BinaryOp op, FloatPtr a, FloatPtr b,
                           const CodePlace &place);
/// Integers have elements; values have no integers, and stop the run.
ValueCode makeFieldCast(ValueCode value, ir::DataType from, ir::DataType to, const CodePlace &place);
/// Nothing where no floating-point value takes part. `args` may be moved from otherwise.
std::optional<ValueCode> makeFieldIntrinsic(const Field &field, const ir::Call &call,
                                            std::vector<ValueCode> &args, const CodePlace &place);

} // namespace nestwright::interp
