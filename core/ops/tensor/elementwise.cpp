// SPDX-License-Identifier: Apache-2.0
/// Operators of one tensor that change each element by itself.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

namespace nestwright::ops {

namespace {

using ir::Expr;

// Maximum and minimum with NaN give the second operand: x is the second one, so that NaN is not lost.

Expr math(const ir::Intrinsic &intrinsic, const Expr &x) { return ir::callIntrinsic(intrinsic, {x}); }
/// `above` where `x` is above 0, else `elsewhere`.
Expr whereAboveZero(const Expr &x, const Expr &above, const Expr &elsewhere)
{
    return ir::select(ir::gt(x, real(0, x)), above, elsewhere);
}

/// The function applied to `x`, an element in the type of computation.
using Function = std::function<Expr(const CallSite &, const Expr &x)>;

Expr sign(const CallSite &, const Expr &x)
{
    return ir::select(ir::gt(x, real(0, x)), real(1, x),
                      x.dtype().isUInt() ? real(0, x) : ir::select(ir::lt(x, real(0, x)), real(-1, x), x));
}

Expr softplus(const CallSite &, const Expr &x)
{
    // log(1 + exp(x)) without overflow.
    const Expr magnitude = math(ir::intrinsics::fabs, x);
    return ir::max(real(0, x), x) + math(ir::intrinsics::log1p, math(ir::intrinsics::exp, -magnitude));
}

/// alpha * (exp(x / scale) - 1) where x is not above 0.
Expr exponentialUnit(const Expr &x, double alpha, double scale)
{
    const Expr below = ir::min(real(0, x), x); // exp of a large x would overflow in the arm that is not taken
    return real(alpha, x) * (math(ir::intrinsics::exp, below * real(1 / scale, x)) - real(1, x));
}

Expr gelu(const CallSite &site, const Expr &x)
{
    const Expr half = real(0.5, x) * x;
    if (site.text("approximate") == "tanh") {
        const Expr inner = real(std::sqrt(2 / std::numbers::pi), x) * (x + real(0.044715, x) * x * x * x);
        return half * (real(1, x) + math(ir::intrinsics::tanh, inner));
    }
    return half * (real(1, x) + math(ir::intrinsics::erf, x * real(std::numbers::sqrt2 / 2, x)));
}

Expr hardSigmoid(const Expr &x, double alpha, double beta)
{
    return ir::max(real(0, x), ir::min(real(1, x), real(alpha, x) * x + real(beta, x)));
}

struct ElementwiseRow {
    std::string_view name;
    std::string_view summary;
    Function function;
    std::vector<AttributeField> attributes = {};
    bool floats = true;
};

Function call(const ir::Intrinsic &intrinsic)
{
    return [&intrinsic](const CallSite &, const Expr &x) { return math(intrinsic, x); };
}

std::vector<ElementwiseRow> functionRows()
{
    return {
        {"exp", "e^x", call(ir::intrinsics::exp)},
        {"log", "natural logarithm", call(ir::intrinsics::log)},
        {"sqrt", "square root", call(ir::intrinsics::sqrt)},
        {"rsqrt", "1 / square root",
         [](const CallSite &, const Expr &x) {
             return ir::truncDiv(real(1, x), math(ir::intrinsics::sqrt, x));
         }},
        {"reciprocal", "1 / x", [](const CallSite &, const Expr &x) { return ir::truncDiv(real(1, x), x); }},
        {"sin", "sine", call(ir::intrinsics::sin)},
        {"cos", "cosine", call(ir::intrinsics::cos)},
        {"tan", "tangent", call(ir::intrinsics::tan)},
        {"asin", "arc sine", call(ir::intrinsics::asin)},
        {"acos", "arc cosine", call(ir::intrinsics::acos)},
        {"atan", "arc tangent", call(ir::intrinsics::atan)},
        {"sinh", "hyperbolic sine", call(ir::intrinsics::sinh)},
        {"cosh", "hyperbolic cosine", call(ir::intrinsics::cosh)},
        {"tanh", "hyperbolic tangent", call(ir::intrinsics::tanh)},
        {"asinh", "inverse hyperbolic sine", call(ir::intrinsics::asinh)},
        {"acosh", "inverse hyperbolic cosine", call(ir::intrinsics::acosh)},
        {"atanh", "inverse hyperbolic tangent", call(ir::intrinsics::atanh)},
        {"erf", "error function", call(ir::intrinsics::erf)},
        {"sigmoid", "1 / (1 + e^-x)", call(ir::intrinsics::sigmoid)},
        {"floor", "largest integer not above", call(ir::intrinsics::floor)},
        {"ceil", "smallest integer not below", call(ir::intrinsics::ceil)},
        {"round", "nearest integer, halves to the even one", call(ir::intrinsics::nearbyint)},
        {"abs",
         "magnitude",
         [](const CallSite &, const Expr &x) {
             return x.dtype().isUInt() ? x : math(ir::intrinsics::abs, x);
         },
         {},
         false},
        {"negative", "-x", [](const CallSite &, const Expr &x) { return real(0, x) - x; }, {}, false},
        {"sign", "-1, 0 or 1", &sign, {}, false},
    };
}

std::vector<ElementwiseRow> activationRows()
{
    return {
        {"nn.relu",
         "max(x, 0)",
         [](const CallSite &, const Expr &x) { return ir::max(real(0, x), x); },
         {},
         false},
        {"nn.leaky_relu",
         "x, or alpha * x below 0",
         [](const CallSite &s, const Expr &x) {
             return ir::select(ir::lt(x, real(0, x)), real(s.real("alpha"), x) * x, x);
         },
         {{"alpha", 0.01, "slope below 0"}}},
        {"nn.thresholded_relu",
         "x above alpha, 0 elsewhere",
         [](const CallSite &s, const Expr &x) {
             return ir::select(ir::gt(x, real(s.real("alpha"), x)), x, real(0, x));
         },
         {{"alpha", 1.0, "threshold"}}},
        {"nn.elu",
         "x, or alpha * (e^x - 1) below 0",
         [](const CallSite &s, const Expr &x) {
             return whereAboveZero(x, x, exponentialUnit(x, s.real("alpha"), 1));
         },
         {{"alpha", 1.0, "scale below 0"}}},
        {"nn.celu",
         "x, or alpha * (e^(x / alpha) - 1) below 0",
         [](const CallSite &s, const Expr &x) {
             return whereAboveZero(x, x, exponentialUnit(x, s.real("alpha"), s.real("alpha")));
         },
         {{"alpha", 1.0, "scale below 0"}}},
        {"nn.selu",
         "gamma * x, or gamma * alpha * (e^x - 1) below 0",
         [](const CallSite &s, const Expr &x) {
             return real(s.real("gamma"), x) * whereAboveZero(x, x, exponentialUnit(x, s.real("alpha"), 1));
         },
         {{"alpha", 1.67326319217681884765625, "scale below 0"},
          {"gamma", 1.05070102214813232421875, "scale of all"}}},
        {"nn.hard_sigmoid",
         "alpha * x + beta, kept within 0 and 1",
         [](const CallSite &s, const Expr &x) { return hardSigmoid(x, s.real("alpha"), s.real("beta")); },
         {{"alpha", 0.2, "slope"}, {"beta", 0.5, "value at 0"}}},
        {"nn.hard_swish", "x * hard_sigmoid(x; 1/6, 1/2)",
         [](const CallSite &, const Expr &x) { return x * hardSigmoid(x, 1.0 / 6, 0.5); }},
        {"nn.softplus", "log(1 + e^x)", &softplus},
        {"nn.softsign", "x / (1 + |x|)",
         [](const CallSite &, const Expr &x) {
             return ir::truncDiv(x, real(1, x) + math(ir::intrinsics::fabs, x));
         }},
        {"nn.mish", "x * tanh(softplus(x))",
         [](const CallSite &s, const Expr &x) { return x * math(ir::intrinsics::tanh, softplus(s, x)); }},
        {"nn.gelu",
         "x times the normal distribution's integral up to x",
         &gelu,
         {{"approximate", std::string("none"), "\"tanh\" for the approximation by tanh"}}},
        {"nn.shrink",
         "x moved towards 0 by bias, and 0 where it lies within lambd of it",
         [](const CallSite &s, const Expr &x) {
             const Expr limit = real(s.real("lambd"), x), bias = real(s.real("bias"), x);
             return ir::select(ir::lt(x, -limit), x + bias,
                               ir::select(ir::gt(x, limit), x - bias, real(0, x)));
         },
         {{"bias", 0.0, "subtracted from the magnitude"},
          {"lambd", 0.5, "half the width of the range that becomes 0"}},
         false},
    };
}

TensorOp elementwise(ElementwiseRow row)
{
    return {.name = row.name,
            .summary = row.summary,
            .fusion = FusionKind::Elementwise,
            .attributes = std::move(row.attributes),
            .infer =
                [floats = row.floats](const CallSite &site) {
                    if (floats)
                        requireFloat(site);
                    return std::vector{site.input()};
                },
            .compute =
                [function = row.function](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                    const te::Tensor &x = inputs[0];
                    return Tensors{builder.compute(
                        x.shape(), axisNames(x.shape().size()),
                        [&](const std::vector<Expr> &i) {
                            const Expr element = ir::cast(sumType(x.dtype()), x.at(i));
                            return te::Body(ir::cast(x.dtype(), function(site, element)));
                        },
                        std::string(site.op.name.substr(site.op.name.rfind('.') + 1)))};
                }};
}

/// A test of each element: the result is bool.
TensorOp predicate(std::string_view name, std::string_view summary,
                   Expr (*test)(const CallSite &, const Expr &), std::vector<AttributeField> attributes = {})
{
    return {.name = name,
            .summary = summary,
            .fusion = FusionKind::Elementwise,
            .attributes = std::move(attributes),
            .infer =
                [](const CallSite &site) {
                    return std::vector{TensorType{site.input().shape, ir::DataType::boolean()}};
                },
            .compute =
                [test](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                    const te::Tensor &x = inputs[0];
                    return Tensors{builder.compute(
                        x.shape(), axisNames(x.shape().size()),
                        [&](const std::vector<Expr> &i) {
                            return te::Body(test(site, ir::cast(sumType(x.dtype()), x.at(i))));
                        },
                        std::string(site.op.name))};
                }};
}

Expr isInfinite(const CallSite &site, const Expr &x)
{
    Expr infinite = ir::callIntrinsic(ir::intrinsics::isInf, {x});
    if (site.flag("positive") && site.flag("negative"))
        return infinite;
    if (site.flag("positive"))
        return ir::logicalAnd(infinite, ir::gt(x, real(0, x)));
    if (site.flag("negative"))
        return ir::logicalAnd(infinite, ir::lt(x, real(0, x)));
    return ir::boolImm(false);
}

} // namespace

void addElementwise(TensorOps &table)
{
    for (std::vector<ElementwiseRow> &rows : std::array{functionRows(), activationRows()}) {
        for (ElementwiseRow &row : rows)
            table.push_back(elementwise(std::move(row)));
    }
    table.push_back(predicate("isnan", "whether it is no number", [](const CallSite &, const Expr &x) {
        return ir::callIntrinsic(ir::intrinsics::isNan, {x});
    }));
    table.push_back(predicate("isinf", "whether it is infinite", &isInfinite,
                              {{"positive", true, "+inf counts"}, {"negative", true, "-inf counts"}}));
    table.push_back(predicate("logical_not", "whether it is false",
                              [](const CallSite &, const Expr &x) { return ir::logicalNot(x); }));
    table.push_back({.name = "bitwise_not",
                     .summary = "every bit turned",
                     .fusion = FusionKind::Elementwise,
                     .infer =
                         [](const CallSite &site) {
                             requireIntegers(site);
                             return std::vector{site.input()};
                         },
                     .compute =
                         [](te::Builder &builder, const CallSite &, const Tensors &inputs) {
                             return Tensors{builder.compute(
                                 inputs[0].shape(), axisNames(inputs[0].shape().size()),
                                 [&](const std::vector<Expr> &i) {
                                     return te::Body(
                                         ir::callIntrinsic(ir::intrinsics::bitwiseNot, {inputs[0].at(i)}));
                                 },
                                 "bitwise_not")};
                         }});
}

} // namespace nestwright::ops
