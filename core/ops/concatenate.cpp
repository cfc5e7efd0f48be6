// SPDX-License-Identifier: Apache-2.0
#include "core/ir/builder.h"
#include "core/ops/shapes.h"
#include "core/ops/tensor_op_tables.h"

namespace nestwright::ops {

namespace {

using ir::Expr;

Shape joined(const CallSite &site)
{
    requireSameType(site);
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    Shape shape = site.input().shape;
    for (const TensorType &input : site.inputs.subspan(1)) {
        requireRank(input, site.input().rank(), "every input");
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (i != axis && !sameSize(shape[i], input.shape[i]))
                typeError("the inputs differ in a dimension other than that of the axis");
        }
        shape[axis] = added(shape[axis], input.shape[axis]);
    }
    return shape;
}

/// The element at `i`: of the input in whose part of the axis it lies.
Expr elementAt(const Tensors &inputs, std::size_t axis, const std::vector<Expr> &i)
{
    std::vector<Expr> begins{0};
    for (const te::Tensor &input : inputs)
        begins.push_back(added(begins.back(), input.shape()[axis]));
    Expr value;
    for (std::size_t k = inputs.size(); k-- > 0;) {
        std::vector<Expr> own = i;
        own[axis] = i[axis] - begins[k];
        const Expr element = inputs[k].at(own);
        value = value ? te::ifThenElse(ir::lt(i[axis], begins[k + 1]), element, value) : element;
    }
    return value;
}

} // namespace

void addConcatenate(TensorOps &table)
{
    table.push_back(
        {.name = "concatenate",
         .summary = "one after the other along an axis",
         .fusion = FusionKind::Injective,
         .maxInputs = -1,
         .attributes = {{"axis", std::int64_t{0}, "axis to join along"}},
         .infer =
             [](const CallSite &site) { return std::vector{TensorType{joined(site), site.input().dtype}}; },
         .compute =
             [](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                 const Shape shape = joined(site);
                 const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
                 return Tensors{builder.compute(
                     shape, axisNames(shape.size()),
                     [&](const std::vector<Expr> &i) { return te::Body(elementAt(inputs, axis, i)); },
                     "concatenate")};
             }});
}

} // namespace nestwright::ops
