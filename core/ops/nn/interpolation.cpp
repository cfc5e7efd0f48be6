// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nn/interpolation.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"

namespace nestwright::ops {

namespace {

using ir::Expr;

/// Weights of the elements around a place that lies `beyond` (in [0, 1)) behind one of them.
std::vector<Expr> weightsOf(Interpolation interpolation, const Expr &beyond)
{
    const Expr one = real(1, beyond);
    if (interpolation == Interpolation::Linear)
        return {one - beyond, beyond};
    // Cubic convolution (R. Keys, 1981) with a slope of -0.75 at the ends.
    const double a = -0.75;
    const auto near = [&](const Expr &d) {
        return (real(a + 2, d) * d - real(a + 3, d)) * d * d + real(1, d);
    };
    const auto far = [&](const Expr &d) {
        return ((real(a, d) * d - real(5 * a, d)) * d + real(8 * a, d)) * d - real(4 * a, d);
    };
    return {far(beyond + one), near(beyond), near(one - beyond), far(one + one - beyond)};
}

} // namespace

Expr boundedPlace(const Expr &place, const Expr &size)
{
    const Expr last = ir::cast(place.dtype(), size) + real(2, place);
    return ir::max(real(-3, place), ir::min(place, last));
}

Expr Sampler::element(const std::vector<Expr> &indices) const
{
    std::vector<Expr> at = leading, inside;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const Expr &size = tensor.shape()[leading.size() + i], &given = indices[i];
        const Expr last = dimension(size - Expr(1));
        if (outside == Outside::Zeros) {
            inside.push_back(ir::ge(given, Expr(0)));
            inside.push_back(ir::lt(given, size));
            at.push_back(given);
        } else if (outside == Outside::Border || ir::isConstInt(size, 1)) {
            at.push_back(ir::max(Expr(0), ir::min(given, last)));
        } else {
            const Expr period = dimension(mirrorsAtCenters ? last * Expr(2) : size * Expr(2));
            const Expr remainder = ir::floorMod(given, period);
            at.push_back(
                ir::min(remainder, (mirrorsAtCenters ? period : dimension(period - Expr(1))) - remainder));
        }
    }
    const Expr found = tensor.at(at);
    return inside.empty() ? found : te::ifThenElse(te::all(inside), found, ir::constant(0, found.dtype()));
}

Expr Sampler::interpolated(const std::vector<Expr> &place, std::vector<Expr> indices) const
{
    const std::size_t i = indices.size();
    if (i == place.size())
        return ir::cast(place[0].dtype(), element(indices));
    const Expr floor = ir::callIntrinsic(ir::intrinsics::floor, {place[i]});
    const std::vector<Expr> weights = weightsOf(interpolation, place[i] - floor);
    const int before = interpolation == Interpolation::Cubic ? 1 : 0;
    Expr sum;
    indices.emplace_back();
    for (std::size_t k = 0; k < weights.size(); ++k) {
        indices.back() = index(floor) + Expr(static_cast<int>(k) - before);
        const Expr term = weights[k] * interpolated(place, indices);
        sum = k == 0 ? term : sum + term;
    }
    return sum;
}

Expr Sampler::at(const std::vector<Expr> &place) const
{
    if (interpolation != Interpolation::Nearest)
        return interpolated(place, {});
    std::vector<Expr> indices;
    for (const Expr &each : place)
        indices.push_back(index(each)); // rounded already
    return ir::cast(place[0].dtype(), element(indices));
}

} // namespace nestwright::ops
