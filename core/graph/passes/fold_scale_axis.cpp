// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"
#include "core/ir/build/builder.h"
#include "core/ops/table/shapes.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

/// Whether a constant has one element per channel of `like`, and 1 in all other dimensions that it has (or
/// one element in all).
bool isPerChannel(const Builder &builder, Value value, const TensorType &like)
{
    const TensorType &type = builder.typeOf(value);
    if (!builder.function().at(value).isConstant() || type.rank() > like.rank())
        return false;
    for (std::int64_t i = 0; i < type.rank(); ++i) {
        const bool isChannel = like.rank() - type.rank() + i == 1;
        if (!isChannel && !ir::isConstInt(type.shape[static_cast<std::size_t>(i)], 1))
            return false;
    }
    return true;
}

/// The factor in the form in which it multiplies the weights F×C×….
Value onFilters(Rewritten &r, Value factor, Value weight)
{
    std::vector<std::int64_t> shape(static_cast<std::size_t>(r.builder.rankOf(weight)), 1);
    shape[0] = -1;
    return r.call("reshape", {factor}, {{"newshape", shape}});
}

/// `x * factor`, with the factor in the weights: of a convolution, and through an addition of constants per
/// channel.
std::optional<Value> scaled(Rewritten &r, Value x, Value factor)
{
    const Node node = r.builder.function().at(x);
    if (node.kind != NodeKind::Operator || r.readersOf(x) > 1
        || !isPerChannel(r.builder, factor, node.types[0]))
        return std::nullopt;
    if (node.op->name == "nn.conv" && r.builder.function().at(node.inputs[1]).isConstant()) {
        const Value weight = r.call("multiply", {node.inputs[1], onFilters(r, factor, node.inputs[1])});
        return r.builder.call("nn.conv", {node.inputs[0], weight}, node.attributes, node.name);
    }
    if (node.op->name == "add" && isPerChannel(r.builder, node.inputs[1], node.types[0])) {
        if (const auto inner = scaled(r, node.inputs[0], factor))
            return r.builder.call("add", {*inner, r.call("multiply", {node.inputs[1], factor})}, {},
                                  node.name);
    }
    return std::nullopt;
}

/// A convolution of `x * factor`, with the factor in the weights. The padding of the image is 0 either way.
std::optional<Value> ofScaled(Rewritten &r)
{
    const Node product = r.inputNode(0);
    const auto weight = r.builder.typeOf(r.inputs[1]).constantShape();
    if (!isCall(product, "multiply") || r.readersOf(r.inputs[0]) > 1 || !weight
        || std::ranges::contains(*weight, 0) || !r.inputNode(1).isConstant()
        || !isPerChannel(r.builder, product.inputs[1], product.types[0])
        || !(r.builder.typeOf(product.inputs[0]) == product.types[0]))
        return std::nullopt;
    const std::int64_t groups = std::get<std::int64_t>(r.node.attributes.find("groups")->second);
    const bool isScalar = ir::isConstInt(ops::product(r.builder.typeOf(product.inputs[1]).shape), 1);
    // Weights as groups × filters × channels × rest, the factor as groups × 1 × channels × 1.
    const std::vector<std::int64_t> parted{groups, (*weight)[0] / groups, (*weight)[1], -1};
    const Value factor = r.call("reshape", {product.inputs[1]},
                                {{"newshape", isScalar ? std::vector<std::int64_t>{1, 1, 1, 1}
                                                       : std::vector<std::int64_t>{groups, 1, -1, 1}}});
    const Value scaledWeight =
        r.call("multiply", {r.call("reshape", {r.inputs[1]}, {{"newshape", parted}}), factor});
    return r.builder.call("nn.conv",
                          {product.inputs[0], r.call("reshape", {scaledWeight}, {{"newshape", *weight}})},
                          r.node.attributes, r.node.name);
}

} // namespace

Function foldScaleAxis(const Function &function)
{
    return rewrite(function, [](Rewritten &r) -> std::optional<std::vector<Value>> {
        std::optional<Value> result;
        if (isCall(r.node, "nn.conv"))
            result = ofScaled(r);
        else if (isCall(r.node, "multiply"))
            result = scaled(r, r.inputs[0], r.inputs[1]);
        return result ? std::optional(std::vector{*result}) : std::nullopt;
    });
}

} // namespace nestwright::graph
