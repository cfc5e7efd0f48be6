// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

#include <algorithm>
#include <format>
#include <map>

namespace nestwright::ops {

namespace {

using ir::Expr;

/// "ab,bc->ac": the labels of each input and of the result, and the size of each label.
struct Equation {
    std::vector<std::string> inputs;
    std::string result;
    std::map<char, Expr> sizes;

    explicit Equation(const CallSite &site)
    {
        const std::string &text = site.text("equation");
        const std::size_t arrow = text.find("->");
        if (arrow == std::string::npos)
            typeError("the equation must name the labels of the result: \"ab,bc->ac\"");
        result = text.substr(arrow + 2);
        inputs.emplace_back();
        for (const char label : text.substr(0, arrow)) {
            if (label == ',')
                inputs.emplace_back();
            else
                inputs.back() += label;
        }
        if (inputs.size() != site.inputs.size())
            typeError(std::format("\"{}\" has the labels of {} inputs", text, inputs.size()));
        for (std::size_t i = 0; i < inputs.size(); ++i)
            addSizes(inputs[i], site.input(i));
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (!sizes.contains(result[i]) || result.find(result[i], i + 1) != std::string::npos)
                typeError(std::format("\"{}\" is no result of its inputs", result));
        }
    }

    Shape shape() const
    {
        Shape sizesOfResult;
        for (const char label : result)
            sizesOfResult.push_back(sizes.at(label));
        return sizesOfResult;
    }

private:
    void addSizes(const std::string &labels, const TensorType &type)
    {
        if (static_cast<std::int64_t>(labels.size()) != type.rank())
            typeError(std::format("\"{}\" does not name the dimensions of {}", labels, type.str()));
        for (std::size_t k = 0; k < labels.size(); ++k) {
            const auto [known, isNew] = sizes.emplace(labels[k], type.shape[k]);
            if (isNew || ir::isConstInt(type.shape[k], 1) || sameSize(known->second, type.shape[k]))
                continue;
            if (!ir::isConstInt(known->second, 1))
                typeError(std::format("the label \"{}\" stands for different sizes", labels[k]));
            known->second = type.shape[k];
        }
    }
};

Tensors computeEinsum(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const Equation equation(site);
    const Shape shape = equation.shape();
    const ir::DataType type = site.input().dtype;
    Shape summed;
    for (const auto &[label, size] : equation.sizes) {
        if (!equation.result.contains(label))
            summed.push_back(size);
    }
    const ir::DataType wide = sumType(type, product(summed), manyProducts);
    const te::Tensor sum = builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::map<char, Expr> at;
            for (std::size_t k = 0; k < i.size(); ++k)
                at.emplace(equation.result[k], i[k]);
            std::vector<te::IterVar> axes;
            for (const auto &[label, size] : equation.sizes) {
                if (at.contains(label))
                    continue;
                axes.push_back(te::reduceAxis(size, std::format("r{}", axes.size())));
                at.emplace(label, axes.back().var);
            }
            Expr product;
            for (std::size_t n = 0; n < inputs.size(); ++n) {
                std::vector<Expr> indices;
                for (std::size_t k = 0; k < equation.inputs[n].size(); ++k)
                    indices.push_back(ir::isConstInt(inputs[n].shape()[k], 1) ? Expr(0)
                                                                              : at.at(equation.inputs[n][k]));
                const Expr element = ir::cast(wide, inputs[n].at(indices));
                product = n == 0 ? element : product * element;
            }
            return axes.empty() ? te::Body(product) : te::Body(te::sum(product, axes));
        },
        "einsum");
    if (wide == type)
        return {sum};
    return {mapTensor(
        builder, sum, [&](const Expr &e, const auto &) { return ir::cast(type, e); }, "einsum_cast")};
}

} // namespace

void addEinsum(TensorOps &table)
{
    table.push_back(
        {.name = "einsum",
         .summary = "sums of products: each dimension of the inputs has a label; those without a label "
                    "in the result are summed over",
         .fusion = FusionKind::OutFusable,
         .maxInputs = -1,
         .attributes = {{"equation", std::string(), "labels of the inputs and of the result: \"ab,bc->ac\""}},
         .infer =
             [](const CallSite &site) {
                 requireSameType(site);
                 return std::vector{TensorType{Equation(site).shape(), site.input().dtype}};
             },
         .compute = &computeEinsum});
}

} // namespace nestwright::ops
