// SPDX-License-Identifier: Apache-2.0
/// Tensors whose elements depend on where they lie.
#include "core/ir/build/builder.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

namespace nestwright::ops {

namespace {

using ir::Expr;

std::vector<TensorType> inferOneHot(const CallSite &site)
{
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank() + 1);
    requireRank(site.input(1), 1, "the values");
    if (const std::int64_t *values = ir::asInt(site.input(1).shape[0]); values && *values != 2)
        typeError("there must be two values, one for all elements but those at the indices, and theirs");
    Shape shape = site.input().shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), dimension(site.integer("depth")));
    return {{shape, site.input(1).dtype}};
}

Tensors computeOneHot(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank() + 1);
    const Shape shape = inferOneHot(site)[0].shape;
    return {builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<Expr> at = i;
            at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis));
            const Expr given = index(inputs[0].at(at));
            const Expr place = ir::select(ir::lt(given, Expr(0)), given + shape[axis], given);
            return te::Body(ir::select(ir::eq(place, i[axis]), inputs[1](Expr(1)), inputs[1](Expr(0))));
        },
        "one_hot")};
}

Tensors computeTrilu(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0];
    return {builder.compute(
        x.shape(), axisNames(x.shape().size()),
        [&](const std::vector<Expr> &i) {
            const Expr &row = i[i.size() - 2], &column = i[i.size() - 1];
            const Expr diagonal = row + Expr(site.integer("k"));
            const Expr kept = site.flag("upper") ? ir::ge(column, diagonal) : ir::le(column, diagonal);
            return te::Body(ir::select(kept, x.at(i), ir::constant(0, x.dtype())));
        },
        "trilu")};
}

} // namespace

void addFill(TensorOps &table)
{
    table.push_back(
        {.name = "one_hot",
         .summary = "for each index a vector that has the second value there and the first elsewhere",
         .fusion = FusionKind::Injective,
         .minInputs = 2,
         .maxInputs = 2,
         .attributes = {{"depth", std::int64_t{1}, "length of the vectors"},
                        {"axis", std::int64_t{-1}, "axis of the result along which they lie"}},
         .infer = &inferOneHot,
         .compute = &computeOneHot});
    table.push_back({.name = "trilu",
                     .summary = "zeros on one side of a diagonal of each matrix",
                     .fusion = FusionKind::Elementwise,
                     .layoutSensitive = true,
                     .attributes = {{"k", std::int64_t{0}, "which diagonal, counted upwards"},
                                    {"upper", true, "the part above stays"}},
                     .infer =
                         [](const CallSite &site) {
                             if (site.input().rank() < 2)
                                 typeError("it needs matrices");
                             return std::vector{site.input()};
                         },
                     .compute = &computeTrilu});
}

} // namespace nestwright::ops
