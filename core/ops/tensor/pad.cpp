// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

Shape paddedShape(const CallSite &site)
{
    const auto &widths = site.integers("pad_width");
    const std::size_t rank = site.input().shape.size();
    if (widths.size() != 2 * rank)
        typeError(std::format("pad_width must hold {} numbers, but holds {}", 2 * rank, widths.size()));
    Shape shape;
    for (std::size_t i = 0; i < rank; ++i) {
        const bool grows = widths[i] > 0 || widths[rank + i] > 0;
        if (grows && site.text("mode") != "constant" && ir::isConstInt(site.input().shape[i], 0))
            typeError(std::format("axis {} has no element to repeat", i));
        shape.push_back(added(site.input().shape[i], Expr(widths[i] + widths[rank + i])));
    }
    return shape;
}

/// The place in [0, size) that mode's rule takes for `position`.
Expr within(const Expr &position, const Expr &size, std::string_view mode)
{
    if (mode == "edge")
        return ir::max(Expr(0), ir::min(position, size - Expr(1)));
    if (mode == "wrap")
        return ir::floorMod(position, size);
    if (ir::isConstInt(size, 1)) // the mirror image of a single element
        return 0;
    const Expr period = dimension(Expr(2) * size - Expr(2));
    const Expr remainder = ir::floorMod(position, period);
    return ir::min(remainder, period - remainder);
}

Expr paddedElement(const CallSite &site, const Tensors &inputs, const std::vector<Expr> &i)
{
    const te::Tensor &x = inputs[0];
    const auto &widths = site.integers("pad_width");
    const std::string &mode = site.text("mode");
    std::vector<Expr> indices, inside;
    for (std::size_t k = 0; k < i.size(); ++k) {
        const bool padded = widths[k] != 0 || widths[i.size() + k] != 0;
        const Expr position = i[k] - Expr(widths[k]);
        if (padded && mode == "constant") {
            inside.push_back(ir::ge(position, Expr(0)));
            inside.push_back(ir::lt(position, x.shape()[k]));
        }
        indices.push_back(padded && mode != "constant" ? within(position, x.shape()[k], mode) : position);
    }
    if (inside.empty())
        return x.at(indices);
    const Expr filling = inputs.size() > 1 ? inputs[1].at(std::vector<Expr>(inputs[1].shape().size(), 0))
                                           : ir::constant(0, x.dtype());
    return te::ifThenElse(te::all(inside), x.at(indices), filling);
}

} // namespace

void addPad(TensorOps &table)
{
    table.push_back(
        {.name = "nn.pad",
         .summary = "larger on its sides; the second input is the padding value",
         .fusion = FusionKind::Injective,
         .maxInputs = 2,
         .attributes = {{"pad_width", std::vector<std::int64_t>{},
                         "elements before each axis, then after each; negative ones cut off"},
                        {"mode", std::string("constant"), "\"constant\", \"edge\", \"reflect\" or \"wrap\""}},
         .infer =
             [](const CallSite &site) {
                 const std::string &mode = site.text("mode");
                 if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap")
                     typeError(std::format("there is no mode \"{}\"", mode));
                 return std::vector{TensorType{paddedShape(site), site.input().dtype}};
             },
         .compute =
             [](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                 const Shape shape = paddedShape(site);
                 return Tensors{builder.compute(
                     shape, axisNames(shape.size()),
                     [&](const std::vector<Expr> &i) { return te::Body(paddedElement(site, inputs, i)); },
                     "pad")};
             }});
}

} // namespace nestwright::ops
