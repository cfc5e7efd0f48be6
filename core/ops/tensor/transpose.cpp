// SPDX-License-Identifier: Apache-2.0
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

namespace nestwright::ops {

namespace {

/// The axes in their new order; none given: reversed.
std::vector<std::size_t> orderOf(const CallSite &site)
{
    const std::int64_t rank = site.input().rank();
    std::vector<std::size_t> order;
    for (const std::int64_t axis : site.integers("axes"))
        order.push_back(axisOf(axis, rank));
    if (order.empty()) {
        for (std::int64_t i = rank; i-- > 0;)
            order.push_back(static_cast<std::size_t>(i));
    }
    if (static_cast<std::int64_t>(order.size()) != rank)
        typeError("every axis must be named once");
    axesOf(site.integers("axes"), rank);
    return order;
}

} // namespace

void addTranspose(TensorOps &table)
{
    table.push_back({.name = "transpose",
                     .summary = "axes in another order",
                     .fusion = FusionKind::Injective,
                     .attributes = {{"axes", std::vector<std::int64_t>{},
                                     "axes of the input, in the new order; none: reversed"}},
                     .infer =
                         [](const CallSite &site) {
                             Shape shape;
                             for (const std::size_t axis : orderOf(site))
                                 shape.push_back(site.input().shape[axis]);
                             return std::vector{TensorType{shape, site.input().dtype}};
                         },
                     .compute =
                         [](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                             const std::vector<std::size_t> order = orderOf(site);
                             Shape shape;
                             for (const std::size_t axis : order)
                                 shape.push_back(inputs[0].shape()[axis]);
                             return Tensors{builder.compute(
                                 shape, axisNames(shape.size()),
                                 [&](const std::vector<ir::Expr> &i) {
                                     std::vector<ir::Expr> indices(order.size());
                                     for (std::size_t k = 0; k < order.size(); ++k)
                                         indices[order[k]] = i[k];
                                     return te::Body(inputs[0].at(indices));
                                 },
                                 "transpose")};
                         }});
}

} // namespace nestwright::ops
