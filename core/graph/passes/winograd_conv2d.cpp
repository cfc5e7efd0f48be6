// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"
#include "core/ops/nn/winograd.h"

namespace nestwright::graph {

namespace {

/// Channels and filters in blocks of a vector, so that each element of a tile is one; no layout of all
/// channels in one, and no block that holds the channels of several groups.
bool areVectors(const Ints &weights, const TensorType &image, const target::Machine &machine)
{
    const std::int64_t *block = ir::asInt(image.shape.back());
    return isChannelBlock(machine, weights[4]) && isChannelBlock(machine, weights[5]) && block
           && *block == weights[4];
}

/// The number for a dimension; 1 where the list is left out.
std::int64_t numberOf(const ops::AttributeValue &list, std::size_t dimension)
{
    const Ints &numbers = std::get<Ints>(list);
    return numbers.empty() ? 1 : numbers[dimension];
}

std::optional<std::vector<Value>> replacement(Rewritten &r, const target::Machine &machine)
{
    if (!isCall(r.node, "nn.blocked_conv") || !r.inputNode(1).isConstant())
        return std::nullopt;
    const auto attribute = [&](std::string_view name) { return r.node.attributes.find(name)->second; };
    const ir::NdArray &weights = *r.inputNode(1).data;
    const Ints size = weights.shape();
    const auto result = r.node.types[0].constantShape();
    if (size.size() != 6 || size[2] != 3 || size[3] != 3
        || !areVectors(size, r.builder.typeOf(r.inputs[0]), machine) || !result
        || numberOf(attribute("strides"), 0) != 1 || numberOf(attribute("strides"), 1) != 1
        || std::get<bool>(attribute("depthwise")))
        return std::nullopt;
    const ops::AttributeValue dilation = attribute("dilation"), groups = attribute("groups");
    const std::int64_t count = std::get<std::int64_t>(groups);
    const auto tiles = ops::winogradTiles({.height = (*result)[2],
                                           .width = (*result)[3],
                                           .channels = size[1] * size[4] * count,
                                           .filters = size[0] * size[5],
                                           .groups = count,
                                           .rowDilation = numberOf(dilation, 0),
                                           .columnDilation = numberOf(dilation, 1)},
                                          machine);
    if (!tiles)
        return std::nullopt;
    const Value transformed = r.builder.constant(
        ops::winogradWeights(weights, *ops::Winograd::of(tiles->results)), r.inputNode(1).name);
    return std::vector{r.call("nn.winograd_conv", {r.inputs[0], transformed},
                              {{"padding", attribute("padding")},
                               {"dilation", dilation},
                               {"groups", groups},
                               {"results", tiles->results}})};
}

} // namespace

Function winogradConv2d(const Function &function, const target::Machine &machine)
{
    return rewrite(function, [&](Rewritten &r) { return replacement(r, machine); });
}

} // namespace nestwright::graph
