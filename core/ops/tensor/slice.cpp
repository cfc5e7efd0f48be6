// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <algorithm>
#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

/// Slice of one dimension: begin, step and number of elements.
struct Slice {
    std::int64_t begin = 0, step = 1;
    Expr count;
};

/// One dimension by Python's rules: negative positions count from the end, parts outside are cut off.
Slice sliceOf(std::int64_t size, std::int64_t begin, std::int64_t end, std::int64_t step)
{
    constexpr std::int64_t far = std::int64_t{1} << 31; // beyond any dimension
    step = std::clamp(step, -far, far);
    const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
    const auto placed = [&](std::int64_t at) { return std::clamp(at < 0 ? at + size : at, lowest, highest); };
    const std::int64_t from = placed(begin), to = placed(end);
    const std::int64_t distance = step > 0 ? to - from : from - to, width = step > 0 ? step : -step;
    return {from, step, dimension(distance <= 0 ? 0 : (distance + width - 1) / width)};
}

std::vector<Slice> slicesOf(const CallSite &site)
{
    const auto &begins = site.integers("begin"), &ends = site.integers("end"), &axes = site.integers("axes"),
               &steps = site.integers("strides");
    if (begins.size() != ends.size() || begins.size() != axes.size() || steps.size() != axes.size())
        typeError("begin, end, axes and strides differ in length");
    std::vector<Slice> slices;
    for (const Expr &size : site.input().shape)
        slices.push_back({0, 1, size});
    axesOf(axes, site.input().rank());
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = axisOf(axes[i], site.input().rank());
        if (steps[i] == 0)
            typeError("a stride is 0");
        slices[axis] = sliceOf(constantSize(site.input().shape[axis], "a dimension that is sliced"),
                               begins[i], ends[i], steps[i]);
    }
    return slices;
}

Shape slicedShape(const std::vector<Slice> &slices)
{
    Shape shape;
    for (const Slice &slice : slices)
        shape.push_back(slice.count);
    return shape;
}

} // namespace

void addSlice(TensorOps &table)
{
    const std::vector<std::int64_t> none;
    table.push_back(
        {.name = "strided_slice",
         .summary = "a part: along each axis from begin to end in strides",
         .fusion = FusionKind::Injective,
         .attributes = {{"begin", none, "first positions; negative ones count from the end", true},
                        {"end", none, "positions that are no longer taken", true},
                        {"strides", none, "distances; negative ones go backwards", true},
                        {"axes", none, "the axes that these lists speak of"}},
         .infer =
             [](const CallSite &site) {
                 return std::vector{TensorType{slicedShape(slicesOf(site)), site.input().dtype}};
             },
         .compute =
             [](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                 const std::vector<Slice> slices = slicesOf(site);
                 return Tensors{builder.compute(
                     slicedShape(slices), axisNames(slices.size()),
                     [&](const std::vector<Expr> &i) {
                         std::vector<Expr> indices;
                         for (std::size_t k = 0; k < slices.size(); ++k)
                             indices.push_back(i[k] * Expr(slices[k].step) + Expr(slices[k].begin));
                         return te::Body(inputs[0].at(indices));
                     },
                     "strided_slice")};
             }});
}

} // namespace nestwright::ops
