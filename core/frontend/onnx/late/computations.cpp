// SPDX-License-Identifier: Apache-2.0
/// Operators that compute, where sizes of their inputs are known only when the model runs.
#include "core/frontend/onnx/late/late_node.h"
#include "core/frontend/onnx/reduction_identity.h"

#include <algorithm>
#include <array>
#include <format>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

using Axes = LateSizes::Axes;

/// Element by element; sizes meet as they do in broadcasting.
Values elementwise(LateNode &late)
{
    NodeImport &node = late.node;
    std::int64_t rank = 0;
    for (std::size_t i = 0; i < node.inputCount(); ++i)
        rank = std::max(rank, node.has(i) ? node.rank(i) : 0);
    std::map<std::size_t, Value> inputs;
    for (std::size_t i = 0; i < node.inputCount(); ++i) {
        if (node.has(i))
            inputs[i] = node.input(i);
    }
    Axes axes;
    for (std::int64_t axis = 0; axis < rank; ++axis) {
        std::vector<std::pair<Value *, std::int64_t>> places;
        for (auto &[i, input] : inputs) {
            if (const std::int64_t own = axis - rank + node.typeOf(input).rank(); own >= 0)
                places.emplace_back(&input, own);
        }
        late.put(axes, axis, late.broadcast(places));
    }
    return late.give(late.with(inputs), axes);
}

/// The name of our operator for a reduction, and what elements that do not count are replaced by.
struct Reduction {
    std::string_view onnx, identityOf;
};
constexpr std::array reductions{
    Reduction{"ReduceL1", "sum"},        Reduction{"ReduceL2", "sum"},    Reduction{"ReduceLogSum", "sum"},
    Reduction{"ReduceLogSumExp", "max"}, Reduction{"ReduceMax", "max"},   Reduction{"ReduceMean", "sum"},
    Reduction{"ReduceMin", "min"},       Reduction{"ReduceProd", "prod"}, Reduction{"ReduceSum", "sum"},
    Reduction{"ReduceSumSquare", "sum"},
};

Values reduce(LateNode &late)
{
    NodeImport &node = late.node;
    Ints reduced = node.listOf("axes", 1).value_or(Ints());
    const bool keepsAllWithoutAxes = node.integer("noop_with_empty_axes", 0) != 0;
    if (reduced.empty() && keepsAllWithoutAxes)
        return late.give(late.plain(), late.axes());
    std::vector<bool> goes(static_cast<std::size_t>(node.rank()), reduced.empty());
    for (const std::int64_t axis : reduced)
        goes[static_cast<std::size_t>(node.axis(axis, node.rank()))] = true;
    const bool keeps = node.integer("keepdims", 1) != 0;
    Axes masked, axes;
    std::int64_t place = 0;
    for (std::int64_t axis = 0; axis < node.rank(); ++axis) {
        const bool isReduced = goes[static_cast<std::size_t>(axis)];
        late.put(isReduced ? masked : axes, isReduced ? axis : place, late.size(node.input(), axis));
        place += !isReduced || keeps ? 1 : 0;
    }
    if (masked.empty())
        return late.give(late.plain(), axes);
    const auto row = std::ranges::find(reductions, std::string_view(node.node().op), &Reduction::onnx);
    const Value x = late.masked(node.input(), masked, reductionIdentity(row->identityOf, node.type().dtype));
    if (row->onnx != "ReduceMean")
        return late.give(late.with({{0, x}}), axes);
    LateNumber count{1, 1, {}};
    Ints all;
    for (std::int64_t axis = 0; axis < node.rank(); ++axis) {
        if (!goes[static_cast<std::size_t>(axis)])
            continue;
        count = late.product(late.size(node.input(), axis), count);
        all.push_back(axis);
    }
    const Value sum = node.call("sum", {x}, {{"axes", all}, {"keepdims", keeps}});
    return late.give({node.call("divide", {sum, node.cast(late.valueOf(count), node.type().dtype)})}, axes);
}

Values softmax(LateNode &late)
{
    NodeImport &node = late.node;
    const bool single = node.opset() >= 13;
    const std::int64_t axis = node.axis(node.integer("axis", single ? -1 : 1), node.rank());
    Axes along;
    for (const auto &[at, count] : late.axes()) {
        if (single ? at == axis : at >= axis)
            along[at] = count;
    }
    const Value x = late.masked(node.input(), along, reductionIdentity("max", node.type().dtype));
    return late.give(late.with({{0, x}}), late.axes());
}

/// Element by element of the first input.
Values first(LateNode &late) { return late.give(late.plain(), late.axes()); }

/// Computes along `axis` only (from it on, where `onwards`), whose size must be known.
template <bool onwards> Values rows(LateNode &late)
{
    NodeImport &node = late.node;
    if (!onwards && late.axes(1).empty() && node.typeOf(node.input(1)).constantShape()
        && std::ranges::all_of(node.shapeOf(node.input(1)), [](std::int64_t size) { return size == 1; }))
        return first(late); // one scale for all, whatever the axis
    const std::int64_t axis = node.axis(node.integer("axis", onwards ? -1 : 1), node.rank());
    for (const auto &[at, count] : late.axes()) {
        if (at == axis || (onwards && at > axis))
            node.unsupported(std::format("axis {} has a size that is known only when the model runs", at));
    }
    return late.give(late.plain(), late.axes());
}

/// Sums up to each element: those that do not count come last.
Values cumulative(LateNode &late)
{
    if (late.node.integer("reverse", 0) == 0)
        return late.give(late.plain(), late.axes());
    const double none = late.node.node().op == "CumProd" ? 1 : 0;
    return late.give(late.with({{0, late.masked(late.node.input(), late.axes(), none)}}), late.axes());
}

constexpr LateRow computationRows[] = {
    {"CastLike", &first},
    {"CumProd", &cumulative},
    {"CumSum", &cumulative},
    {"DequantizeLinear", &rows<false>},
    {"Dropout", &first},
    {"Hardmax", &softmax},
    {"LayerNormalization", &rows<true>},
    {"LogSoftmax", &softmax},
    {"QuantizeLinear", &rows<false>},
    {"RMSNormalization", &rows<true>},
    {"ReduceL1", &reduce},
    {"ReduceL2", &reduce},
    {"ReduceLogSum", &reduce},
    {"ReduceLogSumExp", &reduce},
    {"ReduceMax", &reduce},
    {"ReduceMean", &reduce},
    {"ReduceMin", &reduce},
    {"ReduceProd", &reduce},
    {"ReduceSum", &reduce},
    {"ReduceSumSquare", &reduce},
    {"Softmax", &softmax},
};

/// Operators in `elementwiseImports` that are not elementwise.
constexpr std::string_view notElementwise[] = {"BitCast",    "CastLike", "Dropout",
                                               "LogSoftmax", "Softmax",  "SwiGLU"};

std::vector<LateRow> allRows()
{
    std::vector<LateRow> rows(std::begin(computationRows), std::end(computationRows));
    for (const ImportRow &row : elementwiseImports()) {
        if (!std::ranges::contains(notElementwise, row.op))
            rows.push_back({row.op, &elementwise});
    }
    return rows;
}

} // namespace

std::span<const LateRow> lateComputations()
{
    static const std::vector<LateRow> rows = allRows();
    return rows;
}

} // namespace nestwright::graph::onnx
