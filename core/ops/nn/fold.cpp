// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ops/nn/window.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

Window foldWindow(const CallSite &site)
{
    Window window = Window::of(site, site.integers("kernel"));
    if (site.integers("image").size() != window.rank())
        typeError("image and kernel differ in their dimensions");
    return window;
}

/// Number of windows along each dimension.
Shape countsOf(const CallSite &site, const Window &window)
{
    Shape counts;
    for (std::size_t i = 0; i < window.rank(); ++i)
        counts.push_back(window.count(i, dimension(site.integers("image")[i])));
    return counts;
}

std::vector<TensorType> inferFold(const CallSite &site)
{
    const TensorType &x = site.input();
    requireRank(x, 3, "the columns");
    const Window window = foldWindow(site);
    const Expr elements = product(shapeOf(window.size)), windows = product(countsOf(site, window));
    const std::int64_t rows = constantSize(x.shape[1], "the number of rows");
    if (rows % *ir::asInt(elements) != 0 || !sameSize(x.shape[2], windows))
        typeError(std::format("{} does not hold {} windows of {} elements", x.str(), *ir::asInt(windows),
                              *ir::asInt(elements)));
    Shape shape{x.shape[0], dimension(rows / *ir::asInt(elements))};
    for (const std::int64_t size : site.integers("image"))
        shape.push_back(dimension(size));
    return {{shape, x.dtype}};
}

Tensors computeFold(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const Window window = foldWindow(site);
    const Shape shape = inferFold(site)[0].shape, counts = countsOf(site, window);
    const Expr elements = product(shapeOf(window.size));
    const ir::DataType type = inputs[0].dtype(), wide = sumType(type);
    const te::Tensor folded = builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<te::IterVar> axes;
            std::vector<Expr> k, at, reached;
            for (std::size_t d = 0; d < window.rank(); ++d) {
                axes.push_back(te::reduceAxis(dimension(window.size[d]), std::format("rk{}", d)));
                k.push_back(axes.back().var);
                const Expr spread = i[d + 2] + Expr(window.before[d]) - Expr(window.dilation[d]) * k.back();
                const Expr stride = Expr(window.strides[d]);
                reached.push_back(ir::ge(spread, Expr(0)));
                reached.push_back(ir::lt(spread, counts[d] * stride));
                if (window.strides[d] != 1)
                    reached.push_back(ir::eq(ir::floorMod(spread, stride), Expr(0)));
                at.push_back(ir::floorDiv(spread, stride));
            }
            const Expr row = i[1] * elements + flatten(k, shapeOf(window.size));
            const Expr element = ir::cast(wide, inputs[0](i[0], row, flatten(at, counts)));
            return te::Body(te::sum(te::ifThenElse(te::all(reached), element, ir::constant(0, wide)), axes));
        },
        "fold");
    return {inType(builder, folded, type)};
}

} // namespace

void addFold(TensorOps &table)
{
    std::vector<AttributeField> fields = windowAttributes;
    fields.push_back({"kernel", std::vector<std::int64_t>{}, "size of the windows"});
    fields.push_back({"image", std::vector<std::int64_t>{}, "size of the image"});
    table.push_back(
        {.name = "image.fold",
         .summary = "an image N×C×… from columns N×(C·elements)×windows; where windows overlap, their sum",
         .fusion = FusionKind::Reduction,
         .attributes = fields,
         .infer = &inferFold,
         .compute = &computeFold});
}

} // namespace nestwright::ops
