// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nn/winograd.h"

#include "core/support/parallel.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace nestwright::ops {

namespace {

/// The coefficients of the product of (x - root), the constant first.
std::vector<double> polynomial(std::span<const double> roots)
{
    std::vector<double> made{1};
    for (const double root : roots) {
        made.push_back(0);
        for (std::size_t i = made.size(); i-- > 0;)
            made[i] = (i > 0 ? made[i - 1] : 0) - root * made[i];
    }
    return made;
}

/// The algorithm of Toom and Cook, which multiplies polynomials by their values at these points and at
/// infinity, transposed.
Winograd atPoints(std::vector<double> points)
{
    Winograd made;
    const std::size_t n = points.size() + 1, m = n - Winograd::kernel + 1;
    made.results = static_cast<std::int64_t>(m);
    made.input.assign(n * n, 0);
    made.weights.assign(n * Winograd::kernel, 0);
    made.output.assign(m * n, 0);
    for (std::size_t j = 0; j < points.size(); ++j) {
        std::vector<double> others = points;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(j));
        double scale = 1;
        for (const double other : others)
            scale *= points[j] - other;
        std::ranges::copy(polynomial(others), made.input.begin() + static_cast<std::ptrdiff_t>(j * n));
        double power = 1;
        for (std::size_t i = 0; i < std::max<std::size_t>(m, Winograd::kernel); ++i) {
            if (i < Winograd::kernel)
                made.weights[j * Winograd::kernel + i] = power / scale;
            if (i < m)
                made.output[i * n + j] = power;
            power *= points[j];
        }
    }
    std::ranges::copy(polynomial(points), made.input.end() - static_cast<std::ptrdiff_t>(n));
    made.weights.back() = made.output.back() = 1;
    return made;
}

/// Filtering algorithms at points with small errors. The points of F(4, 3) lie closer together than 1, 2 and
/// their opposites, which have six times the errors; their powers are exact as well. Those of F(3, 3) have a
/// fifth of the errors of 0, 1, -1 and 1/2.
const std::array<Winograd, 3> &algorithms()
{
    static const std::array<Winograd, 3> made{atPoints({0, 1, -1}), atPoints({0, 0.5, -1, 1.5}),
                                              atPoints({0, 0.75, -0.75, 1.5, -1.5})};
    return made;
}

std::int64_t roundedUpQuotient(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

} // namespace

const Winograd *Winograd::of(std::int64_t results)
{
    const auto found = std::ranges::find(algorithms(), results, &Winograd::results);
    return found == algorithms().end() ? nullptr : &*found;
}

WinogradTiles WinogradTiles::of(std::int64_t height, std::int64_t width, std::int64_t results,
                                std::int64_t rowDilation, std::int64_t columnDilation,
                                const target::Machine &machine)
{
    WinogradTiles best{results, rowDilation, columnDilation,
                       roundedUpQuotient(roundedUpQuotient(height, rowDilation), results),
                       roundedUpQuotient(roundedUpQuotient(width, columnDilation), results)};
    double least = std::numeric_limits<double>::infinity();
    for (WinogradTiles each = best; each.rowsTogether <= each.rows; ++each.rowsTogether) {
        if (each.rowsTogether > 1 && each.together() > machine.first.mostTiles)
            break;
        each.parts = roundedUpQuotient(each.rows, each.rowsTogether);
        // Each part costs the loads of all weights; parts are what threads share, where there are enough.
        const double waiting = each.parts > 2 * machine.threads ? machine.imbalance(each.parts) : 1;
        if (const double cost =
                waiting * static_cast<double>(each.parts * (each.together() + machine.first.tilesOfLoad));
            cost <= least) {
            least = cost;
            best = each;
        }
    }
    return best;
}

