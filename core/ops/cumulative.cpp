// SPDX-License-Identifier: Apache-2.0
#include "core/ir/builder.h"
#include "core/ops/shapes.h"
#include "core/ops/tensor_op_tables.h"

namespace nestwright::ops {

namespace {

using ir::Expr;

/// Each sum by itself, so that all can be found at once.
Tensors computeCumsum(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0];
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    return {builder.compute(
        x.shape(), axisNames(x.shape().size()),
        [&](const std::vector<Expr> &i) {
            const te::IterVar k = te::reduceAxis(x.shape()[axis], "k");
            std::vector<Expr> at = i;
            at[axis] = k.var;
            const Expr counted =
                site.flag("reverse")
                    ? (site.flag("exclusive") ? ir::gt(k.var, i[axis]) : ir::ge(k.var, i[axis]))
                    : (site.flag("exclusive") ? ir::lt(k.var, i[axis]) : ir::le(k.var, i[axis]));
            return te::Body(te::sum(ir::select(counted, x.at(at), ir::constant(0, x.dtype())), {k}));
        },
        "cumsum")};
}

} // namespace

void addCumulative(TensorOps &table)
{
    table.push_back({.name = "cumsum",
                     .summary = "sums of all elements up to each one along an axis",
                     .fusion = FusionKind::Reduction,
                     .attributes = {{"axis", std::int64_t{0}, "axis to sum along"},
                                    {"exclusive", false, "the element itself does not count"},
                                    {"reverse", false, "from the end"}},
                     .infer =
                         [](const CallSite &site) {
                             axisOf(site.integer("axis"), site.input().rank());
                             return std::vector{site.input()};
                         },
                     .compute = &computeCumsum});
}

} // namespace nestwright::ops
