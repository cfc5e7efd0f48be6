// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ops/nn/interpolation.h"
#include "core/ops/nn/window.h"
#include "core/ops/table/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

Window columnWindow(const CallSite &site) { return Window::of(site, site.integers("kernel")); }

std::int64_t elementsOf(const Window &window)
{
    std::int64_t elements = 1;
    for (const std::int64_t size : window.size)
        elements *= size;
    return elements;
}

std::vector<TensorType> inferColumns(const CallSite &site)
{
    requireFloat(site);
    requireSameType(site);
    const Window window = columnWindow(site);
    const TensorType &x = site.input();
    requireRank(x, static_cast<std::int64_t>(window.rank()) + 2, "the input");
    const std::int64_t groups = site.integer("offset_groups"), elements = elementsOf(window);
    const std::int64_t channels = constantSize(x.shape[1], "the number of channels");
    if (groups < 1 || channels % groups != 0)
        typeError(std::format("{} channels cannot be parted into {} groups", channels, groups));
    Shape spatial;
    for (std::size_t i = 0; i < window.rank(); ++i)
        spatial.push_back(window.count(i, x.shape[i + 2]));
    const auto requireShape = [&](std::size_t input, std::int64_t second, std::string_view what) {
        Shape wanted{x.shape[0], dimension(second)};
        wanted.insert(wanted.end(), spatial.begin(), spatial.end());
        const TensorType type{wanted, x.dtype};
        if (!(site.input(input) == type))
            typeError(std::format("{} must be {}, but is {}", what, type.str(), site.input(input).str()));
    };
    requireShape(1, groups * elements * static_cast<std::int64_t>(window.rank()), "the offsets");
    if (site.inputs.size() > 2)
        requireShape(2, groups * elements, "the mask");
    Shape shape{x.shape[0], dimension(channels * elements)};
    shape.insert(shape.end(), spatial.begin(), spatial.end());
    return {{shape, x.dtype}};
}

Tensors computeColumns(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0];
    const Window window = columnWindow(site);
    const Shape shape = inferColumns(site)[0].shape;
    const Expr elements(elementsOf(window)), rank(static_cast<int>(window.rank()));
    const Expr perGroup = dimension(ir::floorDiv(x.shape()[1], Expr(site.integer("offset_groups"))));
    const ir::DataType wide = x.dtype().bits == 64 ? x.dtype() : ir::DataType::float32();
    return {builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            const Expr channel = ir::floorDiv(i[1], elements), inWindow = ir::floorMod(i[1], elements);
            const Expr first = ir::floorDiv(channel, perGroup) * elements + inWindow;
            const std::vector<Expr> k = unflatten(inWindow, shapeOf(window.size));
            std::vector<Expr> at = i, place;
            for (std::size_t d = 0; d < window.rank(); ++d) {
                at[1] = first * rank + Expr(static_cast<int>(d));
                const Expr fixed = window.place(d, i[d + 2], k[d]);
                place.push_back(
                    boundedPlace(ir::cast(wide, fixed) + ir::cast(wide, inputs[1].at(at)), x.shape()[d + 2]));
            }
            Expr value = Sampler{x, {i[0], channel}}.at(place);
            if (inputs.size() > 2) {
                at[1] = first;
                value = value * ir::cast(wide, inputs[2].at(at));
            }
            return te::Body(ir::cast(x.dtype(), value));
        },
        "deformable_columns")};
}

} // namespace

void addDeformableConvolution(TensorOps &table)
{
    std::vector<AttributeField> fields = windowAttributes;
    fields.push_back({"kernel", std::vector<std::int64_t>{}, "size of the windows"});
    fields.push_back({"offset_groups", std::int64_t{1}, "parts of the channels with offsets of their own"});
    table.push_back(
        {.name = "image.deformable_columns",
         .summary = "the elements of each window of N×C×…, moved by the offsets of the second input and "
                    "scaled by the mask of the third, as N×(C·elements)×…: a convolution with a window of "
                    "one element makes the deformable one of it",
         .fusion = FusionKind::OutFusable,
         .minInputs = 2,
         .maxInputs = 3,
         .attributes = fields,
         .infer = &inferColumns,
         .compute = &computeColumns});
}

} // namespace nestwright::ops
