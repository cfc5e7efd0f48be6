// SPDX-License-Identifier: Apache-2.0
/// Channels in blocks: N×C×H×W as N×(C/b)×H×W×b and back, for any number of spatial dimensions.
#include "core/ir/build/builder.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

std::vector<TensorType> inferBlocks(const CallSite &site)
{
    const std::int64_t block = site.integer("block");
    if (site.input().rank() < 2)
        typeError("it needs a dimension of channels");
    const std::int64_t channels = constantSize(site.input().shape[1], "the number of channels");
    if (block < 1 || channels % block != 0)
        typeError(std::format("{} channels cannot be parted into blocks of {}", channels, block));
    Shape shape = site.input().shape;
    shape[1] = dimension(channels / block);
    shape.push_back(dimension(block));
    return {{shape, site.input().dtype}};
}

Tensors computeBlocks(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const Shape shape = inferBlocks(site)[0].shape;
    return {builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<Expr> at(i.begin(), i.end() - 1);
            at[1] = i[1] * shape.back() + i.back();
            return te::Body(inputs[0].at(at));
        },
        "blocks")};
}

std::vector<TensorType> inferPlain(const CallSite &site)
{
    if (site.input().rank() < 3)
        typeError("it needs a dimension of channels, and one of blocks");
    Shape shape = site.input().shape;
    shape[1] = dimension(shape[1] * shape.back());
    shape.pop_back();
    return {{shape, site.input().dtype}};
}

Tensors computePlain(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const Shape shape = inferPlain(site)[0].shape;
    const Expr block = inputs[0].shape().back();
    return {builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<Expr> at = i;
            at[1] = ir::floorDiv(i[1], block);
            at.push_back(ir::floorMod(i[1], block));
            return te::Body(inputs[0].at(at));
        },
        "plain")};
}

} // namespace

void addLayout(TensorOps &table)
{
    table.push_back({.name = "layout.to_blocks",
                     .summary = "channels in blocks: N×C×… as N×(C/block)×…×block",
                     .fusion = FusionKind::Injective,
                     .attributes = {{"block", std::int64_t{16}, "channels that lie next to each other"}},
                     .infer = &inferBlocks,
                     .compute = &computeBlocks});
    table.push_back({.name = "layout.from_blocks",
                     .summary = "channels as one dimension again: N×(C/block)×…×block as N×C×…",
                     .fusion = FusionKind::Injective,
                     .infer = &inferPlain,
                     .compute = &computePlain});
}

} // namespace nestwright::ops
