// SPDX-License-Identifier: Apache-2.0
/// Operators of ONNX that pick or place elements by index.
#include "core/frontend/onnx/index_places.h"
#include "core/ir/build/builder.h"
#include "core/ir/exact_integers.h"
#include "core/support/errors/errors.h"
#include "core/support/text/fixed_text.h"

#include <format>

namespace nestwright::graph::onnx {

namespace {

using support::FixedText;

/// The axis that the indices (input 1) speak of.
std::int64_t indexedAxis(NodeImport &node)
{
    const std::int64_t axis = node.axis(node.integer("axis", 0), node.rank());
    requirePlaces(node, 1, {node.type().shape[static_cast<std::size_t>(axis)]});
    return axis;
}

Values gather(NodeImport &node)
{
    return {node.call("take", {node.input(0), node.input(1)}, {{"axis", indexedAxis(node)}})};
}

Values gatherElements(NodeImport &node)
{
    return {node.call("gather_elements", {node.input(0), node.input(1)}, {{"axis", indexedAxis(node)}})};
}

/// Tuples of indices (input 1) name places of the axes from `first` on.
void requireTuples(NodeImport &node, std::int64_t first)
{
    const ops::Shape &shape = node.type().shape, &indices = node.type(1).shape;
    const std::int64_t *count = indices.empty() ? nullptr : ir::asInt(indices.back());
    if (count && first >= 0 && *count > 0 && first + *count <= std::ssize(shape))
        requirePlaces(node, 1, ops::Shape(shape.begin() + first, shape.begin() + first + *count));
}

Values gatherNd(NodeImport &node)
{
    requireTuples(node, node.integer("batch_dims", 0));
    return {node.call("gather_nd", {node.input(0), node.input(1)},
                      {{"batch_dims", node.integer("batch_dims", 0)}})};
}

Values oneHot(NodeImport &node)
{
    const std::int64_t rank = node.rank() + 1;
    return {node.call("one_hot", {node.input(0), node.input(2)},
                      {{"depth", node.number(1)}, {"axis", node.axis(node.integer("axis", -1), rank)}})};
}

Values trilu(NodeImport &node)
{
    const std::int64_t k = node.has(1) ? node.number(1) : 0;
    return {node.call("trilu", {node.input()}, {{"k", k}, {"upper", node.integer("upper", 1) != 0}})};
}

template <FixedText op> Values cumulative(NodeImport &node)
{
    return {node.call(op.text, {node.input()},
                      {{"axis", node.axis(node.number(1), node.rank())},
                       {"exclusive", node.integer("exclusive", 0) != 0},
                       {"reverse", node.integer("reverse", 0) != 0}})};
}

Values scatterElements(NodeImport &node)
{
    return {node.call("scatter_elements", {node.input(0), node.input(1), node.input(2)},
                      {{"axis", indexedAxis(node)}, {"reduction", node.text("reduction", "none")}})};
}

Values scatterNd(NodeImport &node)
{
    requireTuples(node, 0);
    return {node.call("scatter_nd", {node.input(0), node.input(1), node.input(2)},
                      {{"reduction", node.text("reduction", "none")}})};
}

Values topK(NodeImport &node)
{
    node.accept({"sorted"}); // where it is 0 any order will do
    const std::int64_t k = node.opset() < 10 ? node.integer("k", -1) : node.number(1);
    const Value values = node.call("topk", {node.input()},
                                   {{"k", k},
                                    {"axis", node.axis(node.integer("axis", -1), node.rank())},
                                    {"largest", node.integer("largest", 1) != 0}});
    return {values, {values.node, 1}};
}

Values reverseSequence(NodeImport &node)
{
    return {node.call("reverse_sequence", {node.input(0), node.input(1)},
                      {{"batch_axis", node.axis(node.integer("batch_axis", 1), node.rank())},
                       {"axis", node.axis(node.integer("time_axis", 0), node.rank())}})};
}

constexpr ImportRow indexRows[] = {
    {"CumProd", &cumulative<"cumprod">},
    {"CumSum", &cumulative<"cumsum">},
    {"Gather", &gather},
    {"GatherElements", &gatherElements},
    {"GatherND", &gatherNd},
    {"OneHot", &oneHot},
    {"ReverseSequence", &reverseSequence},
    {"Scatter", &scatterElements},
    {"ScatterElements", &scatterElements},
    {"ScatterND", &scatterNd},
    {"TopK", &topK},
    {"Trilu", &trilu},
};

} // namespace

void requirePlaces(NodeImport &node, std::size_t input, const ops::Shape &sizes)
{
    Value from = node.input(input);
    const auto isOf = [&](std::string_view op) { return isCall(node.builder().function().at(from), op); };
    while (isOf("cast") || (sizes.size() == 1 && isOf("reshape")))
        from = node.builder().function().at(from).inputs[0];
    const Data data = node.builder().peek(from);
    if (!data || !data->dtype().isIntegral() || data->dtype().isBool())
        return;
    for (std::int64_t i = 0; i < data->size(); ++i) {
        const std::int64_t *size = ir::asInt(sizes[static_cast<std::size_t>(i) % sizes.size()]),
                           index = ir::integerAt(*data, i);
        // An empty axis is not checked: a loop without turns is imported for its types only.
        if (size && *size > 0 && (index < -*size || index >= *size))
            throw support::UserError(support::diagnostic(
                "onnx.index", std::format("the index {} in its input \"{}\" names none of {} places", index,
                                          node.node().inputs[input], *size)));
    }
}

std::span<const ImportRow> indexImports() { return indexRows; }

} // namespace nestwright::graph::onnx
