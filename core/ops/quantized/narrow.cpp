// SPDX-License-Identifier: Apache-2.0
#include "core/ops/quantized/narrow.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

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

constexpr std::array<FloatRow, 5> floats{{
    {"float8_e4m3fn", {3, -6, 448, false, true}},
    {"float8_e4m3fnuz", {3, -7, 240, false, false}},
    {"float8_e5m2", {2, -14, 57344, true, true}},
    {"float8_e5m2fnuz", {2, -15, 57344, false, false}},
    {"float4_e2m1fn", {1, 0, 6, false, true, false}},
}};

bool isInteger(ir::DataType type, std::string_view prefix)
{
    const std::string name = type.str();
    return type.isNarrow() && name.starts_with(prefix) && name.size() == prefix.size() + 1;
}
bool isSigned(ir::DataType type) { return isInteger(type, "int"); }
bool isUnsigned(ir::DataType type) { return isInteger(type, "uint"); }

Expr isNan(const Expr &x) { return ir::callIntrinsic(ir::intrinsics::isNan, {x}); }

Expr bitsAs(ir::DataType type, const Expr &bits)
{
    return ir::callIntrinsic(ir::intrinsics::reinterpret, {bits}, type);
}

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
    const Expr exponent = ir::callIntrinsic(ir::intrinsics::bitwiseAnd, {bitsAs(whole, x), power(bias + 1)});
    const Expr shift = ir::intImm(static_cast<std::int64_t>(format.mantissaBits) << fraction, whole);
    const Expr step = ir::max(exponent, power(format.leastExponent)) - shift;
    const Expr steps = x * bitsAs(real, power(bias) - step); // x / step
    return ir::callIntrinsic(ir::intrinsics::nearbyint, {steps}) * bitsAs(real, step);
}

Expr asFloat(const NarrowFloat &format, const Expr &given, bool saturate)
{
    const auto constant = [&](double value) { return ir::constant(value, given.dtype()); };
    // Infinity has no steps; twice the greatest number lies beyond as well.
    const double far = 2 * format.greatest;
    const Expr within = ir::select(ir::gt(given, constant(far)), constant(far),
                                   ir::select(ir::lt(given, constant(-far)), constant(-far), given));
    const Expr near = rounded(format, format.hasNan ? within : ir::select(isNan(given), constant(0), within));
    const double beyond = saturate || !format.hasNan ? format.greatest
                          : format.hasInfinities     ? std::numeric_limits<double>::infinity()
                                                     : std::numeric_limits<double>::quiet_NaN();
    const Expr y = ir::select(ir::gt(near, constant(format.greatest)), constant(beyond),
                              ir::select(ir::lt(near, constant(-format.greatest)), constant(-beyond), near));
    return format.hasNegativeZero ? y : ir::select(ir::eq(y, constant(0)), constant(0), y);
}

/// The power of two next to `x`, a float32; 0 and less are what 0 is.
Expr asPowerOfTwo(const Expr &x, const NarrowRounding &rounding)
{
    const ir::DataType whole = ir::DataType::int32();
    constexpr int fraction = 23;
    const auto integer = [&](std::int64_t value) { return ir::intImm(value, whole); };
    const auto number = [&](double value) { return ir::constant(value, x.dtype()); };
    const auto both = [&](const Expr &value, std::int64_t mask) {
        return ir::callIntrinsic(ir::intrinsics::bitwiseAnd, {value, integer(mask)});
    };
    const double noNumber = std::numeric_limits<double>::quiet_NaN(), least = std::ldexp(1, -127),
                 greatest = std::ldexp(1, 127);
    const Expr bits = bitsAs(whole, ir::max(x, number(0)));
    // All that is added to the fraction carries into the exponent where the number is rounded up.
    const std::int64_t more = rounding.power == "up"     ? (std::int64_t{1} << fraction) - 1
                              : rounding.power == "down" ? 0
                                                         : std::int64_t{1} << (fraction - 1);
    const Expr near = both(bits + integer(more), std::int64_t{255} << fraction);
    // An exponent of 0 stands for 2^-127, which is half of the least that has an exponent.
    const Expr power = ir::select(ir::eq(near, integer(0)), number(least), bitsAs(x.dtype(), near));
    const auto beyond = [&](double end) { return number(rounding.saturate ? end : noNumber); };
    const Expr within = ir::select(ir::eq(x, number(least)), x, power);
    const Expr above = ir::select(ir::lt(x, number(least)), beyond(least), within);
    return ir::select(isNan(x), x, ir::select(ir::gt(power, number(greatest)), beyond(greatest), above));
}

