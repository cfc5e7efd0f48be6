// SPDX-License-Identifier: Apache-2.0
/// Recognises nests of loops that sum up products of matrices, and cuts them into tiles of the size that
/// registers of tiles have (Intel AMX: 16 rows of 16 words of 32 bits).
#pragma once

#include "core/ir/node/stmt.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright::analysis {

/// C[m, n] += Σ A[m, k] · B[k, n].
enum class TileOperand : std::uint8_t { A, B, C };

/// A loop over tiles, or over the rows of one: how far each iteration moves in A, B and C, in elements.
struct TileSteps {
    std::int64_t extent = 1;
    std::array<std::int64_t, 3> steps{};

    std::int64_t step(TileOperand operand) const { return steps[static_cast<std::size_t>(operand)]; }
    bool operator==(const TileSteps &) const = default;
};

/// A matrix in memory: its first element, and how far apart the rows of a tile lie, in elements.
struct TiledMatrix {
    ir::Buffer buffer;
    ir::Expr first; ///< in terms of what is around the nest
    std::int64_t rowStep = 0;
};

/// A nest as loops over tiles. A tile of A has `rows` rows of `words` words, one of B `words` rows of
/// `columns` words, one of C `rows` rows of `columns` elements. A word of A holds `wordTerms` neighbouring
/// terms of a row, one of B those of a column.
struct TileProduct {
    TiledMatrix a, b, c;
    std::int64_t rows = 1, columns = 1, words = 1, wordTerms = 4;
    std::vector<TileSteps> outer;    ///< loops over blocks of tiles of C, outermost first
    TileSteps rowTiles, columnTiles; ///< tiles of a block, which registers hold together
    std::vector<TileSteps> inner;    ///< loops over the terms, outermost first

    /// Registers for a block of C and for the tiles of A and B that belong to it.
    std::int64_t registers() const
    {
        return rowTiles.extent * columnTiles.extent + rowTiles.extent + columnTiles.extent;
    }
};

/// The most rows of a tile, and words of a row; the registers that there are.
inline constexpr std::int64_t tileRows = 16, tileRegisters = 8;

/// The product that a nest of a flat program computes: loops from 0 with constant extents, around one store
/// that adds products of int8 and uint8 in int32, or of bfloat16 in float32, in places that are sums of
/// multiples of the loops' variables. Nothing where it is another one, where C lies in the memory of A or B,
/// or where two iterations of the loops over C may add to one element.
std::optional<TileProduct> tileProductOf(const ir::Stmt &nest);

/// Whether `before` does nothing but set to 0 all elements of C that the product adds to.
bool clearsResult(const ir::Stmt &before, const TileProduct &product);

} // namespace nestwright::analysis
