// SPDX-License-Identifier: Apache-2.0
/// Reductions over axes.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

#include <limits>

namespace nestwright::ops {

namespace {

using ir::Expr;
using Combine = te::Reduction (*)(const Expr &, std::vector<te::IterVar>);

ReducedShape reducedShape(const CallSite &site)
{
    return {site.input().shape, axesOf(site.integers("axes"), site.input().rank()), site.flag("keepdims")};
}

/// A function of real numbers; of an integer it is cut off.
Expr cutOff(const ir::Intrinsic &intrinsic, const Expr &x)
{
    return x.dtype().isFloating()
               ? ir::callIntrinsic(intrinsic, {x})
               : ir::cast(x.dtype(), ir::callIntrinsic(intrinsic, {ir::cast(ir::DataType::float_(64), x)}));
}

/// The type that so many terms are summed up in; bool as bytes.
ir::DataType accumulationType(ir::DataType type, const Expr &terms)
{
    return type.isBool() ? ir::DataType::uint(8) : sumType(type, terms);
}

Expr same(const Expr &x, const Expr &) { return x; }

/// One reduction: the function of an element before, the combination of elements, the function of the result.
struct ReductionRow {
    std::string_view name;
    std::string_view summary;
    Combine combine;
    Expr (*before)(const Expr &x) = [](const Expr &x) { return x; };
    /// `count`: the number of elements that were combined, in the type of `x`.
    Expr (*after)(const Expr &x, const Expr &count) = &same;
};

constexpr ReductionRow reductionRows[] = {
    {"sum", "sum over axes", &te::sum},
    {"prod", "product over axes", &te::prod},
    {"max", "largest element over axes", &largestOf},
    {"min", "smallest element over axes", &smallestOf},
    {.name = "mean",
     .summary = "mean over axes",
     .combine = &te::sum,
     .after = [](const Expr &x, const Expr &count) { return ir::truncDiv(x, count); }},
    {.name = "sum_abs",
     .summary = "sum of magnitudes over axes",
     .combine = &te::sum,
     .before = [](const Expr &x) { return ir::callIntrinsic(ir::intrinsics::abs, {x}); }},
    {.name = "sum_square",
     .summary = "sum of squares over axes",
     .combine = &te::sum,
     .before = [](const Expr &x) { return x * x; }},
    {.name = "norm",
     .summary = "root of the sum of squares over axes",
     .combine = &te::sum,
     .before = [](const Expr &x) { return x * x; },
     .after = [](const Expr &x, const Expr &) { return cutOff(ir::intrinsics::sqrt, x); }},
    {.name = "log_sum",
     .summary = "logarithm of the sum over axes",
     .combine = &te::sum,
     .after = [](const Expr &x, const Expr &) { return cutOff(ir::intrinsics::log, x); }},
};

std::vector<TensorType> inferReduction(const CallSite &site)
{
    return {{reducedShape(site).result(), site.input().dtype}};
}

Tensors computeReduction(te::Builder &builder, const CallSite &site, const te::Tensor &x,
                         const ReductionRow &row)
{
    const ReducedShape shape = reducedShape(site);
    const Expr count = shape.terms();
    const ir::DataType type = accumulationType(x.dtype(), row.combine == &te::sum ? count : Expr(1));
    te::Tensor result = reduceTensor(
        builder, x, shape, row.combine,
        [&](const Expr &e, const auto &) { return row.before(ir::cast(type, e)); }, std::string(row.name));
    if (row.after != &same) {
        result = mapTensor(
            builder, result, [&](const Expr &e, const auto &) { return row.after(e, ir::cast(type, count)); },
            std::string(row.name) + "_of");
    }
    return {inType(builder, result, x.dtype())};
}

const std::vector<AttributeField> reductionAttributes = {
    {"axes", std::vector<std::int64_t>{}, "axes to reduce over"},
    {"keepdims", true, "leave a dimension of 1 in their places"},
};

/// The largest element is subtracted first, so that no exponential overflows.
Tensors computeLogSumExp(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const ReducedShape shape = reducedShape(site);
    const ir::DataType given = inputs[0].dtype(), type = given.isFloating()
                                                             ? accumulationType(given, shape.terms())
                                                             : ir::DataType::float_(64);
    const te::Tensor x = inType(builder, inputs[0], type);
    const auto unchanged = [](const Expr &e, const auto &) { return e; };
    const te::Tensor largest = reduceTensor(builder, x, shape, &te::max, unchanged, "largest");
    const te::Tensor total = reduceTensor(
        builder, x, shape, &te::sum,
        [&](const Expr &e, const std::vector<Expr> &i) {
            const Expr most = largest.at(i); // which may be infinite
            const Expr distance = ir::select(ir::eq(e, most), ir::constant(0, type), e - most);
            return ir::callIntrinsic(ir::intrinsics::exp, {distance});
        },
        "total");
    const te::Tensor result = mapTensor(
        builder, total,
        [&](const Expr &e, const std::vector<Expr> &i) {
            return ir::callIntrinsic(ir::intrinsics::log, {e}) + largest.at(i);
        },
        "log_sum_exp");
    return {inType(builder, result, given)};
}

} // namespace

void addReductions(TensorOps &table)
{
    for (const ReductionRow &row : reductionRows) {
        table.push_back(
            {.name = row.name,
             .summary = row.summary,
             .fusion = FusionKind::Reduction,
             .attributes = reductionAttributes,
             .infer = &inferReduction,
             .compute = [&row](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                 return computeReduction(builder, site, inputs[0], row);
             }});
    }
    table.push_back({.name = "log_sum_exp",
                     .summary = "logarithm of the sum of exponentials over axes",
                     .fusion = FusionKind::Reduction,
                     .attributes = reductionAttributes,
                     .infer = &inferReduction,
                     .compute = &computeLogSumExp});
}

} // namespace nestwright::ops
