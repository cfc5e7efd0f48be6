// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ops/nn/window.h"
#include "core/ops/nn/winograd.h"
#include "core/ops/table/tensor_op_tables.h"

#include <cmath>
#include <span>

namespace nestwright::ops {

using ir::Expr;

namespace {

/// A row of a matrix times a vector of terms.
template <typename Term> Expr rowTimes(std::span<const double> row, const Term &term)
{
    Expr sum;
    for (const bool positive : {true, false}) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (row[i] == 0 || (row[i] > 0) != positive)
                continue;
            const Expr value = term(static_cast<std::int64_t>(i));
            const double factor = std::abs(row[i]);
            const Expr scaled = factor == 1 ? value : value * real(factor, value);
            if (!sum)
                sum = positive ? scaled : real(0, value) - scaled;
            else
                sum = positive ? sum + scaled : sum - scaled;
        }
    }
    return sum;
}

/// Row `at` of a matrix with rows of `columns` elements times a vector of terms; `at` is a number of the
/// loops.
template <typename Term>
Expr matrixTimes(std::span<const double> matrix, std::size_t columns, const Expr &at, const Term &term)
{
    const std::size_t rows = matrix.size() / columns;
    Expr chosen = rowTimes(matrix.last(columns), term);
    for (std::size_t row = rows - 1; row-- > 0;)
        chosen = ir::select(ir::eq(at, Expr(static_cast<std::int64_t>(row))),
                            rowTimes(matrix.subspan(row * columns, columns), term), chosen);
    return chosen;
}

const Winograd &algorithmOf(const CallSite &site)
{
    const Winograd *algorithm = Winograd::of(site.integer("results"));
    if (!algorithm)
        typeError("results must be 2, 3 or 4");
    return *algorithm;
}

Window windowOf(const CallSite &site) { return Window::of(site, {3, 3}, true); }

Shape winogradShape(const CallSite &site)
{
    requireSameType(site);
    requireRank(site.input(0), 5, "the input");
    requireRank(site.input(1), 5, "the kernel");
    const std::int64_t elements = algorithmOf(site).elements();
    const Shape &x = site.input(0).shape, &w = site.input(1).shape;
    if (!sameSize(x[1], w[2] * Expr(site.integer("groups"))) || !sameSize(x[4], w[3])
        || !sameSize(w[1], dimension(elements * elements)))
        typeError("the input and the kernel differ in their channels, or the kernel in its tiles");
    const Window window = windowOf(site);
    if (window.strides != std::vector<std::int64_t>{1, 1})
        typeError("strides must be 1");
    constantSizes({x[2], x[3]}, "the size of the image");
    return {x[0], w[0], window.count(0, x[2]), window.count(1, x[3]), w[4]};
}

/// Positions of the tiles' elements in the image, and of results within their tiles.
class TilePlaces {
public:
    explicit TilePlaces(const WinogradTiles &tiles) : m_tiles(tiles) {}

    /// The row of element `r` of a tile of a part.
    Expr row(const Expr &part, const Expr &tile, const Expr &r) const
    {
        const Expr line = ir::floorDiv(tile, Expr(m_tiles.columns * m_tiles.columnDilation));
        const Expr rowOfTiles =
            part * Expr(m_tiles.rowsTogether) + ir::floorDiv(line, Expr(m_tiles.rowDilation));
        return (rowOfTiles * Expr(m_tiles.results) + r) * Expr(m_tiles.rowDilation)
               + ir::floorMod(line, Expr(m_tiles.rowDilation));
    }
    Expr column(const Expr &tile, const Expr &s) const
    {
        const Expr place = ir::floorMod(tile, Expr(m_tiles.columns * m_tiles.columnDilation));
        return (ir::floorDiv(place, Expr(m_tiles.columnDilation)) * Expr(m_tiles.results) + s)
                   * Expr(m_tiles.columnDilation)
               + ir::floorMod(place, Expr(m_tiles.columnDilation));
    }

    Expr partOf(const Expr &h) const
    {
        return ir::floorDiv(h, Expr(m_tiles.rowDilation * m_tiles.results * m_tiles.rowsTogether));
    }
    /// The tile, within its part, of a result.
    Expr tileOf(const Expr &h, const Expr &w) const
    {
        const Expr rowOfTiles = ir::floorMod(ir::floorDiv(h, Expr(m_tiles.rowDilation * m_tiles.results)),
                                             Expr(m_tiles.rowsTogether));
        const Expr line = rowOfTiles * Expr(m_tiles.rowDilation) + ir::floorMod(h, Expr(m_tiles.rowDilation));
        const Expr columnOfTiles = ir::floorDiv(w, Expr(m_tiles.columnDilation * m_tiles.results));
        return (line * Expr(m_tiles.columns) + columnOfTiles) * Expr(m_tiles.columnDilation)
               + ir::floorMod(w, Expr(m_tiles.columnDilation));
    }
    /// The row and the column of a result within its tile.
    Expr rowWithin(const Expr &h) const
    {
        return ir::floorMod(ir::floorDiv(h, Expr(m_tiles.rowDilation)), Expr(m_tiles.results));
    }
    Expr columnWithin(const Expr &w) const
    {
        return ir::floorMod(ir::floorDiv(w, Expr(m_tiles.columnDilation)), Expr(m_tiles.results));
    }

private:
    WinogradTiles m_tiles;
};

