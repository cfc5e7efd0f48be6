// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"

#include <algorithm>
#include <numeric>

namespace nestwright::graph {

namespace {

/// The last two dimensions of a constant exchanged.
Value transposed(Rewritten &r, Value matrix)
{
    std::vector<std::int64_t> axes(static_cast<std::size_t>(r.builder.rankOf(matrix)));
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    return r.call("transpose", {matrix}, {{"axes", axes}});
}

/// Whether `value` is a constant, or will be one once constants are folded: a part of one, say. Looks at a
/// few nodes only.
bool becomesConstant(const Rewritten &r, Value value)
{
    constexpr std::size_t most = 16;
    std::vector<Value> waiting{value};
    for (std::size_t seen = 0; seen < waiting.size(); ++seen) {
        const Node &node = r.builder.function().at(waiting[seen]);
        if (node.isConstant())
            continue;
        if (node.kind != NodeKind::Operator || node.inputs.empty() || waiting.size() > most)
            return false;
        waiting.insert(waiting.end(), node.inputs.begin(), node.inputs.end());
    }
    return true;
}

std::optional<std::vector<Value>> rewriteMatmul(Rewritten &r)
{
    const bool transposes = std::get<bool>(r.node.attributes.find("transpose_b")->second);
    if (!transposes || !becomesConstant(r, r.inputs[1]))
        return std::nullopt;
    ops::Attributes attributes = r.node.attributes;
    attributes["transpose_b"] = false;
    return std::vector{r.call("nn.matmul", {r.inputs[0], transposed(r, r.inputs[1])}, attributes)};
}

/// Two in a row as one. Its sizes are written out, since open ones speak of the first one's result.
std::optional<std::vector<Value>> rewriteReshape(Rewritten &r)
{
    const auto shape = r.node.types[0].constantShape();
    if (!shape)
        return std::nullopt;
    return std::vector{
        r.call("reshape", {r.inputNode(0).inputs[0]}, {{"newshape", *shape}, {"allowzero", true}})};
}

/// Whether `node` gives its first input as it is.
bool isIdentity(const Rewritten &r)
{
    static constexpr std::string_view names[] = {"reshape", "broadcast_to",  "cast",
                                                 "nn.pad",  "strided_slice", "tile"};
    if (std::ranges::find(names, r.node.op->name) == std::end(names)
        || !(r.builder.typeOf(r.inputs[0]) == r.node.types[0]))
        return false;
    if (r.node.op->name == "strided_slice") { // of the same size: only backwards could change anything
        for (const std::int64_t stride :
             std::get<std::vector<std::int64_t>>(r.node.attributes.find("strides")->second)) {
            if (stride < 0)
                return false;
        }
    }
    if (r.node.op->name == "nn.pad") {
        for (const std::int64_t width :
             std::get<std::vector<std::int64_t>>(r.node.attributes.find("pad_width")->second)) {
            if (width != 0)
                return false;
        }
    }
    return true;
}

} // namespace

/// Equal nodes become one first: the steps of an LSTM each take the same weights out of the same tensor.
Function canonicalize(const Function &function)
{
    return rewrite(eliminateCommonSubexpr(function), [](Rewritten &r) -> std::optional<std::vector<Value>> {
        if (r.node.kind != NodeKind::Operator)
            return std::nullopt;
        if (isIdentity(r))
            return std::vector{r.inputs[0]};
        if (isCall(r.node, "reshape") && isCall(r.inputNode(0), "reshape"))
            return rewriteReshape(r);
        if (isCall(r.node, "nn.matmul"))
            return rewriteMatmul(r);
        return std::nullopt;
    });
}

} // namespace nestwright::graph
