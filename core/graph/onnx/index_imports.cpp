// SPDX-License-Identifier: Apache-2.0
/// Operators of ONNX that pick or place elements by index.
#include "core/graph/onnx/node_import.h"
#include "core/support/fixed_text.h"

namespace nestwright::graph::onnx {

namespace {

using support::FixedText;

Values gather(NodeImport &node)
{
    return {node.call("take", {node.input(0), node.input(1)},
                      {{"axis", node.axis(node.integer("axis", 0), node.rank())}})};
}

Values gatherElements(NodeImport &node)
{
    return {node.call("gather_elements", {node.input(0), node.input(1)},
                      {{"axis", node.axis(node.integer("axis", 0), node.rank())}})};
}

Values gatherNd(NodeImport &node)
{
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
                      {{"axis", node.axis(node.integer("axis", 0), node.rank())},
                       {"reduction", node.text("reduction", "none")}})};
}

Values scatterNd(NodeImport &node)
{
    return {node.call("scatter_nd", {node.input(0), node.input(1), node.input(2)},
                      {{"reduction", node.text("reduction", "none")}})};
}

Values topK(NodeImport &node)
{
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

std::span<const ImportRow> indexImports() { return indexRows; }

} // namespace nestwright::graph::onnx
