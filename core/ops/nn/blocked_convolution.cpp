// SPDX-License-Identifier: Apache-2.0
/// Convolution with channels in blocks (the layout of Georganas et al., "Anatomy of high-performance deep
/// learning convolutions on SIMD architectures", 2018): a vector holds one block of filters.
#include "core/ir/build/builder.h"
#include "core/ops/nn/window.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

#include <algorithm>

namespace nestwright::ops {

namespace {

using ir::Expr;

/// The weights are F/f × C/c × K… × c × f, C those of one group; with one channel in each group (depthwise)
/// F/f × 1 × K… × 1 × f; with several groups of g channels and as many filters in a block F/f × 1 × K… × g ×
/// f.
std::vector<std::int64_t> blockedKernelSize(const CallSite &site)
{
    const Shape &weight = site.input(1).shape;
    if (weight.size() < 5)
        typeError("the kernel must have five dimensions or more");
    requireRank(site.input(0), site.input(1).rank() - 1, "the input");
    return constantSizes(Shape(weight.begin() + 2, weight.end() - 2), "the size of the kernel");
}

/// Whether a block holds several groups, and not a group several blocks.
bool hasGroupsWithinBlocks(const CallSite &site)
{
    const Shape &x = site.input(0).shape, &w = site.input(1).shape;
    const std::int64_t *channels = ir::asInt(w[w.size() - 2]), *block = ir::asInt(x.back());
    return site.integer("groups") > 1 && channels && block && *channels < *block;
}

/// Whether each group has as many channels as filters, both in the same block.
bool fitWithinBlocks(const CallSite &site)
{
    const Shape &x = site.input(0).shape, &w = site.input(1).shape;
    const std::int64_t *blocks = ir::asInt(x[1]), channels = *ir::asInt(w[w.size() - 2]);
    return sameSize(x[1], w[0]) && sameSize(x.back(), w.back()) && sameSize(w[1], Expr(1)) && blocks
           && *ir::asInt(x.back()) % channels == 0
           && *blocks * *ir::asInt(x.back()) == channels * site.integer("groups");
}

Shape blockedShape(const CallSite &site)
{
    requireSameType(site);
    const Window window = Window::of(site, blockedKernelSize(site), true);
    const Shape &x = site.input(0).shape, &w = site.input(1).shape;
    if (site.flag("depthwise")) {
        if (!sameSize(x[1], w[0]) || !sameSize(x.back(), w.back()))
            typeError("the input and the kernel differ in their channels");
    } else if (hasGroupsWithinBlocks(site)) {
        if (!fitWithinBlocks(site))
            typeError("the groups within a block are not as many channels as filters each");
    } else if (!sameSize(x[1], w[1] * Expr(site.integer("groups"))) || !sameSize(x.back(), w[w.size() - 2])) {
        typeError("the input and the kernel differ in their channels");
    }
    Shape shape{x[0], w[0]};
    for (std::size_t i = 0; i < window.rank(); ++i)
        shape.push_back(window.count(i, x[i + 2]));
    shape.push_back(w.back());
    return shape;
}

Tensors computeBlockedConvolution(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    Window window = Window::of(site, blockedKernelSize(site), true);
    const Shape shape = blockedShape(site);
    const te::Tensor image = window.isPadded() ? padded(builder, inputs[0], window) : inputs[0];
    std::ranges::fill(window.before, 0); // `image` holds it
    const bool depthwise = site.flag("depthwise"), within = !depthwise && hasGroupsWithinBlocks(site);
    const std::int64_t groups = site.integer("groups");
    const Shape &w = inputs[1].shape();
    const Expr ofGroup = w[w.size() - 2]; // channels
    const ir::DataType wide = sumType(site.input().dtype, product(w, 1, w.size() - 1), manyProducts);
    const te::Tensor sum = builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<te::IterVar> axes;
            std::vector<Expr> at{i[0], i[1]}, weight{i[1], Expr(0)};
            if (!depthwise && !within) {
                axes.push_back(te::reduceAxis(w[1], "rc"));
                // The blocks of a group of filters read those of its group of channels.
                at[1] = groups == 1
                            ? Expr(axes[0].var)
                            : ir::floorDiv(i[1], ir::floorDiv(w[0], Expr(groups))) * w[1] + axes[0].var;
                weight[1] = axes[0].var;
            }
            for (std::size_t k = 0; k < window.rank(); ++k) {
                axes.push_back(te::reduceAxis(dimension(window.size[k]), "rk" + std::to_string(k)));
                at.push_back(window.place(k, i[k + 2], axes.back().var));
                weight.push_back(axes.back().var);
            }
            if (depthwise) {
                at.push_back(i.back());
                weight.emplace_back(0);
            } else {
                axes.push_back(te::reduceAxis(ofGroup, "rb"));
                at.push_back(within ? ir::floorDiv(i.back(), ofGroup) * ofGroup + axes.back().var
                                    : Expr(axes.back().var));
                weight.push_back(axes.back().var);
            }
            weight.push_back(i.back());
            const Expr product = ir::cast(wide, image.at(at)) * ir::cast(wide, inputs[1].at(weight));
            return te::Body(te::sum(product, axes));
        },
        "conv");
    return {inType(builder, sum, site.input().dtype)};
}

} // namespace

void addBlockedConvolution(TensorOps &table)
{
    std::vector<AttributeField> attributes = windowAttributes;
    attributes.push_back({"depthwise", false, "every channel by itself"});
    attributes.push_back(
        {"groups", std::int64_t{1}, "of channels, each in whole blocks, or several in a block"});
    table.push_back({.name = "nn.blocked_conv",
                     .summary = "convolution of N×(C/c)×…×c with filters (F/f)×(C/c)×…×c×f",
                     .fusion = FusionKind::OutFusable,
                     .minInputs = 2,
                     .maxInputs = 2,
                     .attributes = attributes,
                     .infer =
                         [](const CallSite &site) {
                             return std::vector{TensorType{blockedShape(site), site.input().dtype}};
                         },
                     .compute = &computeBlockedConvolution});
}

} // namespace nestwright::ops
