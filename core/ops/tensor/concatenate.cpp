// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

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
class Joined {
public:
    Joined(const Tensors &inputs, std::size_t axis, const std::vector<Expr> &i)
        : m_inputs(inputs)
        , m_axis(axis)
        , m_place(i)
    {
        for (const te::Tensor &input : inputs)
            m_begins.push_back(added(m_begins.back(), input.shape()[axis]));
    }

    Expr element() const { return among(0, m_inputs.size()); }

private:
    /// Element of the inputs from `first` to `last`. Many inputs are bisected, so that conditions do not nest
    /// deeply; few are tested in turn.
    Expr among(std::size_t first, std::size_t last) const
    {
        if (last - first == 1) {
            std::vector<Expr> own = m_place;
            own[m_axis] = m_place[m_axis] - m_begins[first];
            return m_inputs[first].at(own);
        }
        const std::size_t middle = last - first > 4 ? first + (last - first) / 2 : first + 1;
        return te::ifThenElse(ir::lt(m_place[m_axis], m_begins[middle]), among(first, middle),
                              among(middle, last));
    }

    const Tensors &m_inputs;
    std::size_t m_axis;
    const std::vector<Expr> &m_place;
    std::vector<Expr> m_begins{0};
};

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
                     [&](const std::vector<Expr> &i) { return te::Body(Joined(inputs, axis, i).element()); },
                     "concatenate")};
             }});
}

} // namespace nestwright::ops
