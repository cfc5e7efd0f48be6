// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

Expr root(const Expr &x) { return ir::callIntrinsic(ir::intrinsics::sqrt, {x}); }

std::vector<TensorType> inferBatchNorm(const CallSite &site)
{
    requireFloat(site);
    if (site.input().rank() < 2)
        typeError("it needs a dimension of channels");
    for (const TensorType &input : site.inputs.subspan(1)) {
        requireRank(input, 1, "scale, bias, mean and variance");
        if (!sameSize(input.shape[0], site.input().shape[1]))
            typeError("scale, bias, mean and variance must have one element per channel");
    }
    return {site.input()};
}

Tensors computeBatchNorm(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const ir::DataType wide = sumType(inputs[0].dtype());
    return {mapTensor(
        builder, inputs[0],
        [&](const Expr &x, const std::vector<Expr> &i) {
            const auto of = [&](std::size_t k) { return ir::cast(wide, inputs[k](i[1])); };
            const Expr scale = ir::truncDiv(of(1), root(of(4) + ir::constant(site.real("epsilon"), wide)));
            return ir::cast(inputs[0].dtype(), (ir::cast(wide, x) - of(3)) * scale + of(2));
        },
        "batch_norm")};
}

Tensors computeNormalize(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0];
    const ReducedShape shape{x.shape(), axesOf(site.integers("axes"), site.input().rank()), true};
    const Expr count = shape.terms();
    const ir::DataType wide = sumType(x.dtype()), sums = sumType(x.dtype(), count);
    const auto divided = [&](const Expr &e, const auto &) {
        return ir::cast(wide, ir::truncDiv(e, ir::cast(sums, count)));
    };
    const te::Tensor total = reduceTensor(
        builder, x, shape, &te::sum, [&](const Expr &e, const auto &) { return ir::cast(sums, e); }, "total");
    const te::Tensor mean = mapTensor(builder, total, divided, "mean");
    const auto distance = [&](const Expr &e, const std::vector<Expr> &at) {
        return ir::cast(wide, e) - mean.at(at);
    };
    const te::Tensor squares = reduceTensor(
        builder, x, shape, &te::sum,
        [&](const Expr &e, const std::vector<Expr> &at) {
            const Expr d = ir::cast(sums, distance(e, at));
            return d * d;
        },
        "squares");
    // One root and one division a row.
    const te::Tensor scale = mapTensor(
        builder, squares,
        [&](const Expr &e, const std::vector<Expr> &at) {
            const Expr variance = divided(e, at) + ir::constant(site.real("epsilon"), wide);
            return ir::truncDiv(ir::constant(1.0, wide), root(variance));
        },
        "scale");
    return {mapTensor(
        builder, x,
        [&](const Expr &e, const std::vector<Expr> &i) {
            const std::vector<Expr> at = shape.resultIndices(i);
            return ir::cast(x.dtype(), distance(e, at) * scale.at(at));
        },
        "normalize")};
}

/// base to the power: by square roots where they give it, which take a fraction of the time.
Expr powerOf(const Expr &base, double exponent)
{
    if (exponent == 1)
        return base;
    if (exponent == 0.5)
        return root(base);
    if (exponent == 0.75)
        return root(base) * root(root(base));
    return ir::callIntrinsic(ir::intrinsics::pow, {base, ir::constant(exponent, base.dtype())});
}

/// Across channels: each element divided by a power of the squares of its neighbours.
Tensors computeLrn(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0];
    const ir::DataType wide = sumType(x.dtype());
    const std::int64_t size = site.integer("size"), before = (size - 1) / 2;
    const Expr channels = x.shape()[1];
    const te::Tensor squares = builder.compute(
        x.shape(), axisNames(x.shape().size()),
        [&](const std::vector<Expr> &i) {
            const te::IterVar k = te::reduceAxis(dimension(size), "k");
            std::vector<Expr> at = i;
            at[1] = i[1] + k.var - Expr(before);
            const Expr element = te::ifThenElse(te::all({ir::ge(at[1], Expr(0)), ir::lt(at[1], channels)}),
                                                ir::cast(wide, x.at(at)), ir::constant(0, wide));
            return te::Body(te::sum(element * element, {k}));
        },
        "squares");
    const auto constant = [&](double value) { return ir::constant(value, wide); };
    return {mapTensor(
        builder, x,
        [&](const Expr &e, const std::vector<Expr> &i) {
            const Expr base = constant(site.real("bias"))
                              + constant(site.real("alpha") / static_cast<double>(size)) * squares.at(i);
            return ir::cast(x.dtype(), ir::truncDiv(ir::cast(wide, e), powerOf(base, site.real("beta"))));
        },
        "lrn")};
}

std::vector<TensorType> sameAsInput(const CallSite &site)
{
    requireFloat(site);
    return {site.input()};
}

std::vector<TensorType> inferLrn(const CallSite &site)
{
    if (site.input().rank() < 2)
        typeError("the input must have two dimensions or more, the second that of the channels");
    if (site.integer("size") < 1)
        typeError(
            std::format("{} channels cannot be summed: the size must be 1 or more", site.integer("size")));
    return sameAsInput(site);
}

} // namespace

void addNormalization(TensorOps &table)
{
    table.push_back({.name = "nn.batch_norm",
                     .summary = "each channel shifted and scaled: input, scale, bias, mean, variance",
                     .fusion = FusionKind::Broadcast,
                     .layoutSensitive = true,
                     .minInputs = 5,
                     .maxInputs = 5,
                     .attributes = {{"epsilon", 1e-5, "added to the variance"}},
                     .infer = &inferBatchNorm,
                     .compute = &computeBatchNorm});
    table.push_back(
        {.name = "nn.normalize",
         .summary = "mean 0 and deviation 1 over axes",
         .fusion = FusionKind::OutFusable,
         .attributes = {{"axes", std::vector<std::int64_t>{}, "axes over which the mean is taken"},
                        {"epsilon", 1e-5, "added to the variance"}},
         .infer = &sameAsInput,
         .compute = &computeNormalize});
    table.push_back({.name = "nn.lrn",
                     .summary = "each element divided by a power of the squares around it, across channels",
                     .fusion = FusionKind::Opaque,
                     .attributes = {{"size", std::int64_t{5}, "channels that count"},
                                    {"alpha", 1e-4, "scale of the squares"},
                                    {"beta", 0.75, "the power"},
                                    {"bias", 1.0, "added to the squares"}},
                     .infer = &inferLrn,
                     .compute = &computeLrn});
}

} // namespace nestwright::ops
