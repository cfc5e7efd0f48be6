// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

namespace nestwright::ops {

namespace {

Shape tiled(const CallSite &site)
{
    const auto &counts = site.integers("reps");
    if (counts.size() != site.input().shape.size())
        typeError("reps must hold one number per dimension");
    Shape shape;
    for (std::size_t i = 0; i < counts.size(); ++i)
        shape.push_back(multiplied(site.input().shape[i], ir::Expr(counts[i])));
    return shape;
}

} // namespace

void addTile(TensorOps &table)
{
    table.push_back(
        {.name = "tile",
         .summary = "repeated along each axis",
         .fusion = FusionKind::Injective,
         .attributes = {{"reps", std::vector<std::int64_t>{}, "how often, per axis"}},
         .infer =
             [](const CallSite &site) { return std::vector{TensorType{tiled(site), site.input().dtype}}; },
         .compute =
             [](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                 const Shape shape = tiled(site);
                 const te::Tensor &x = inputs[0];
                 return Tensors{builder.compute(
                     shape, axisNames(shape.size()),
                     [&](const std::vector<ir::Expr> &i) {
                         std::vector<ir::Expr> indices;
                         for (std::size_t k = 0; k < i.size(); ++k)
                             indices.push_back(ir::floorMod(i[k], x.shape()[k]));
                         return te::Body(x.at(indices));
                     },
                     "tile")};
             }});
}

} // namespace nestwright::ops
