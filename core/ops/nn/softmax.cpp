// SPDX-License-Identifier: Apache-2.0
/// Softmax and its relatives along an axis. The largest element is subtracted first, so that no exponential
/// overflows.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

namespace nestwright::ops {

namespace {

using ir::Expr;

/// Stages that both forms need; in 32 bits where elements have 16.
struct Parts {
    ReducedShape shape;
    te::Tensor x, largest, exponential, total;
};

Parts partsOf(te::Builder &builder, const CallSite &site, const te::Tensor &input)
{
    Parts parts;
    parts.shape = {input.shape(), {axisOf(site.integer("axis"), site.input().rank())}, true};
    parts.x =
        input.dtype().bits == 16
            ? mapTensor(
                  builder, input,
                  [](const Expr &e, const auto &) { return ir::cast(ir::DataType::float32(), e); }, "wide")
            : input;
    const auto unchanged = [](const Expr &e, const auto &) { return e; };
    parts.largest = reduceTensor(builder, parts.x, parts.shape, &te::max, unchanged, "largest");
    parts.exponential = mapTensor(
        builder, parts.x,
        [&](const Expr &e, const std::vector<Expr> &i) {
            return ir::callIntrinsic(ir::intrinsics::exp,
                                     {e - parts.largest.at(parts.shape.resultIndices(i))});
        },
        "exponential");
    const ir::DataType sums = sumType(parts.x.dtype(), parts.shape.terms());
    parts.total = reduceTensor(
        builder, parts.exponential, parts.shape, &te::sum,
        [&](const Expr &e, const auto &) { return ir::cast(sums, e); }, "total");
    return parts;
}

Tensors computeSoftmax(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const Parts parts = partsOf(builder, site, inputs[0]);
    return {mapTensor(
        builder, parts.exponential,
        [&](const Expr &e, const std::vector<Expr> &i) {
            // One division a row.
            const Expr total = ir::cast(e.dtype(), parts.total.at(parts.shape.resultIndices(i)));
            return ir::cast(inputs[0].dtype(), e * ir::truncDiv(ir::constant(1.0, e.dtype()), total));
        },
        "softmax")};
}

Tensors computeLogSoftmax(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const Parts parts = partsOf(builder, site, inputs[0]);
    return {mapTensor(
        builder, parts.x,
        [&](const Expr &e, const std::vector<Expr> &i) {
            const std::vector<Expr> at = parts.shape.resultIndices(i);
            const Expr total = ir::cast(e.dtype(), parts.total.at(at));
            return ir::cast(inputs[0].dtype(),
                            e - parts.largest.at(at) - ir::callIntrinsic(ir::intrinsics::log, {total}));
        },
        "log_softmax")};
}

TensorOp softmaxOp(std::string_view name, std::string_view summary,
                   Tensors (*compute)(te::Builder &, const CallSite &, const Tensors &))
{
    return {.name = name,
            .summary = summary,
            .fusion = FusionKind::OutFusable,
            .attributes = {{"axis", std::int64_t{-1}, "axis along which elements are normalised"}},
            .infer =
                [](const CallSite &site) {
                    requireFloat(site);
                    axisOf(site.integer("axis"), site.input().rank());
                    return std::vector{site.input()};
                },
            .compute = compute};
}

} // namespace

void addSoftmax(TensorOps &table)
{
    table.push_back(softmaxOp("nn.softmax", "exponentials divided by their sum", &computeSoftmax));
    table.push_back(softmaxOp("nn.log_softmax", "logarithm of softmax", &computeLogSoftmax));
}

} // namespace nestwright::ops