Expr asInteger(const Expr &x, ir::DataType type, ir::DataType held, bool wraps)
{
    if (x.dtype().isFloating() && !wraps) {
        const auto [least, greatest] = integerRange(type);
        const Expr whole = ir::callIntrinsic(ir::intrinsics::nearbyint, {x});
        return ir::cast(
            held, ir::max(ir::constant(least, x.dtype()), ir::min(whole, ir::constant(greatest, x.dtype()))));
    }
    const auto with = [&](const ir::Intrinsic &operation, const Expr &bits, int other) {
        return ir::callIntrinsic(operation, {bits, ir::intImm(other, held)});
    };
    const Expr whole = x.dtype().isFloating() ? ir::cast(ir::DataType::int32(), x) : x;
    const int mask = (1 << type.bits) - 1, sign = 1 << (type.bits - 1);
    const Expr low = with(ir::intrinsics::bitwiseAnd, ir::cast(held, whole), mask);
    return held.isUInt() ? low : with(ir::intrinsics::bitwiseXor, low, sign) - ir::intImm(sign, held);
}

std::vector<TensorType> inferNarrow(const CallSite &site)
{
    const auto held = heldType(site.dtype());
    if (!site.dtype().isNarrow() || !held)
        typeError(std::format("{} is no type of integers or floating-point numbers of few bits",
                              site.dtype().str()));
    if (const std::string &power = site.text("power"); power != "up" && power != "down" && power != "nearest")
        typeError(
            std::format("powers of two are rounded \"up\", \"down\" or \"nearest\", not \"{}\"", power));
    return {{site.input().shape, *held}};
}

} // namespace

std::optional<ir::DataType> heldType(ir::DataType type)
{
    if (isSigned(type))
        return ir::DataType::int_(8);
    if (isUnsigned(type))
        return ir::DataType::uint(8);
    if (isPowerOfTwo(type))
        return ir::DataType::float32();
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

bool isPowerOfTwo(ir::DataType type) { return type.isNarrow() && type.str() == "float8_e8m0fnu"; }

IntegerRange integerRange(ir::DataType type)
{
    const bool fromZero = type.isUInt() || isUnsigned(type);
    const double beyond = std::ldexp(1, fromZero ? type.bits : type.bits - 1);
    return {fromZero ? 0 : -beyond, beyond - 1};
}

ir::Expr narrowed(const ir::Expr &x, ir::DataType type, const NarrowRounding &rounding)
{
    if (isPowerOfTwo(type))
        return asPowerOfTwo(ir::cast(ir::DataType::float32(), x), rounding);
    const ir::DataType held = heldType(type).value();
    const ir::DataType real = x.dtype().bits == 64 ? ir::DataType::float_(64) : ir::DataType::float32();
    const auto format = narrowFloat(type);
    if (format)
        return ir::cast(held, asFloat(*format, ir::cast(real, x), rounding.saturate));
    return asInteger(x.dtype().isFloating() ? ir::cast(real, x) : x, type, held, rounding.wraps);
}

void addNarrow(TensorOps &table)
{
    table.push_back(
        {.name = "narrow",
         .summary = "each element as the nearest number of a narrow type, held in a wider one",
         .fusion = FusionKind::Elementwise,
         .attributes = {{"dtype", ir::DataType::void_(), "narrow type: int4, uint4, float8_e4m3fn, …"},
                        {"saturate", true,
                         "numbers beyond a floating-point type's range become its largest number"},
                        {"wrap", false, "numbers beyond an integer type's range keep their low bits"},
                        {"power", std::string("up"),
                         "powers of two are rounded \"up\", \"down\" or \"nearest\""}},
         .infer = &inferNarrow,
         .compute = [](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
             return Tensors{builder.compute(
                 inputs[0].shape(), axisNames(inputs[0].shape().size()),
                 [&](const std::vector<Expr> &i) {
                     return te::Body(
                         narrowed(inputs[0].at(i), site.dtype(),
                                  {site.flag("saturate"), site.flag("wrap"), site.text("power")}));
                 },
                 "narrow")};
         }});
}

} // namespace nestwright::ops
