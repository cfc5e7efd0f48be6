// SPDX-License-Identifier: Apache-2.0
#include "core/ops/tensor/reduce_shape.h"

#include "core/ir/build/builder.h"

#include <algorithm>
#include <format>
#include <limits>

namespace nestwright::ops {

using ir::Expr;

bool ReducedShape::reduces(std::size_t axis) const { return std::ranges::binary_search(axes, axis); }

Shape ReducedShape::result() const
{
    Shape shape;
    for (std::size_t i = 0; i < input.size(); ++i) {
        if (!reduces(i))
            shape.push_back(input[i]);
        else if (keepsDims)
            shape.emplace_back(1);
    }
    return shape;
}

Expr ReducedShape::terms() const
{
    Shape sizes;
    for (const std::size_t axis : axes)
        sizes.push_back(input[axis]);
    return product(sizes);
}

std::vector<te::IterVar> ReducedShape::iterVars() const
{
    std::vector<te::IterVar> vars;
    for (std::size_t i = 0; i < axes.size(); ++i)
        vars.push_back(te::reduceAxis(input[axes[i]], std::format("k{}", i)));
    return vars;
}

std::vector<Expr> ReducedShape::inputIndices(const std::vector<Expr> &indices,
                                             const std::vector<te::IterVar> &reduced) const
{
    std::vector<Expr> result;
    std::size_t kept = 0, over = 0;
    for (std::size_t i = 0; i < input.size(); ++i) {
        if (reduces(i)) {
            result.push_back(reduced[over++].var);
            kept += keepsDims ? 1 : 0;
        } else {
            result.push_back(indices[kept++]);
        }
    }
    return result;
}

std::vector<Expr> ReducedShape::resultIndices(const std::vector<Expr> &indices) const
{
    std::vector<Expr> result;
    for (std::size_t i = 0; i < input.size(); ++i) {
        if (!reduces(i))
            result.push_back(indices[i]);
        else if (keepsDims)
            result.emplace_back(0);
    }
    return result;
}

te::Tensor reduceTensor(te::Builder &builder, const te::Tensor &x, const ReducedShape &shape,
                        te::Reduction (*combine)(const Expr &, std::vector<te::IterVar>),
                        const std::function<Expr(const Expr &, const std::vector<Expr> &)> &before,
                        const std::string &name)
{
    const Shape result = shape.result();
    return builder.compute(
        result, axisNames(result.size()),
        [&](const std::vector<Expr> &i) {
            if (shape.axes.empty())
                return te::Body(before(x.at(i), i));
            const std::vector<te::IterVar> axes = shape.iterVars();
            return te::Body(combine(before(x.at(shape.inputIndices(i, axes)), i), axes));
        },
        name);
}

Expr leastOf(ir::DataType type)
{
    return type.isFloating() ? ir::constant(-std::numeric_limits<double>::infinity(), type)
                             : ir::minValue(type);
}

te::Reduction largestOf(const Expr &value, std::vector<te::IterVar> axes)
{
    // A maximum with NaN gives the second operand, here the one found so far.
    te::Reduction reduction = te::reduce(
        "max",
        [](const std::vector<Expr> &found, const std::vector<Expr> &term) {
            return std::vector<Expr>{ir::max(term[0], found[0])};
        },
        [](const std::vector<ir::DataType> &types) { return std::vector<Expr>{ir::minValue(types[0])}; },
        {value}, std::move(axes));
    if (value.dtype().isFloating())
        reduction.init = {leastOf(value.dtype())};
    return reduction;
}

te::Reduction smallestOf(const Expr &value, std::vector<te::IterVar> axes)
{
    te::Reduction reduction = te::reduce(
        "min",
        [](const std::vector<Expr> &found, const std::vector<Expr> &term) {
            return std::vector<Expr>{ir::min(term[0], found[0])};
        },
        [](const std::vector<ir::DataType> &types) { return std::vector<Expr>{ir::maxValue(types[0])}; },
        {value}, std::move(axes));
    if (value.dtype().isFloating())
        reduction.init = {ir::constant(std::numeric_limits<double>::infinity(), value.dtype())};
    return reduction;
}

te::Tensor mapTensor(te::Builder &builder, const te::Tensor &x,
                     const std::function<Expr(const Expr &, const std::vector<Expr> &)> &function,
                     const std::string &name)
{
    return builder.compute(
        x.shape(), axisNames(x.shape().size()),
        [&](const std::vector<Expr> &i) { return te::Body(function(x.at(i), i)); }, name);
}

te::Tensor inType(te::Builder &builder, const te::Tensor &x, ir::DataType type)
{
    if (x.dtype() == type)
        return x;
    return mapTensor(
        builder, x,
        [&](const Expr &e, const auto &) {
            return type.isBool() ? ir::ne(e, ir::constant(0, e.dtype())) : ir::cast(type, e);
        },
        "converted");
}

} // namespace nestwright::ops
