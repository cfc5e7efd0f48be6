// SPDX-License-Identifier: Apache-2.0
/// Index of the largest or smallest element along an axis.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

#include <algorithm>
#include <limits>

namespace nestwright::ops {

namespace {

using ir::Expr;
using Ints = std::vector<std::int64_t>;

ReducedShape searchedShape(const CallSite &site)
{
    return {site.input().shape, {axisOf(site.integer("axis"), site.input().rank())}, site.flag("keepdims")};
}

/// The element as it is compared: NaN stands behind all others, but before them in the first place, as where
/// each is compared with the best one so far; an infinity that would stand behind all is the number next to
/// it, which the search begins with.
Expr compared(const Expr &element, const te::IterVar &axis, bool largest)
{
    const ir::DataType type = element.dtype();
    if (!type.isFloating())
        return element;
    const double infinity = std::numeric_limits<double>::infinity();
    const Expr kept = largest ? ir::max(element, ir::minValue(type)) : ir::min(element, ir::maxValue(type));
    return ir::select(
        ir::logicalAnd(ir::eq(Expr(axis.var), Expr(0)),
                       ir::callIntrinsic(ir::intrinsics::isNan, {ir::cast(sumType(type), element)})),
        ir::constant(largest ? infinity : -infinity, type), kept);
}

te::Reduction positionOf(const Expr &element, const te::IterVar &axis, bool largest, bool last)
{
    const auto combine = [=](const std::vector<Expr> &a, const std::vector<Expr> &b) {
        const Expr better = largest ? ir::gt(a[1], b[1]) : ir::lt(a[1], b[1]);
        const Expr before = last ? ir::gt(a[0], b[0]) : ir::lt(a[0], b[0]);
        const Expr takesFirst = ir::logicalOr(better, ir::logicalAnd(ir::eq(a[1], b[1]), before));
        return std::vector<Expr>{ir::select(takesFirst, a[0], b[0]), ir::select(takesFirst, a[1], b[1])};
    };
    const auto identity = [=](const std::vector<ir::DataType> &types) {
        const Expr worst = largest ? ir::minValue(types[1]) : ir::maxValue(types[1]);
        const int position = last ? -1 : std::numeric_limits<int>::max();
        return std::vector<Expr>{ir::intImm(position, types[0]), worst};
    };
    return te::reduce(largest ? "argmax" : "argmin", combine, identity,
                      {Expr(axis.var), compared(element, axis, largest)}, {axis});
}

Tensors computeArgReduction(te::Builder &builder, const CallSite &site, const te::Tensor &x, bool largest)
{
    const ReducedShape shape = searchedShape(site);
    const Shape result = shape.result();
    const std::vector<te::Tensor> found = builder.computeAll(
        result, axisNames(result.size()),
        [&](const std::vector<Expr> &i) {
            const std::vector<te::IterVar> axes = shape.iterVars();
            return te::Body(positionOf(x.at(shape.inputIndices(i, axes)), axes[0], largest,
                                       site.flag("select_last_index")));
        },
        std::string(site.op.name));
    return {mapTensor(
        builder, found[0], [](const Expr &e, const auto &) { return ir::cast(ir::DataType::int64(), e); },
        "position")};
}

TensorOp argReduction(std::string_view name, std::string_view summary, bool largest)
{
    return {.name = name,
            .summary = summary,
            .fusion = FusionKind::Reduction,
            .attributes = {{"axis", std::int64_t{0}, "axis to search along"},
                           {"keepdims", true, "leave a dimension of 1 in its place"},
                           {"select_last_index", false, "of equal elements, the last one"}},
            .infer =
                [](const CallSite &site) {
                    const TensorType found{searchedShape(site).result(), ir::DataType::int64()};
                    if (std::ranges::contains(site.input().constantShape().value_or(Ints{}), 0)
                        && !std::ranges::contains(found.constantShape().value_or(Ints{}), 0))
                        typeError("there are no elements to search");
                    return std::vector{found};
                },
            .compute =
                [largest](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                    return computeArgReduction(builder, site, inputs[0], largest);
                }};
}

} // namespace

void addArgReductions(TensorOps &table)
{
    table.push_back(argReduction("argmax", "position of the largest element along an axis", true));
    table.push_back(argReduction("argmin", "position of the smallest element along an axis", false));
}

} // namespace nestwright::ops
