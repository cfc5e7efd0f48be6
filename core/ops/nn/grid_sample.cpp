// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/nn/interpolation.h"
#include "core/ops/table/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

Interpolation interpolationOf(const CallSite &site)
{
    const std::string &mode = site.text("mode");
    if (mode != "nearest" && mode != "linear" && mode != "cubic")
        typeError(std::format("there is no mode \"{}\"", mode));
    return mode == "nearest"  ? Interpolation::Nearest
           : mode == "linear" ? Interpolation::Linear
                              : Interpolation::Cubic;
}

Outside outsideOf(const CallSite &site)
{
    const std::string &mode = site.text("padding_mode");
    if (mode != "zeros" && mode != "border" && mode != "reflection")
        typeError(std::format("there is no padding mode \"{}\"", mode));
    return mode == "zeros" ? Outside::Zeros : mode == "border" ? Outside::Border : Outside::Reflection;
}

std::vector<TensorType> inferGridSample(const CallSite &site)
{
    requireFloat(site);
    const TensorType &x = site.input(), &grid = site.input(1);
    requireRank(grid, x.rank(), "the grid");
    if (!grid.dtype.isFloating() || x.rank() < 3 || !sameSize(grid.shape[0], x.shape[0])
        || !sameSize(grid.shape.back(), dimension(x.rank() - 2)))
        typeError(std::format("{} has no grid of places in {}", grid.str(), x.str()));
    interpolationOf(site);
    outsideOf(site);
    Shape shape{x.shape[0], x.shape[1]};
    shape.insert(shape.end(), grid.shape.begin() + 1, grid.shape.end() - 1);
    return {{shape, x.dtype}};
}

ir::DataType placeType(const CallSite &site)
{
    const bool wide = site.input(0).dtype.bits == 64 || site.input(1).dtype.bits == 64;
    return wide ? ir::DataType::float_(64) : ir::DataType::float32();
}

/// -1 and 1 are the first and last element, or their outer edges.
Expr placeOf(const CallSite &site, const Expr &given, const Expr &size)
{
    const auto real = [&](double value) { return ir::constant(value, given.dtype()); };
    const Expr count = ir::cast(given.dtype(), size);
    const bool corners = site.flag("align_corners");
    Expr place = corners ? (given + real(1)) * real(0.5) * (count - real(1))
                         : ((given + real(1)) * count - real(1)) * real(0.5);
    if (interpolationOf(site) == Interpolation::Nearest)
        place = ir::callIntrinsic(ir::intrinsics::nearbyint, {place});
    const Expr low = real(corners ? 0 : -0.5), high = count - real(corners ? 1 : 0.5);
    const Expr outside = ir::logicalOr(ir::lt(place, low), ir::gt(place, high));
    // A cubic curve continues beyond the border, where all elements equal the last one, as in PyTorch and
    // ONNX Runtime.
    if (outsideOf(site) == Outside::Border && interpolationOf(site) != Interpolation::Cubic)
        place = ir::select(outside, ir::max(real(0), ir::min(place, count - real(1))), place);
    if (outsideOf(site) == Outside::Reflection && !(corners && ir::isConstInt(size, 1))) {
        const Expr width = high - low, period = width + width;
        const Expr remainder = ir::callIntrinsic(
            ir::intrinsics::fmod, {ir::callIntrinsic(ir::intrinsics::fabs, {place - low}), period});
        place = ir::select(outside, low + ir::min(remainder, period - remainder), place);
    }
    return boundedPlace(place, size);
}

Tensors computeGridSample(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0], &grid = inputs[1];
    const auto rank = static_cast<std::size_t>(x.shape().size()) - 2;
    const te::Tensor places = builder.compute(
        grid.shape(), axisNames(grid.shape().size()),
        [&](const std::vector<Expr> &i) {
            // The grid names the last dimension first. Its last index is a constant below, so that one of
            // these is taken.
            Expr place;
            for (std::size_t k = 0; k < rank; ++k) {
                const Expr each =
                    placeOf(site, ir::cast(placeType(site), grid.at(i)), x.shape()[x.shape().size() - 1 - k]);
                place = k == 0 ? each : ir::select(ir::eq(i.back(), Expr(static_cast<int>(k))), each, place);
            }
            return te::Body(place);
        },
        "places");
    const Shape shape = inferGridSample(site)[0].shape;
    return {builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<Expr> at{i[0]}, place;
            at.insert(at.end(), i.begin() + 2, i.end());
            at.emplace_back();
            for (std::size_t k = rank; k-- > 0;) {
                at.back() = Expr(static_cast<int>(k));
                place.push_back(places.at(at));
            }
            const Sampler sampler{
                x, {i[0], i[1]}, interpolationOf(site), outsideOf(site), site.flag("align_corners")};
            return te::Body(ir::cast(x.dtype(), sampler.at(place)));
        },
        "grid_sample")};
}

} // namespace

void addGridSample(TensorOps &table)
{
    table.push_back({.name = "image.grid_sample",
                     .summary = "elements of N×C×… at the places of a grid N×…×dimensions, last dimension "
                                "first, where -1 and 1 are "
                                "the sides",
                     .fusion = FusionKind::OutFusable,
                     .minInputs = 2,
                     .maxInputs = 2,
                     .attributes = {{"mode", std::string("linear"), "\"nearest\", \"linear\" or \"cubic\""},
                                    {"padding_mode", std::string("zeros"),
                                     "values outside: \"zeros\", \"border\" or \"reflection\""},
                                    {"align_corners", false,
                                     "-1 and 1 are the middle of the outermost elements, not their edges"}},
                     .infer = &inferGridSample,
                     .compute = &computeGridSample});
}

} // namespace nestwright::ops
