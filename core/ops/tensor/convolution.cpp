// SPDX-License-Identifier: Apache-2.0
/// Convolutions over any number of spatial dimensions, channels first.
#include "core/ir/builder.h"
#include "core/ops/tensor/families.h"
#include "core/ops/tensor/reduce_shape.h"
#include "core/ops/tensor/window.h"

#include <algorithm>
#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

std::vector<std::int64_t> kernelSize(const CallSite &site)
{
    const Shape &weight = site.input(1).shape;
    if (weight.size() < 3)
        typeError("the kernel must have three dimensions or more");
    requireRank(site.input(0), site.input(1).rank(), "the input");
    return constantSizes(Shape(weight.begin() + 2, weight.end()), "the size of the kernel");
}

/// Checked: the groups divide both kinds of channels.
std::int64_t groupsOf(const CallSite &site, const Expr &channelsOfAllGroups, const Expr &filters)
{
    const std::int64_t groups = site.integer("groups");
    const std::int64_t channels = constantSize(channelsOfAllGroups, "the number of channels");
    const std::int64_t outputs = constantSize(filters, "the number of filters");
    if (groups < 1 || channels % groups != 0 || outputs % groups != 0)
        typeError(std::format("{} channels and {} filters cannot be parted into {} groups", channels, outputs,
                              groups));
    return groups;
}

Shape convolvedShape(const CallSite &site)
{
    const Window window = Window::of(site, kernelSize(site));
    const Shape &x = site.input(0).shape, &w = site.input(1).shape;
    const std::int64_t groups = groupsOf(site, x[1], w[0]);
    if (!sameSize(x[1], w[1] * Expr(groups))) {
        typeError(std::format("the input has {} channels, the kernel {} in each of {} groups",
                              *ir::asInt(x[1]), *ir::asInt(w[1]), groups));
    }
    Shape shape{x[0], w[0]};
    for (std::size_t i = 0; i < window.rank(); ++i)
        shape.push_back(window.count(i, x[i + 2]));
    return shape;
}

std::vector<te::IterVar> kernelAxes(const CallSite &site)
{
    std::vector<te::IterVar> axes;
    const std::vector<std::int64_t> size = kernelSize(site);
    for (std::size_t i = 0; i < size.size(); ++i)
        axes.push_back(te::reduceAxis(dimension(size[i]), std::format("rk{}", i)));
    return axes;
}

te::Tensor inResultType(te::Builder &builder, const CallSite &site, const te::Tensor &sum)
{
    const ir::DataType result = resultType(site);
    if (sum.dtype() == result)
        return sum;
    return mapTensor(
        builder, sum, [&](const Expr &e, const auto &) { return ir::cast(result, e); }, "conv_cast");
}

Tensors computeConvolution(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    Window window = Window::of(site, kernelSize(site));
    const Shape shape = convolvedShape(site);
    const te::Tensor image = window.isPadded() ? padded(builder, inputs[0], window) : inputs[0];
    std::ranges::fill(window.before, 0); // `image` holds it
    const ir::DataType wide = sumType(resultType(site));
    const Expr perGroup = inputs[1].shape()[1];
    const Expr filtersPerGroup = dimension(ir::floorDiv(inputs[1].shape()[0], Expr(site.integer("groups"))));
    const te::Tensor sum = builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<te::IterVar> axes = kernelAxes(site);
            axes.insert(axes.begin(), te::reduceAxis(perGroup, "rc"));
            const Expr channel = axes[0].var;
            const bool grouped = site.integer("groups") != 1;
            std::vector<Expr> at{i[0], grouped ? ir::floorDiv(i[1], filtersPerGroup) * perGroup + channel
                                               : channel};
            std::vector<Expr> weight{i[1], channel};
            for (std::size_t k = 0; k < window.rank(); ++k) {
                at.push_back(window.place(k, i[k + 2], axes[k + 1].var));
                weight.push_back(axes[k + 1].var);
            }
            return te::Body(
                te::sum(ir::cast(wide, image.at(at)) * ir::cast(wide, inputs[1].at(weight)), axes));
        },
        "conv");
    return {inResultType(builder, site, sum)};
}

// The transposed one: each element of the input is spread over a window of the result.

