// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

#include <format>

namespace nestwright::ops {

namespace {

ir::Expr converted(const ir::Expr &x, ir::DataType to)
{
    const ir::DataType from = x.dtype();
    if (from == to)
        return x;
    if (to.isBool())
        return ir::ne(x, ir::constant(0, from));
    // Between the two 16-bit forms the way goes through a type that holds both.
    if (from.isFloating() && to.isFloating() && from.bits == 16 && to.bits == 16)
        return ir::cast(to, ir::cast(ir::DataType::float32(), x));
    return ir::cast(to, x);
}

} // namespace

void addCast(TensorOps &table)
{
    table.push_back({.name = "reinterpret",
                     .summary = "the bits of each element as a number of another type of that size",
                     .fusion = FusionKind::Elementwise,
                     .attributes = {{"dtype", ir::DataType::float32(), "type of the result"}},
                     .infer =
                         [](const CallSite &site) {
                             const ir::DataType from = site.input().dtype, to = site.dtype();
                             const auto isNumber = [](ir::DataType type) {
                                 return (type.isFloating() || type.isIntegral()) && !type.isBool();
                             };
                             if (!isNumber(from) || !isNumber(to) || from.bits != to.bits)
                                 typeError(std::format("the bits of {} are no {}", from.str(), to.str()));
                             return std::vector{TensorType{site.input().shape, to}};
                         },
                     .compute =
                         [](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                             return Tensors{mapTensor(
                                 builder, inputs[0],
                                 [&](const ir::Expr &e, const auto &) {
                                     return e.dtype() == site.dtype()
                                                ? e
                                                : ir::callIntrinsic(ir::intrinsics::reinterpret, {e},
                                                                    site.dtype());
                                 },
                                 "reinterpret")};
                         }});
    table.push_back(
        {.name = "cast",
         .summary = "each element in another type; to bool: whether it is not 0",
         .fusion = FusionKind::Elementwise,
         .attributes = {{"dtype", ir::DataType::float32(), "type of the result"}},
         .infer =
             [](const CallSite &site) { return std::vector{TensorType{site.input().shape, site.dtype()}}; },
         .compute =
             [](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                 return Tensors{builder.compute(
                     inputs[0].shape(), axisNames(inputs[0].shape().size()),
                     [&](const std::vector<ir::Expr> &i) {
                         return te::Body(converted(inputs[0].at(i), site.dtype()));
                     },
                     "cast")};
             }});
}

} // namespace nestwright::ops
