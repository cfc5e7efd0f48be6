// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

namespace nestwright::ops {

namespace {

using ir::Expr;

/// Each result by itself, so that all can be found at once.
template <bool isProduct>
Tensors computeCumulative(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0];
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    const ir::DataType wide = sumType(x.dtype(), isProduct ? Expr(1) : x.shape()[axis]);
    const te::Tensor found = builder.compute(
        x.shape(), axisNames(x.shape().size()),
        [&](const std::vector<Expr> &i) {
            const te::IterVar k = te::reduceAxis(x.shape()[axis], "k");
            std::vector<Expr> at = i;
            at[axis] = k.var;
            const Expr counted =
                site.flag("reverse")
                    ? (site.flag("exclusive") ? ir::gt(k.var, i[axis]) : ir::ge(k.var, i[axis]))
                    : (site.flag("exclusive") ? ir::lt(k.var, i[axis]) : ir::le(k.var, i[axis]));
            const Expr term =
                ir::select(counted, ir::cast(wide, x.at(at)), ir::constant(isProduct ? 1 : 0, wide));
            return te::Body(isProduct ? te::prod(term, {k}) : te::sum(term, {k}));
        },
        isProduct ? "cumprod" : "cumsum");
    return {inType(builder, found, x.dtype())};
}

std::vector<TensorType> likeTheInput(const CallSite &site)
{
    axisOf(site.integer("axis"), site.input().rank());
    return {site.input()};
}

} // namespace

void addCumulative(TensorOps &table)
{
    const std::vector<AttributeField> attributes{{"axis", std::int64_t{0}, "axis to go along"},
                                                 {"exclusive", false, "the element itself does not count"},
                                                 {"reverse", false, "from the end"}};
    table.push_back({.name = "cumsum",
                     .summary = "sums of all elements up to each one along an axis",
                     .fusion = FusionKind::Reduction,
                     .attributes = attributes,
                     .infer = &likeTheInput,
                     .compute = &computeCumulative<false>});
    table.push_back({.name = "cumprod",
                     .summary = "products of all elements up to each one along an axis",
                     .fusion = FusionKind::Reduction,
                     .attributes = attributes,
                     .infer = &likeTheInput,
                     .compute = &computeCumulative<true>});
}

} // namespace nestwright::ops