Shape spreadShape(const CallSite &site)
{
    const Window window = Window::of(site, kernelSize(site));
    const Shape &x = site.input(0).shape, &w = site.input(1).shape;
    const std::int64_t groups = groupsOf(site, x[1], dimension(w[1] * Expr(site.integer("groups"))));
    if (!sameSize(x[1], w[0]))
        typeError("the input and the kernel differ in the number of channels");
    std::vector<std::int64_t> more = site.integers("output_padding");
    more.resize(window.rank(), 0);
    Shape shape{x[0], dimension(w[1] * Expr(groups))};
    for (std::size_t i = 0; i < window.rank(); ++i) {
        shape.push_back(dimension((x[i + 2] - Expr(1)) * Expr(window.strides[i])
                                  + Expr(window.span(i) + more[i] - window.before[i] - window.after[i])));
    }
    return shape;
}

Tensors computeTransposed(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const Window window = Window::of(site, kernelSize(site));
    const Shape shape = spreadShape(site);
    const te::Tensor &x = inputs[0];
    const ir::DataType wide = sumType(resultType(site));
    const Expr filtersPerGroup = inputs[1].shape()[1];
    const Expr channelsPerGroup = dimension(ir::floorDiv(x.shape()[1], Expr(site.integer("groups"))));
    const te::Tensor sum = builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<te::IterVar> axes = kernelAxes(site);
            axes.insert(axes.begin(), te::reduceAxis(channelsPerGroup, "rc"));
            const Expr channel = ir::floorDiv(i[1], filtersPerGroup) * channelsPerGroup + axes[0].var;
            std::vector<Expr> at{i[0], channel}, weight{channel, ir::floorMod(i[1], filtersPerGroup)},
                reached;
            for (std::size_t k = 0; k < window.rank(); ++k) {
                const Expr spread =
                    i[k + 2] + Expr(window.before[k]) - Expr(window.dilation[k]) * axes[k + 1].var;
                const Expr stride = Expr(window.strides[k]);
                reached.push_back(ir::ge(spread, Expr(0)));
                reached.push_back(ir::lt(spread, x.shape()[k + 2] * stride));
                if (window.strides[k] != 1)
                    reached.push_back(ir::eq(ir::floorMod(spread, stride), Expr(0)));
                at.push_back(ir::floorDiv(spread, stride));
                weight.push_back(axes[k + 1].var);
            }
            const Expr term = ir::cast(wide, x.at(at)) * ir::cast(wide, inputs[1].at(weight));
            return te::Body(te::sum(te::ifThenElse(te::all(reached), term, ir::constant(0, wide)), axes));
        },
        "conv_transpose");
    return {inResultType(builder, site, sum)};
}

std::vector<AttributeField> convolutionAttributes()
{
    std::vector<AttributeField> fields = windowAttributes;
    fields.push_back({"groups", std::int64_t{1}, "parts of the channels that are convolved apart"});
    fields.push_back({"out_dtype", ir::DataType::void_(), "type of the result; void: that of the inputs"});
    return fields;
}

} // namespace

void addConvolution(TensorOps &table)
{
    table.push_back({.name = "nn.conv",
                     .summary = "convolution of N×C×… with filters F×C/groups×…",
                     .fusion = FusionKind::OutFusable,
                     .minInputs = 2,
                     .maxInputs = 2,
                     .attributes = convolutionAttributes(),
                     .infer =
                         [](const CallSite &site) {
                             requireSameType(site);
                             return std::vector{TensorType{convolvedShape(site), resultType(site)}};
                         },
                     .compute = &computeConvolution});
    std::vector<AttributeField> transposed = convolutionAttributes();
    transposed.push_back(
        {"output_padding", std::vector<std::int64_t>{}, "added to the result behind each dimension"});
    table.push_back({.name = "nn.conv_transpose",
                     .summary = "transposed convolution of N×C×… with a kernel C×F/groups×…",
                     .fusion = FusionKind::OutFusable,
                     .minInputs = 2,
                     .maxInputs = 2,
                     .attributes = transposed,
                     .infer =
                         [](const CallSite &site) {
                             requireSameType(site);
                             return std::vector{TensorType{spreadShape(site), resultType(site)}};
                         },
                     .compute = &computeTransposed});
}

} // namespace nestwright::ops
