// SPDX-License-Identifier: Apache-2.0
/// Code of operators and casts.
#pragma once

#include "core/interp/frame.h"
#include "core/ir/node/expr.h"

namespace nestwright::interp {

using UnaryFunction = double (*)(double);
using BinaryFunction = double (*)(double, double);

/// Halves to even, as the machine's default mode does; std::nearbyint may be told otherwise.
double roundToEven(double x);

/// `a op b` of integers or booleans of type `operands`. Div, Mod, FloorDiv, FloorMod stop the run where `b`
/// is 0.
IntPtr makeIntBinary(ir::BinaryOp op, ir::DataType operands, IntPtr a, IntPtr b, const CodePlace &place);
/// A comparison of floating-point numbers: false where one is NaN, except for NE.
IntPtr makeFloatComparison(ir::BinaryOp op, FloatPtr a, FloatPtr b);
/// Arithmetic of floating-point numbers, rounded.
FloatPtr makeFloatBinary(ir::BinaryOp op, Precision precision, FloatPtr a, FloatPtr b);
IntPtr makeNot(IntPtr a);

/// Truncates towards zero; numbers that do not fit into int64 become its least value, then bits are cut off.
IntPtr makeFloatToInt(FloatPtr value, ir::DataType to);
IntPtr makeIntToInt(IntPtr value, ir::DataType to);
FloatPtr makeIntToFloat(IntPtr value, ir::DataType from, Precision to);
FloatPtr makeFloatToFloat(FloatPtr value, Precision to);

IntPtr makeConstant(std::int64_t value);
FloatPtr makeConstant(double value);

/// The value of `function(frame)`.
template <class F> class IntFunction final : public IntCode {
public:
    explicit IntFunction(F function) : m_function(std::move(function)) {}
    std::int64_t eval(Frame &frame) const override { return m_function(frame); }

private:
    F m_function;
};
template <class F> class FloatFunction final : public FloatCode {
public:
    explicit FloatFunction(F function) : m_function(std::move(function)) {}
    double eval(Frame &frame) const override { return m_function(frame); }

private:
    F m_function;
};
template <class F> IntPtr intFunction(F function)
{
    return std::make_unique<IntFunction<F>>(std::move(function));
}
template <class F> FloatPtr floatFunction(F function)
{
    return std::make_unique<FloatFunction<F>>(std::move(function));
}

} // namespace nestwright::interp
