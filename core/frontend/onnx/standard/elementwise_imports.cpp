// SPDX-License-Identifier: Apache-2.0
/// Operators of ONNX that work element by element.
#include "core/frontend/onnx/file/made_array.h"
#include "core/frontend/onnx/shared_forms.h"
#include "core/ir/build/builder.h"
#include "core/support/errors/errors.h"
#include "core/support/text/fixed_text.h"

#include <cmath>
#include <format>
#include <limits>

namespace nestwright::graph::onnx {

namespace {

using support::FixedText;

/// The second input so that it stands at the dimensions of the first that begin with `axis`.
Value fromAxis(NodeImport &node, std::int64_t axis)
{
    Ints shape = node.shape(1);
    const std::int64_t rank = node.rank(), first = node.axis(axis, std::max<std::int64_t>(1, rank));
    if (first + std::ssize(shape) > rank)
        node.unsupported(std::format("the second input reaches beyond the first from axis {} on", axis));
    shape.resize(static_cast<std::size_t>(rank - first), 1);
    return node.reshape(node.input(1), shape);
}

/// The inputs of an operator on elements. Before operator set 7 the second one stands where an attribute
/// says.
Values elementwiseInputs(NodeImport &node)
{
    Values inputs = node.inputs();
    if (node.opset() < 7)
        node.accept({"axis", "broadcast"});
    if (node.opset() < 7 && inputs.size() == 2 && node.integer("broadcast", 0) != 0
        && node.hasAttribute("axis"))
        inputs[1] = fromAxis(node, node.integer("axis", 0));
    return inputs;
}

/// The operator of that name on all inputs.
template <FixedText op> Values plain(NodeImport &node)
{
    return {node.call(op.text, elementwiseInputs(node))};
}

/// The same, joined from left to right, for any number of inputs.
template <FixedText op> Values joined(NodeImport &node)
{
    Value result = node.input();
    for (std::size_t i = 1; i < node.inputCount(); ++i)
        result = node.call(op.text, {result, node.input(i)});
    return {result};
}

/// An operator with attribute alpha and, where they are given, others, under their own names.
template <FixedText op> Values parametric(NodeImport &node)
{
    ops::Attributes attributes;
    for (const char *name : {"alpha", "beta", "gamma", "bias", "lambd"}) {
        if (node.hasAttribute(name))
            attributes[name] = node.real(name, 0);
    }
    return {node.call(op.text, {node.input()}, attributes)};
}

Values swish(NodeImport &node)
{
    const Value x = node.input();
    const double alpha = node.real("alpha", 1);
    const Value scaled = alpha == 1 ? x : node.call("multiply", {x, node.scalarLike(alpha, x)});
    return {node.call("multiply", {x, node.call("sigmoid", {scaled})})};
}

Values swiGlu(NodeImport &node) { return {node.call("multiply", {swish(node)[0], node.input(1)})}; }

Values identity(NodeImport &node) { return {node.input()}; }

Values clip(NodeImport &node)
{
    Value x = node.input();
    const auto bound = [&](std::string_view op, std::string_view attribute, std::size_t input) {
        if (node.has(input))
            x = node.call(op, {node.input(input), x});
        else if (node.hasAttribute(attribute))
            x = node.call(op, {node.scalarLike(node.real(attribute, 0), x), x});
    };
    bound("maximum", "min", 1);
    bound("minimum", "max", 2);
    return {x};
}

/// The input as elements of `type`, which the model means: it may be narrow.
Values castTo(NodeImport &node, ir::DataType type)
{
    node.accept({"saturate", "round_mode"}); // of narrow types
    if (!type.isNarrow())
        return {node.cast(node.input(), type)};
    node.setResultType(type);
    if (node.elementType() == type)
        return {node.input()};
    return {node.call("narrow", {node.input()},
                      {{"dtype", type},
                       {"saturate", node.integer("saturate", 1) != 0},
                       {"wrap", node.opset() >= 25},
                       {"power", node.text("round_mode", "up")}})};
}

Values cast(NodeImport &node)
{
    const auto type = declaredTypeOf(node.integer("to", 0));
    if (!type)
        node.unsupported("casts to that type are not supported");
    return castTo(node, *type);
}

Values castLike(NodeImport &node) { return castTo(node, node.elementType(1)); }

Values bitCast(NodeImport &node)
{
    const auto type = declaredTypeOf(node.integer("to", 0));
    if (!type || type->isNarrow())
        node.unsupported("bits as numbers of that type are not supported");
    // Truth values are bytes, 0 or 1.
    const Value x =
        node.type().dtype.isBool() ? node.cast(node.input(), ir::DataType::uint(8)) : node.input();
    if (type->isBool() && node.typeOf(x).dtype.bits == 8)
        return {node.call("cast", {x}, {{"dtype", *type}})};
    return {node.typeOf(x).dtype == *type ? x : node.call("reinterpret", {x}, {{"dtype", *type}})};
}

Values power(NodeImport &node) { return {node.call("power", elementwiseInputs(node))}; }

Values mod(NodeImport &node)
{
    return {node.call(node.integer("fmod", 0) ? "mod" : "floor_mod", node.inputs())};
}

Values bitShift(NodeImport &node)
{
    return {
        node.call(node.text("direction", "RIGHT") == "LEFT" ? "left_shift" : "right_shift", node.inputs())};
}

Values mean(NodeImport &node)
{
    const Value sum = joined<"add">(node)[0];
    return {node.call("divide", {sum, node.scalarLike(static_cast<double>(node.inputCount()), sum)})};
}

Values gelu(NodeImport &node)
{
    return {node.call("nn.gelu", {node.input()}, {{"approximate", node.text("approximate", "none")}})};
}

Values isInf(NodeImport &node)
{
    return {node.call("isinf", {node.input()},
                      {{"positive", node.integer("detect_positive", 1) != 0},
                       {"negative", node.integer("detect_negative", 1) != 0}})};
}

/// Imports PRelu. Before operator set 7 a list of slopes has one for each channel.
Values prelu(NodeImport &node)
{
    const bool byChannel = node.opset() < 7 && node.rank() > 1 && node.rank(1) == 1 && node.shape(1)[0] != 1;
    return {node.call("nn.prelu", {node.input(0), byChannel ? fromAxis(node, 1) : node.input(1)})};
}

/// Imports Dropout for inference only: nothing is dropped.
Values dropout(NodeImport &node)
{
    node.accept({"is_test", "ratio", "seed"});
    node.acceptInputs({1, 2});
    if (node.has(2) && node.realNumber(2) != 0 && !(node.has(1) && node.realNumber(1) == 0)) {
        throw support::UserError(
            support::diagnostic(
                "onnx.refused",
                "dropping elements at random is not supported: a model must give the same result each time")
                .withHint("export the model for inference"));
    }
    Values results{node.input()};
    if (node.wantsOutput(1)) {
        results.push_back(node.constant(madeArray(node, ir::DataType::boolean(), node.shape(), 1)));
    }
    return results;
}

template <FixedText op> Values softmax(NodeImport &node)
{
    const bool onwards = node.opset() < 13;
    return {softmaxOf(node, node.input(), op.text, node.integer("axis", onwards ? 1 : -1), onwards)};
}

constexpr ImportRow elementwiseRows[] = {
    {"Abs", &plain<"abs">},
    {"Acos", &plain<"acos">},
    {"Acosh", &plain<"acosh">},
    {"Add", &plain<"add">},
    {"And", &plain<"logical_and">},
    {"Asin", &plain<"asin">},
    {"Asinh", &plain<"asinh">},
    {"Atan", &plain<"atan">},
    {"Atanh", &plain<"atanh">},
    {"BitCast", &bitCast},
    {"BitShift", &bitShift},
    {"BitwiseAnd", &plain<"bitwise_and">},
    {"BitwiseNot", &plain<"bitwise_not">},
    {"BitwiseOr", &plain<"bitwise_or">},
    {"BitwiseXor", &plain<"bitwise_xor">},
    {"Cast", &cast},
    {"CastLike", &castLike},
    {"Ceil", &plain<"ceil">},
    {"Celu", &parametric<"nn.celu">},
    {"Clip", &clip},
    {"Cos", &plain<"cos">},
    {"Cosh", &plain<"cosh">},
    {"Div", &plain<"divide">},
    {"Dropout", &dropout},
    {"Elu", &parametric<"nn.elu">},
    {"Equal", &plain<"equal">},
    {"Erf", &plain<"erf">},
    {"Exp", &plain<"exp">},
    {"Floor", &plain<"floor">},
    {"Gelu", &gelu},
    {"Greater", &plain<"greater">},
    {"GreaterOrEqual", &plain<"greater_equal">},
    {"HardSigmoid", &parametric<"nn.hard_sigmoid">},
    {"HardSwish", &plain<"nn.hard_swish">},
    {"Identity", &identity},
    {"IsInf", &isInf},
    {"IsNaN", &plain<"isnan">},
    {"LeakyRelu", &parametric<"nn.leaky_relu">},
    {"Less", &plain<"less">},
    {"LessOrEqual", &plain<"less_equal">},
    {"Log", &plain<"log">},
    {"LogSoftmax", &softmax<"nn.log_softmax">},
    {"Max", &joined<"maximum">},
    {"Mean", &mean},
    {"Min", &joined<"minimum">},
    {"Mish", &plain<"nn.mish">},
    {"Mod", &mod},
    {"Mul", &plain<"multiply">},
    {"Neg", &plain<"negative">},
    {"Not", &plain<"logical_not">},
    {"Or", &plain<"logical_or">},
    {"PRelu", &prelu},
    {"Pow", &power},
    {"Reciprocal", &plain<"reciprocal">},
    {"Relu", &plain<"nn.relu">},
    {"Round", &plain<"round">},
    {"Selu", &parametric<"nn.selu">},
    {"Shrink", &parametric<"nn.shrink">},
    {"Sigmoid", &plain<"sigmoid">},
    {"Sign", &plain<"sign">},
    {"Sin", &plain<"sin">},
    {"Sinh", &plain<"sinh">},
    {"Softmax", &softmax<"nn.softmax">},
    {"Softplus", &plain<"nn.softplus">},
    {"Softsign", &plain<"nn.softsign">},
    {"Sqrt", &plain<"sqrt">},
    {"Sub", &plain<"subtract">},
    {"Sum", &joined<"add">},
    {"SwiGLU", &swiGlu},
    {"Swish", &swish},
    {"Tan", &plain<"tan">},
    {"Tanh", &plain<"tanh">},
    {"ThresholdedRelu", &parametric<"nn.thresholded_relu">},
    {"Where", &plain<"where">},
    {"Xor", &plain<"logical_xor">},
};

} // namespace

Value softmaxOf(NodeImport &node, Value x, std::string_view op, std::int64_t axis, bool onwards)
{
    const std::int64_t rank = node.typeOf(x).rank();
    if (!onwards)
        return node.call(op, {x}, {{"axis", axis}});
    const std::int64_t from = axis == rank ? rank : node.axis(axis, rank);
    if (from == rank - 1)
        return node.call(op, {x}, {{"axis", std::int64_t{-1}}});
    const std::vector<std::int64_t> shape = node.shapeOf(x);
    std::int64_t rows = 1;
    for (std::int64_t i = 0; i < from; ++i)
        rows *= shape[static_cast<std::size_t>(i)];
    const Value flat = node.reshape(x, {rows, -1});
    return node.reshape(node.call(op, {flat}, {{"axis", std::int64_t{-1}}}), shape);
}

std::span<const ImportRow> elementwiseImports() { return elementwiseRows; }

} // namespace nestwright::graph::onnx
