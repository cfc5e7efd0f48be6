// SPDX-License-Identifier: Apache-2.0
/// Pools over any number of spatial dimensions, channels first.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/nn/window.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

Window poolWindow(const CallSite &site)
{
    Window window = Window::of(site, site.integers("kernel"));
    window.ceil = site.flag("ceil_mode");
    requireRank(site.input(), static_cast<std::int64_t>(window.rank()) + (site.flag("blocked") ? 3 : 2),
                "the input");
    return window;
}

Shape pooledShape(const CallSite &site, const Window &window)
{
    Shape shape{site.input().shape[0], site.input().shape[1]};
    for (std::size_t i = 0; i < window.rank(); ++i)
        shape.push_back(window.count(i, site.input().shape[i + 2]));
    if (site.flag("blocked"))
        shape.push_back(site.input().shape.back());
    return shape;
}

std::vector<te::IterVar> windowAxes(const Window &window)
{
    std::vector<te::IterVar> axes;
    for (std::size_t i = 0; i < window.rank(); ++i)
        axes.push_back(te::reduceAxis(dimension(window.size[i]), std::format("rk{}", i)));
    return axes;
}

/// The elements of each window made into others and combined; `outside` stands for those that lie outside the
/// input.
te::Tensor poolTensor(te::Builder &builder, const CallSite &site, const te::Tensor &x, const Window &window,
                      te::Reduction (*combine)(const Expr &, std::vector<te::IterVar>),
                      const std::function<Expr(const Expr &)> &before, const Expr &outside)
{
    const Shape shape = pooledShape(site, window);
    return builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            const std::vector<te::IterVar> axes = windowAxes(window);
            std::vector<Expr> at{i[0], i[1]}, inside;
            for (std::size_t k = 0; k < window.rank(); ++k) {
                at.push_back(window.place(k, i[k + 2], axes[k].var));
                if (window.before[k] != 0)
                    inside.push_back(ir::ge(at.back(), Expr(0)));
                if (window.after[k] != 0 || window.ceil)
                    inside.push_back(ir::lt(at.back(), x.shape()[k + 2]));
            }
            if (site.flag("blocked"))
                at.push_back(i.back());
            const Expr element = before(x.at(at));
            return te::Body(
                combine(inside.empty() ? element : te::ifThenElse(te::all(inside), element, outside), axes));
        },
        std::string(site.op.name.substr(3)));
}

/// Number of elements of window `at` within [low, high) along dimension `i`.
Expr countWithin(const Window &window, std::size_t i, const Expr &at, const Expr &low, const Expr &high)
{
    const Expr begin = window.place(i, at, 0), step = Expr(window.dilation[i]);
    const Expr first = ir::max(Expr(0), ir::floorDiv(low - begin + step - Expr(1), step));
    const Expr last = ir::min(Expr(window.size[i] - 1), ir::floorDiv(high - Expr(1) - begin, step));
    return last - first + Expr(1);
}

Tensors computeAverage(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0];
    const Window window = poolWindow(site);
    const ir::DataType wide = sumType(x.dtype(), product(shapeOf(window.size)));
    const te::Tensor sum = poolTensor(
        builder, site, x, window, &te::sum, [&](const Expr &e) { return ir::cast(wide, e); },
        ir::constant(0, wide));
    const bool padding = site.flag("count_include_pad");
    return {mapTensor(
        builder, sum,
        [&](const Expr &e, const std::vector<Expr> &i) {
            Expr count = 1;
            for (std::size_t k = 0; k < window.rank(); ++k) {
                const bool cut = window.ceil || (!padding && (window.before[k] != 0 || window.after[k] != 0));
                const Expr low = padding ? Expr(-window.before[k]) : Expr(0);
                const Expr high = padding ? x.shape()[k + 2] + Expr(window.after[k]) : x.shape()[k + 2];
                count = count * (cut ? countWithin(window, k, i[k + 2], low, high) : Expr(window.size[k]));
            }
            return ir::cast(x.dtype(), ir::truncDiv(e, ir::cast(wide, count)));
        },
        "average")};
}

Tensors computeMax(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const ir::DataType type = inputs[0].dtype();
    return {poolTensor(
        builder, site, inputs[0], poolWindow(site), &largestOf, [](const Expr &e) { return e; },
        leastOf(type))};
}

