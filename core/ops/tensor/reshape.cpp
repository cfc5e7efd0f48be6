// SPDX-License-Identifier: Apache-2.0
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include "core/ir/build/builder.h"

#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

/// The new shape: 0 copies the dimension of the same place, -1 takes the remaining elements.
Shape reshaped(const Shape &from, const std::vector<std::int64_t> &sizes, bool zeroCopies)
{
    Shape to;
    std::optional<std::size_t> open;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == 0 && zeroCopies) {
            if (i >= from.size())
                typeError(std::format("the new shape copies dimension {}, which there is not", i));
            to.push_back(from[i]);
        } else if (sizes[i] == -1) {
            if (open)
                typeError("only one dimension may be left open");
            open = i;
            to.emplace_back(1);
        } else {
            to.push_back(dimension(sizes[i]));
        }
    }
    const Expr total = product(from);
    if (open) {
        const Expr known = product(to);
        if (ir::isConstInt(known, 0))
            typeError("an open dimension cannot be found beside one of 0");
        to[*open] = dimension(ir::floorDiv(total, known));
    }
    if (!sameSize(total, product(to))) {
        typeError(std::format("{} cannot be given the shape {}", TensorType{from, {}}.str(),
                              TensorType{to, {}}.str()));
    }
    return to;
}

} // namespace

void addReshape(TensorOps &table)
{
    table.push_back(
        {.name = "reshape",
         .summary = "the same elements in another shape",
         .fusion = FusionKind::Injective,
         .attributes = {{"newshape", std::vector<std::int64_t>{},
                         "sizes; -1 for the remaining elements, 0 for the dimension of the same place"},
                        {"allowzero", false, "0 means a size of 0"}},
         .infer =
             [](const CallSite &site) {
                 return std::vector{TensorType{
                     reshaped(site.input().shape, site.integers("newshape"), !site.flag("allowzero")),
                     site.input().dtype}};
             },
         .compute =
             [](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                 const te::Tensor &x = inputs[0];
                 const Shape to = reshaped(x.shape(), site.integers("newshape"), !site.flag("allowzero"));
                 return Tensors{builder.compute(
                     to, axisNames(to.size()),
                     [&](const std::vector<Expr> &i) {
                         return te::Body(x.at(unflatten(flatten(i, to), x.shape())));
                     },
                     "reshape")};
             }});
    table.push_back(
        {.name = "broadcast_to",
         .summary = "repeated to a shape",
         .fusion = FusionKind::Broadcast,
         .layoutSensitive = true,
         .attributes = {{"shape", std::vector<std::int64_t>{}, "sizes; 1 keeps the dimension"}},
         .infer =
             [](const CallSite &site) {
                 return std::vector{TensorType{broadcast(site.input().shape, shapeOf(site.integers("shape"))),
                                               site.input().dtype}};
             },
         .compute =
             [](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                 const Shape to = broadcast(inputs[0].shape(), shapeOf(site.integers("shape")));
                 return Tensors{builder.compute(
                     to, axisNames(to.size()),
                     [&](const std::vector<Expr> &i) { return te::Body(broadcastLoad(inputs[0], i)); },
                     "broadcast_to")};
             }});
}

} // namespace nestwright::ops