Tensors computeWinograd(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const Winograd &by = algorithmOf(site);
    const Shape shape = winogradShape(site), &x = inputs[0].shape(), &u = inputs[1].shape();
    const std::vector<std::int64_t> size = constantSizes({x[2], x[3], shape[2], shape[3]}, "the image");
    Window window = windowOf(site);
    const std::int64_t dilation[] = {window.dilation[0], window.dilation[1]};
    const auto tiles =
        WinogradTiles::of(size[2], size[3], by.results, dilation[0], dilation[1], site.machine);
    const TilePlaces places(tiles);
    const std::int64_t n = by.elements(), covered[] = {tiles.parts * tiles.rowsTogether, tiles.columns};
    for (std::size_t i = 0; i < 2; ++i)
        window.after[i] = (covered[i] * by.results + 2) * dilation[i] - size[i] - window.before[i];
    const te::Tensor image = window.isPadded() ? padded(builder, inputs[0], window) : inputs[0];
    const Expr parts(tiles.parts), together(tiles.together());
    const auto side = static_cast<std::size_t>(n);

    const te::Tensor rows = builder.compute(
        {x[0], parts, x[1], together, Expr(n), Expr(n), x[4]},
        {"n", "part", "rc", "tile", "row", "column", "rb"},
        [&](const std::vector<Expr> &i) {
            return te::Body(matrixTimes(by.input, side, i[4], [&](std::int64_t r) {
                return image.at(
                    {i[0], i[2], places.row(i[1], i[3], Expr(r)), places.column(i[3], i[5]), i[6]});
            }));
        },
        "winograd_rows");
    const te::Tensor transformed = builder.compute(
        {x[0], parts, Expr(n * n), x[1], together, x[4]}, {"n", "part", "element", "rc", "tile", "rb"},
        [&](const std::vector<Expr> &i) {
            return te::Body(matrixTimes(by.input, side, ir::floorMod(i[2], Expr(n)), [&](std::int64_t s) {
                return rows.at({i[0], i[1], i[3], i[4], ir::floorDiv(i[2], Expr(n)), Expr(s), i[5]});
            }));
        },
        "winograd_input");
    const te::IterVar rc = te::reduceAxis(u[2], "rc"), rb = te::reduceAxis(x[4], "rb");
    const std::vector<ir::AttrValue> tiling{by.results, tiles.rowsTogether, dilation[0], dilation[1]};
    // The blocks of a group of filters read those of its group of channels.
    const std::int64_t groups = site.integer("groups");
    const auto channelBlock = [&](const Expr &filterBlock) {
        return groups == 1 ? Expr(rc.var)
                           : ir::floorDiv(filterBlock, ir::floorDiv(u[0], Expr(groups))) * u[2] + rc.var;
    };
    const te::Tensor products = builder.compute(
        {x[0], parts, u[0], Expr(n * n), together, u[4]}, {"n", "part", "f", "element", "tile", "b"},
        [&](const std::vector<Expr> &i) {
            return te::Body(te::sum(transformed.at({i[0], i[1], i[3], channelBlock(i[2]), i[4], rb.var})
                                        * inputs[1].at({i[2], i[3], rc.var, rb.var, i[5]}),
                                    {rc, rb}));
        },
        "winograd_products", {{winogradAnnotation, tiling}});
    const te::Tensor columns = builder.compute(
        {x[0], parts, u[0], together, Expr(by.results), Expr(n), u[4]},
        {"n", "part", "f", "tile", "row", "column", "b"},
        [&](const std::vector<Expr> &i) {
            return te::Body(matrixTimes(by.output, side, i[4], [&](std::int64_t r) {
                return products.at({i[0], i[1], i[2], Expr(r * n) + i[5], i[3], i[6]});
            }));
        },
        "winograd_columns");
    return {builder.compute(
        shape, {"n", "f", "h", "w", "b"},
        [&](const std::vector<Expr> &i) {
            return te::Body(matrixTimes(by.output, side, places.columnWithin(i[3]), [&](std::int64_t s) {
                return columns.at({i[0], places.partOf(i[2]), i[1], places.tileOf(i[2], i[3]),
                                   places.rowWithin(i[2]), Expr(s), i[4]});
            }));
        },
        "conv")};
}

} // namespace

void addWinogradConvolution(TensorOps &table)
{
    std::vector<AttributeField> attributes = windowAttributes;
    attributes.push_back({"groups", std::int64_t{1}, "of channels, each in whole blocks"});
    attributes.push_back({"results", std::int64_t{2}, "m, of a tile along each dimension"});
    table.push_back({.name = "nn.winograd_conv",
                     .summary = "convolution of N×(C/c)×H×W×c with filters of 3×3 as F/f×(m+2)²×(C/c)×c×f",
                     .fusion = FusionKind::OutFusable,
                     .minInputs = 2,
                     .maxInputs = 2,
                     .attributes = attributes,
                     .infer =
                         [](const CallSite &site) {
                             return std::vector{TensorType{winogradShape(site), site.input().dtype}};
                         },
                     .compute = &computeWinograd});
}

} // namespace nestwright::ops