Tensors computeNorm(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0];
    const Window window = poolWindow(site);
    const ir::DataType wide = sumType(x.dtype(), product(shapeOf(window.size)));
    const Expr p = ir::constant(static_cast<double>(site.integer("p")), wide);
    const te::Tensor sum = poolTensor(
        builder, site, x, window, &te::sum,
        [&](const Expr &e) {
            return ir::callIntrinsic(ir::intrinsics::pow,
                                     {ir::callIntrinsic(ir::intrinsics::abs, {ir::cast(wide, e)}), p});
        },
        ir::constant(0, wide));
    return {mapTensor(
        builder, sum,
        [&](const Expr &e, const auto &) {
            const Expr root = ir::constant(1.0 / static_cast<double>(site.integer("p")), wide);
            return ir::cast(x.dtype(), ir::callIntrinsic(ir::intrinsics::pow, {e, root}));
        },
        "norm")};
}

/// For each window, where in the input (counted row-major or column-major over all of it) its largest element
/// lies.
Tensors computePosition(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0];
    const Window window = poolWindow(site);
    if (site.flag("blocked"))
        typeError("positions in blocks of channels are not supported");
    const Shape shape = pooledShape(site, window);
    Shape order(x.shape().begin() + 2, x.shape().end());
    const bool columns = site.flag("column_major");
    const auto position = [&](const std::vector<Expr> &at) {
        Expr flat = at[0] * x.shape()[1] + at[1];
        Expr within = 0;
        for (std::size_t k = 0; k < order.size(); ++k) {
            const std::size_t dim = columns ? order.size() - 1 - k : k;
            within = within * order[dim] + at[dim + 2];
        }
        return flat * product(order) + within;
    };
    const auto combine = [](const std::vector<Expr> &a, const std::vector<Expr> &b) {
        const Expr first =
            ir::logicalOr(ir::gt(a[1], b[1]), ir::logicalAnd(ir::eq(a[1], b[1]), ir::lt(a[0], b[0])));
        return std::vector<Expr>{ir::select(first, a[0], b[0]), ir::select(first, a[1], b[1])};
    };
    const auto identity = [](const std::vector<ir::DataType> &types) {
        return std::vector<Expr>{ir::maxValue(types[0]), leastOf(types[1])};
    };
    const std::vector<te::Tensor> found = builder.computeAll(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            const std::vector<te::IterVar> axes = windowAxes(window);
            std::vector<Expr> at{i[0], i[1]}, inside;
            for (std::size_t k = 0; k < window.rank(); ++k) {
                at.push_back(window.place(k, i[k + 2], axes[k].var));
                inside.push_back(ir::ge(at.back(), Expr(0)));
                inside.push_back(ir::lt(at.back(), x.shape()[k + 2]));
            }
            const Expr condition = te::all(inside);
            return te::Body(
                te::reduce("argmax", combine, identity,
                           {ir::select(condition, position(at), ir::maxValue(ir::DataType::int32())),
                            te::ifThenElse(condition, x.at(at), leastOf(x.dtype()))},
                           axes));
        },
        "max_position");
    return {mapTensor(
        builder, found[0], [](const Expr &e, const auto &) { return ir::cast(ir::DataType::int64(), e); },
        "position")};
}

TensorOp pool(std::string_view name, std::string_view summary, std::vector<AttributeField> more,
              Tensors (*compute)(te::Builder &, const CallSite &, const Tensors &),
              std::optional<ir::DataType> type = std::nullopt)
{
    std::vector<AttributeField> attributes = windowAttributes;
    attributes.push_back({"kernel", std::vector<std::int64_t>{}, "size of the window"});
    attributes.push_back({"ceil_mode", false, "the number of windows is rounded up"});
    attributes.push_back({"blocked", false, "channels are in blocks, which are the last dimension"});
    attributes.insert(attributes.end(), more.begin(), more.end());
    return {.name = name,
            .summary = summary,
            .fusion = FusionKind::Reduction,
            .attributes = std::move(attributes),
            .infer =
                [type](const CallSite &site) {
                    return std::vector{
                        TensorType{pooledShape(site, poolWindow(site)), type.value_or(site.input().dtype)}};
                },
            .compute = compute};
}

} // namespace

void addPool(TensorOps &table)
{
    table.push_back(pool("nn.max_pool", "largest element of each window", {}, &computeMax));
    table.push_back(pool("nn.avg_pool", "mean of each window",
                         {{"count_include_pad", false, "padding counts as zeros"}}, &computeAverage));
    table.push_back(pool("nn.lp_pool", "p-norm of each window", {{"p", std::int64_t{2}, "the norm's power"}},
                         &computeNorm));
    table.push_back(pool("nn.max_pool_position", "where in the input the largest element of each window lies",
                         {{"column_major", false, "count along the first spatial dimension first"}},
                         &computePosition, ir::DataType::int64()));
}

} // namespace nestwright::ops
