// SPDX-License-Identifier: Apache-2.0
#include "core/ops/narrow.h"

#include "core/ir/builder.h"
#include "core/ir/intrinsics.h"
#include "core/ops/shapes.h"
#include "core/ops/tensor_op_tables.h"

#include <array>
#include <cmath>
#include <format>
#include <limits>

namespace nestwright::ops {

namespace {

using ir::Expr;

struct FloatRow {
    std::string_view name;
    NarrowFloat format;
};

constexpr std::array<FloatRow, 4> floats{{
    {"float8_e4m3fn", {3, -6, 448, false, true}},
    {"float8_e4m3fnuz", {3, -7, 240, false, false}},
    {"float8_e5m2", {2, -14, 57344, true, true}},
    {"float8_e5m2fnuz", {2, -15, 57344, false, false}},
}};

bool isSigned4(ir::DataType type) { return type.str() == "int4"; }
bool isUnsigned4(ir::DataType type) { return type.str() == "uint4"; }

/// The nearer of the two numbers of the format next to `x`, float32 or float64. The step between them is a
/// power of two, which the exponent of `x` gives; to scale by it is exact.
Expr rounded(const NarrowFloat &format, const Expr &x)
{
    const ir::DataType real = x.dtype(), whole = ir::DataType::int_(real.bits);
    const int fraction = real.bits == 64 ? 52 : 23, bias = real.bits == 64 ? 1023 : 127;
    /// The bits of 2^exponent.
    const auto power = [&](int exponent) {
        return ir::intImm(static_cast<std::int64_t>(exponent + bias) << fraction, whole);
    };
    const auto bitsAs = [](ir::DataType type, const Expr &bits) {
        return ir::callIntrinsic(ir::intrinsics::reinterpret, {bits}, type);
    };
    const Expr exponent = ir::callIntrinsic(ir::intrinsics::bitwiseAnd, {bitsAs(whole, x), power(bias + 1)});
    const Expr shift = ir::intImm(static_cast<std::int64_t>(format.mantissaBits) << fraction, whole);
    const Expr step = ir::max(exponent, power(format.leastExponent)) - shift;
    const Expr steps = x * bitsAs(real, power(bias) - step); // x / step
    return ir::callIntrinsic(ir::intrinsics::nearbyint, {steps}) * bitsAs(real, step);
}

Expr asFloat(const NarrowFloat &format, const Expr &x, bool saturate)
{
    const Expr near = rounded(format, x);
    const auto constant = [&](double value) { return ir::constant(value, x.dtype()); };
    const double beyond = saturate               ? format.greatest
                          : format.hasInfinities ? std::numeric_limits<double>::infinity()
                                                 : std::numeric_limits<double>::quiet_NaN();
    const Expr y = ir::select(ir::gt(near, constant(format.greatest)), constant(beyond),
                              ir::select(ir::lt(near, constant(-format.greatest)), constant(-beyond), near));
    return format.hasNegativeZero ? y : ir::select(ir::eq(y, constant(0)), constant(0), y);
}

Expr asInteger(const Expr &x, ir::DataType type, ir::DataType held)
{
    if (x.dtype().isFloating()) {
        const auto [least, greatest] = integerRange(type);
        const Expr whole = ir::callIntrinsic(ir::intrinsics::nearbyint, {x});
        return ir::cast(
            held, ir::max(ir::constant(least, x.dtype()), ir::min(whole, ir::constant(greatest, x.dtype()))));
    }
    const auto with = [&](const ir::Intrinsic &operation, const Expr &bits, int other) {
        return ir::callIntrinsic(operation, {bits, ir::intImm(other, held)});
    };
    const Expr low = with(ir::intrinsics::bitwiseAnd, ir::cast(held, x), 15);
    return held.isUInt() ? low : with(ir::intrinsics::bitwiseXor, low, 8) - ir::intImm(8, held);
}

std::vector<TensorType> inferNarrow(const CallSite &site)
{
    const auto held = heldType(site.dtype());
    if (!site.dtype().isNarrow() || !held)
        typeError(std::format("{} is no type of integers of 4 or floating-point numbers of 8 bits",
                              site.dtype().str()));
    return {{site.input().shape, *held}};
}

} // namespace

std::optional<ir::DataType> heldType(ir::DataType type)
{
    if (isSigned4(type))
        return ir::DataType::int_(8);
    if (isUnsigned4(type))
        return ir::DataType::uint(8);
    if (narrowFloat(type))
        return ir::DataType::float_(16);
    return type.isNarrow() ? std::nullopt : std::optional(type);
}

std::optional<NarrowFloat> narrowFloat(ir::DataType type)
{
    if (!type.isNarrow())
        return std::nullopt;
    const auto found = std::ranges::find(floats, type.str(), &FloatRow::name);
    return found == floats.end() ? std::nullopt : std::optional(found->format);
}

IntegerRange integerRange(ir::DataType type)
{
    const bool isUnsigned = type.isUInt() || isUnsigned4(type);
    const double beyond = std::ldexp(1, isUnsigned ? type.bits : type.bits - 1);
    return {isUnsigned ? 0 : -beyond, beyond - 1};
}

ir::Expr narrowed(const ir::Expr &x, ir::DataType type, bool saturate)
{
    const ir::DataType held = heldType(type).value();
    const ir::DataType real = x.dtype().bits == 64 ? ir::DataType::float_(64) : ir::DataType::float32();
    const auto format = narrowFloat(type);
    if (format)
        return ir::cast(held, asFloat(*format, ir::cast(real, x), saturate));
    return asInteger(x.dtype().isFloating() ? ir::cast(real, x) : x, type, held);
}

void addNarrow(TensorOps &table)
{
    table.push_back(
        {.name = "narrow",
         .summary = "each element as the nearest number of a narrow type, held in a wider one",
         .fusion = FusionKind::Elementwise,
         .attributes = {{"dtype", ir::DataType::void_(), "narrow type: int4, uint4, float8_e4m3fn, …"},
                        {"saturate", true,
                         "numbers beyond a floating-point type's range become its largest number"}},
         .infer = &inferNarrow,
         .compute = [](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
             return Tensors{builder.compute(
                 inputs[0].shape(), axisNames(inputs[0].shape().size()),
                 [&](const std::vector<Expr> &i) {
                     return te::Body(narrowed(inputs[0].at(i), site.dtype(), site.flag("saturate")));
                 },
                 "narrow")};
         }});
}

} // namespace nestwright::ops
