// SPDX-License-Identifier: Apache-2.0
/// Weighted sums of elements along an axis, picked by tables, as resizing of images needs along each of its
/// axes.
#include "core/ir/build/builder.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

namespace nestwright::ops {

namespace {

using ir::Expr;

std::vector<TensorType> inferResample(const CallSite &site)
{
    requireFloat(site);
    requireRank(site.input(1), 2, "the places");
    requireRank(site.input(2), 2, "the weights");
    if (!site.input(1).dtype.isIntegral() || site.input(2).dtype != site.input().dtype)
        typeError("the places must be integers, and the weights of the type of the tensor");
    for (std::size_t i = 0; i < 2; ++i) {
        if (!sameSize(site.input(1).shape[i], site.input(2).shape[i]))
            typeError("the places and the weights differ in shape");
    }
    TensorType type = site.input();
    type.shape[axisOf(site.integer("axis"), type.rank())] = site.input(1).shape[0];
    return {type};
}

Tensors computeResample(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0], &places = inputs[1], &weights = inputs[2];
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    const Shape shape = inferResample(site)[0].shape;
    const ir::DataType wide = sumType(x.dtype());
    const te::Tensor sum = builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            const te::IterVar k = te::reduceAxis(places.shape()[1], "k");
            std::vector<Expr> at = i;
            const Expr last = x.shape()[axis] - Expr(1);
            at[axis] = ir::max(Expr(0), ir::min(index(places(i[axis], k.var)), last));
            return te::Body(te::sum(ir::cast(wide, x.at(at)) * ir::cast(wide, weights(i[axis], k.var)), {k}));
        },
        "resample");
    return {inType(builder, sum, x.dtype())};
}

} // namespace

void addResample(TensorOps &table)
{
    table.push_back(
        {.name = "image.resample",
         .summary =
             "sums along an axis of the elements at the second input's places times the third's weights, "
             "both of shape (elements of the result, elements in a sum)",
         .fusion = FusionKind::OutFusable,
         .minInputs = 3,
         .maxInputs = 3,
         .attributes = {{"axis", std::int64_t{0}, "axis along which the elements are picked"}},
         .infer = &inferResample,
         .compute = &computeResample});
}

} // namespace nestwright::ops
