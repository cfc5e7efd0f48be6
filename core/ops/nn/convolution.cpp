// SPDX-License-Identifier: Apache-2.0
/// Convolutions over any number of spatial dimensions, channels first.
#include "core/ir/build/builder.h"
#include "core/ops/nn/window.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

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
    const Window window = Window::of(site, kernelSize(site), true);
    const Shape &x = site.input(0).shape, &w = site.input(1).shape;
    const std::int64_t groups = groupsOf(site, x[1], w[0]);
    const std::int64_t channels = constantSize(w[1], "the number of channels of the kernel");
    if (!sameSize(x[1], w[1] * Expr(groups))) {
        typeError(std::format("the input has {} channels, the kernel {} in each of {} groups",
                              *ir::asInt(x[1]), channels, groups));
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
    Window window = Window::of(site, kernelSize(site), true);
    const Shape shape = convolvedShape(site);
    const te::Tensor image = window.isPadded() ? padded(builder, inputs[0], window) : inputs[0];
    std::ranges::fill(window.before, 0); // `image` holds it
    const Shape &filters = inputs[1].shape();
    const ir::DataType wide = sumType(resultType(site), product(filters, 1, filters.size()), manyProducts);
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
        shape.push_back(added(multiplied(added(x[i + 2], Expr(-1)), Expr(window.strides[i])),
                              Expr(window.span(i) + more[i] - window.before[i] - window.after[i])));
    }
    return shape;
}

/// One spatial dimension of a transposed convolution. Its results are parted by their place modulo the
/// stride, the phase: those of one phase are a convolution of their own, whose kernel has every stride-th
/// element. A kernel that does not come out even, or is dilated besides, is filled up with zeros.
struct Phases {
    std::int64_t stride, before;
    std::int64_t taps;   ///< elements of the kernel that one phase has
    std::int64_t step;   ///< in the input from one of them to the next
    std::int64_t filled; ///< elements of the kernel with its zeros
    std::int64_t added;  ///< elements of the result beyond those of the input times the stride

    static Phases of(const CallSite &site, const Window &window, std::size_t i)
    {
        std::vector<std::int64_t> more = site.integers("output_padding");
        more.resize(window.rank(), 0);
        Phases phases{window.strides[i],
                      window.before[i],
                      window.size[i],
                      window.dilation[i],
                      window.size[i],
                      window.span(i) + more[i] - window.before[i] - window.after[i] - window.strides[i]};
        if (phases.stride > 1) {
            phases.taps = (window.span(i) + phases.stride - 1) / phases.stride;
            phases.step = 1;
            phases.filled = phases.taps * phases.stride;
        }
        return phases;
    }
    /// Elements missing before and behind the input.
    std::int64_t lackBefore() const
    {
        return std::max<std::int64_t>(0, step * (taps - 1) - ir::floorDiv(before, stride));
    }
    std::int64_t lackBehind() const
    {
        return std::max<std::int64_t>(0,
                                      ir::ceilDiv(added, stride) + ir::floorDiv(stride - 1 + before, stride));
    }
    /// The index into the padded input that `tap` of result `turn` of the phase takes.
    Expr place(const Expr &turn, const Expr &phase, const Expr &tap) const
    {
        return turn + ir::floorDiv(phase + Expr(before), Expr(stride)) - tap * Expr(step)
               + Expr(lackBefore());
    }
    Expr inKernel(const Expr &phase, const Expr &tap) const
    {
        return stride == 1 ? tap : tap * Expr(stride) + ir::floorMod(phase + Expr(before), Expr(stride));
    }
};

/// The kernel with the zeros that its phases have.
te::Tensor filledKernel(te::Builder &builder, const te::Tensor &kernel, const Window &window,
                        const std::vector<Phases> &phases)
{
    Shape shape = kernel.shape();
    bool same = true;
    for (std::size_t k = 0; k < phases.size(); ++k) {
        shape[k + 2] = dimension(phases[k].filled);
        same = same && phases[k].filled == window.size[k];
    }
    if (same)
        return kernel;
    return builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<Expr> at = i, inside;
            for (std::size_t k = 0; k < phases.size(); ++k) {
                if (phases[k].stride == 1)
                    continue;
                const Expr dilation = Expr(window.dilation[k]);
                at[k + 2] = ir::floorDiv(i[k + 2], dilation);
                inside.push_back(ir::lt(i[k + 2], Expr(window.span(k))));
                if (window.dilation[k] != 1)
                    inside.push_back(ir::eq(ir::floorMod(i[k + 2], dilation), Expr(0)));
            }
            return te::Body(te::ifThenElse(te::all(inside), kernel.at(at), ir::constant(0, kernel.dtype())));
        },
        "filled_kernel");
}

Tensors computeTransposed(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    Window window = Window::of(site, kernelSize(site));
    const Shape shape = spreadShape(site);
    std::vector<Phases> phases;
    for (std::size_t k = 0; k < window.rank(); ++k)
        phases.push_back(Phases::of(site, window, k));
    const te::Tensor kernel = filledKernel(builder, inputs[1], window, phases);
    const ir::DataType wide = sumType(resultType(site));
    const Expr filtersPerGroup = inputs[1].shape()[1];
    const Expr channelsPerGroup = dimension(ir::floorDiv(inputs[0].shape()[1], Expr(site.integer("groups"))));
    Shape parted{shape[0]}; // batch, phases, filters, turns of each phase
    for (const Phases &each : phases)
        parted.push_back(dimension(each.stride));
    parted.push_back(shape[1]);
    for (std::size_t k = 0; k < phases.size(); ++k) {
        const std::int64_t stride = phases[k].stride;
        parted.push_back(dimension(ir::floorDiv(shape[k + 2] + Expr(stride - 1), Expr(stride))));
        window.before[k] = phases[k].lackBefore();
        window.after[k] = phases[k].lackBehind();
    }
    const te::Tensor image = window.isPadded() ? padded(builder, inputs[0], window) : inputs[0];
    const te::Tensor sum = builder.compute(
        parted, axisNames(parted.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<te::IterVar> axes{te::reduceAxis(channelsPerGroup, "rc")};
            const Expr &filter = i[phases.size() + 1];
            const Expr channel = ir::floorDiv(filter, filtersPerGroup) * channelsPerGroup + axes[0].var;
            std::vector<Expr> at{i[0], channel}, weight{channel, ir::floorMod(filter, filtersPerGroup)};
            for (std::size_t k = 0; k < phases.size(); ++k) {
                axes.push_back(te::reduceAxis(dimension(phases[k].taps), std::format("rk{}", k)));
                at.push_back(phases[k].place(i[phases.size() + 2 + k], i[k + 1], axes.back().var));
                weight.push_back(phases[k].inKernel(i[k + 1], axes.back().var));
            }
            return te::Body(te::sum(ir::cast(wide, image.at(at)) * ir::cast(wide, kernel.at(weight)), axes));
        },
        "phases");
    const te::Tensor result = builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<Expr> at{i[0], i[1]};
            for (std::size_t k = 0; k < phases.size(); ++k) {
                const Expr stride = Expr(phases[k].stride);
                at.insert(at.begin() + 1 + static_cast<std::ptrdiff_t>(k), ir::floorMod(i[k + 2], stride));
                at.push_back(ir::floorDiv(i[k + 2], stride));
            }
            return te::Body(sum.at(at));
        },
        "conv_transpose");
    return {inResultType(builder, site, result)};
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
