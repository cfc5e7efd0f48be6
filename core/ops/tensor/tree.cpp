// SPDX-License-Identifier: Apache-2.0
/// Walks down decision trees whose nodes lie in arrays.
#include "core/ops/table/script_function.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

/// Number of branches of a node.
std::int64_t waysOf(const CallSite &site)
{
    requireRank(site.input(4), 2, "the ways from nodes");
    return constantSize(site.input(4).shape[1], "the number of ways from a node");
}

std::vector<TensorType> inferTreeLeaves(const CallSite &site)
{
    const TensorType &rows = site.input();
    requireFloat(site);
    requireRank(rows, 2, "the rows");
    requireRank(site.input(1), 1, "the roots");
    const std::int64_t ways = waysOf(site);
    if (ways != 2 && ways != 3)
        typeError(std::format("there are 2 or 3 ways from a node, not {}", ways));
    for (std::size_t i = 1; i < site.inputs.size(); ++i) {
        const bool isBound = i == 3 || i == 5;
        if (site.input(i).dtype != (isBound ? rows.dtype : ir::DataType::int32()))
            typeError("bounds must have the type of the rows; roots, features and ways are int32");
        if (i > 1 && !sameSize(site.input(i).shape.at(0), site.input(2).shape.at(0)))
            typeError("each node needs a feature, bounds and ways");
    }
    if (site.integer("depth") < 1)
        typeError("the depth must be 1 or more");
    return {{{rows.shape[0], site.input(1).shape[0]}, ir::DataType::int32()}};
}

/// Steps that all trees take: a leaf leads to itself. Numbers that are none fail every comparison.
ir::Function treeLeavesFunction(const CallSite &site, std::span<const TensorType> results)
{
    const std::int64_t nodes = constantSize(site.input(2).shape[0], "the number of nodes");
    const std::int64_t features = constantSize(site.input().shape[1], "the number of features");
    const std::string at = "r0[row, tree]", x = std::format("p0[row, p2[{}]]", at);
    const bool hasLeast = site.inputs.size() == 6, hasThird = waysOf(site) == 3;
    const std::string within = hasLeast ? std::format("{0} <= p3[{1}] and {0} >= p5[{1}]", x, at)
                                        : std::format("{} <= p3[{}]", x, at);
    const std::string beyond =
        hasLeast ? std::format("{0} > p3[{1}] or {0} < p5[{1}]", x, at) : std::format("{} > p3[{}]", x, at);
    const std::string way = hasThird ? std::format("T.Select({}, 0, T.Select({}, 1, 2))", within, beyond)
                                     : std::format("T.Select({}, 0, 1)", within);
    const std::string statements = std::format(
        "{0} = p1[tree]\nfor step in range({1}):\n    {0} = p4[{0}, {2}]\n", at, site.integer("depth"), way);
    const std::string reads =
        std::format("p0[row, 0:{0}], p1[tree], p2[0:{1}], p3[0:{1}], p4[0:{1}, 0:{2}]{3}, {4}", features,
                    nodes, waysOf(site), hasLeast ? std::format(", p5[0:{}]", nodes) : "", at);
    const std::vector<std::int64_t> shape = constantSizes(results[0].shape, "the shape of the result");
    return scriptFunction(
        site, results,
        scriptBlock("tree_leaves", {{"row", shape[0]}, {"tree", shape[1]}}, reads, at, statements));
}

} // namespace

void addTrees(TensorOps &table)
{
    table.push_back(
        {.name = "ml.tree_leaves",
         .summary = "the leaf of each tree for each row: nodes have a feature (input 3), which lies up to a "
                    "bound (4) and from another on (6, none: from any) for the first way on, beyond them for "
                    "the second, and is no number for the third (none: the second); input 2 has the roots, "
                    "input 5 the ways",
         .fusion = FusionKind::Opaque,
         .minInputs = 5,
         .maxInputs = 6,
         .attributes = {{"depth", std::int64_t{1}, "nodes above the deepest leaf"}},
         .infer = &inferTreeLeaves,
         .function = &treeLeavesFunction});
}

} // namespace nestwright::ops