std::optional<WinogradTiles> winogradTiles(const FilteredImage &image, const target::Machine &machine)
{
    // In multiply-adds: what an element of a tile costs to transform and to store, and a weight to load.
    constexpr double transform = 3, gain = 0.85;
    const auto load = static_cast<double>(machine.first.tilesOfLoad);
    constexpr double taps = 9;
    const std::int64_t channelsOfGroup = image.channels / image.groups;
    const auto products = static_cast<double>(channelsOfGroup) * static_cast<double>(image.filters);
    double least = gain * taps * products * (static_cast<double>(image.height * image.width) + load);
    std::optional<WinogradTiles> best;
    for (const Winograd &algorithm : algorithms()) {
        const auto tiles = WinogradTiles::of(image.height, image.width, algorithm.results, image.rowDilation,
                                             image.columnDilation, machine);
        const auto elements = static_cast<double>(algorithm.elements() * algorithm.elements());
        const auto count = static_cast<double>(tiles.parts * tiles.together());
        const double cost = elements
                            * (products * (count + load * static_cast<double>(tiles.parts))
                               + transform * count * static_cast<double>(image.channels + image.filters));
        if (cost < least) {
            least = cost;
            best = tiles;
        }
    }
    return best;
}

namespace {

constexpr std::size_t mostElements = 6; ///< of a tile along a dimension

/// G g Gᵀ of `count` kernels that lie side by side; their elements lie `apart`, those of the tiles
/// `tilesApart`.
template <std::size_t count>
void transformKernels(const float *kernels, std::int64_t apart, float *tiles, std::int64_t tilesApart,
                      const Winograd &by)
{
    using Kernels = std::array<double, count>;
    constexpr auto k = static_cast<std::int64_t>(Winograd::kernel);
    const std::int64_t n = by.elements();
    const auto weight = [&](std::int64_t row, std::int64_t i) {
        return by.weights[static_cast<std::size_t>(row * k + i)];
    };
    std::array<Kernels, mostElements * Winograd::kernel> half{};
    for (std::int64_t row = 0; row < n; ++row) {
        for (std::int64_t column = 0; column < k; ++column) {
            Kernels &sum = half[static_cast<std::size_t>(row * k + column)];
            for (std::int64_t i = 0; i < k; ++i) {
                const float *from = kernels + (i * k + column) * apart;
                for (std::size_t each = 0; each < sum.size(); ++each)
                    sum[each] += weight(row, i) * static_cast<double>(from[each]);
            }
        }
    }
    for (std::int64_t row = 0; row < n; ++row) {
        for (std::int64_t column = 0; column < n; ++column) {
            Kernels sum{};
            for (std::int64_t i = 0; i < k; ++i) {
                const Kernels &from = half[static_cast<std::size_t>(row * k + i)];
                for (std::size_t each = 0; each < sum.size(); ++each)
                    sum[each] += from[each] * weight(column, i);
            }
            float *to = tiles + (row * n + column) * tilesApart;
            for (std::size_t each = 0; each < sum.size(); ++each)
                to[each] = static_cast<float>(sum[each]);
        }
    }
}

} // namespace

ir::NdArray winogradWeights(const ir::NdArray &weights, const Winograd &by)
{
    constexpr auto k = static_cast<std::int64_t>(Winograd::kernel);
    const std::vector<std::int64_t> &size = weights.shape(); // F/f × C/c × 3 × 3 × c × f
    const std::int64_t n = by.elements(), matrix = size[4] * size[5], channels = size[1];
    auto made = ir::NdArray::uninitialized(weights.dtype(), {size[0], n * n, channels, size[4], size[5]});
    const auto *from = weights.data<float>();
    auto *to = made.data<float>();
    const auto transform = [&](std::int64_t block) {
        const float *kernels = from + block * k * k * matrix;
        float *tiles = to + (block / channels * n * n * channels + block % channels) * matrix;
        constexpr std::int64_t together = 8;
        std::int64_t each = 0;
        for (; each + together <= matrix; each += together)
            transformKernels<together>(kernels + each, matrix, tiles + each, channels * matrix, by);
        for (; each < matrix; ++each)
            transformKernels<1>(kernels + each, matrix, tiles + each, channels * matrix, by);
    };
    const std::int64_t blocks = size[0] * channels;
    support::inParts(blocks, blocks, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block)
            transform(block);
    });
    return made;
}

} // namespace nestwright::ops
