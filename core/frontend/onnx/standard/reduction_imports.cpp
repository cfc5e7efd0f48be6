// SPDX-License-Identifier: Apache-2.0
/// Reductions of ONNX.
#include "core/frontend/onnx/file/made_array.h"
#include "core/frontend/onnx/reduction_identity.h"
#include "core/support/text/fixed_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

using support::FixedText;

Values reduce(NodeImport &node, std::string_view op)
{
    const auto given = node.listOf("axes", 1);
    Ints axes = given.value_or(Ints());
    const bool keepsAllWithoutAxes = node.integer("noop_with_empty_axes", 0) != 0;
    if (axes.empty() && !keepsAllWithoutAxes) {
        axes.resize(static_cast<std::size_t>(node.rank()));
        std::iota(axes.begin(), axes.end(), 0);
    }
    const bool keeps = node.integer("keepdims", 1) != 0;
    const auto shape = node.type().constantShape();
    if (shape && std::ranges::count(*shape, 0) > 0) {
        Ints result;
        std::vector<bool> reduced(shape->size());
        for (const std::int64_t axis : axes)
            reduced[static_cast<std::size_t>(node.axis(axis, node.rank()))] = true;
        for (std::size_t i = 0; i < shape->size(); ++i) {
            if (!reduced[i] || keeps)
                result.push_back(reduced[i] ? 1 : (*shape)[i]);
        }
        const ir::DataType type = node.type().dtype;
        return {node.constant(madeArray(node, type, result, reductionIdentity(op, type)))};
    }
    return {node.call(op, {node.input()}, {{"axes", axes}, {"keepdims", keeps}})};
}

template <FixedText op> Values reduction(NodeImport &node) { return reduce(node, op.text); }

template <FixedText op> Values position(NodeImport &node)
{
    return {node.call(op.text, {node.input()},
                      {{"axis", node.axis(node.integer("axis", 0), node.rank())},
                       {"keepdims", node.integer("keepdims", 1) != 0},
                       {"select_last_index", node.integer("select_last_index", 0) != 0}})};
}

/// 1 at the first largest element along the axis, 0 elsewhere.
Values hardmax(NodeImport &node)
{
    const std::int64_t rank = node.rank();
    const std::int64_t axis = node.axis(node.integer("axis", node.opset() >= 13 ? -1 : 1), rank);
    Value x = node.input();
    const Ints shape = node.shape();
    const bool flattens = node.opset() < 13 && axis != rank - 1;
    if (flattens) {
        const std::int64_t rows =
            std::accumulate(shape.begin(), shape.begin() + axis, std::int64_t{1}, std::multiplies<>());
        x = node.reshape(x, {rows, -1});
    }
    const std::int64_t along = flattens ? 1 : axis;
    const std::int64_t depth = node.shapeOf(x)[static_cast<std::size_t>(along)];
    const Value place = node.call("argmax", {x}, {{"axis", along}, {"keepdims", false}});
    ir::NdArray values(node.type().dtype, {2});
    values.set(1, 1);
    const Value hot =
        node.call("one_hot", {place, node.constant(std::move(values))}, {{"depth", depth}, {"axis", along}});
    return {flattens ? node.reshape(hot, shape) : hot};
}

constexpr ImportRow reductionRows[] = {
    {"ArgMax", &position<"argmax">},
    {"ArgMin", &position<"argmin">},
    {"Hardmax", &hardmax},
    {"ReduceL1", &reduction<"sum_abs">},
    {"ReduceL2", &reduction<"norm">},
    {"ReduceLogSum", &reduction<"log_sum">},
    {"ReduceLogSumExp", &reduction<"log_sum_exp">},
    {"ReduceMax", &reduction<"max">},
    {"ReduceMean", &reduction<"mean">},
    {"ReduceMin", &reduction<"min">},
    {"ReduceProd", &reduction<"prod">},
    {"ReduceSum", &reduction<"sum">},
    {"ReduceSumSquare", &reduction<"sum_square">},
};

} // namespace

double reductionIdentity(std::string_view op, ir::DataType type)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (op == "prod")
        return 1;
    if (op == "log_sum" || op == "log_sum_exp")
        return -infinity;
    if (op == "max" || op == "min") {
        if (type.isFloating())
            return op == "max" ? -infinity : infinity;
        if (type.isBool())
            return op == "max" ? 0 : 1;
        const double most = std::ldexp(1.0, type.isInt() ? type.bits - 1 : type.bits);
        return op == "min" ? most - 1 : type.isInt() ? -most : 0;
    }
    return op == "mean" ? std::numeric_limits<double>::quiet_NaN() : 0;
}

std::span<const ImportRow> reductionImports() { return reductionRows; }

} // namespace nestwright::graph::onnx
