// SPDX-License-Identifier: Apache-2.0
/// Minimal filtering of images by kernels of 3×3 (S. Winograd, "Arithmetic Complexity of Computations", 1980;
/// as products of matrices in A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks",
/// 2015): F(m, 3) makes m results of m + 2 elements by m + 2 multiplications.
#pragma once

#include "core/ir/ndarray.h"
#include "core/target/machine.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright::ops {

/// The matrices of F(m, 3), row by row, for both dimensions of an image: a tile of results is
/// Aᵀ [(G g Gᵀ) ∘ (Bᵀ d B)] A for a kernel g and a tile of elements d.
struct Winograd {
    static constexpr std::size_t kernel = 3;

    std::int64_t results = 0;    ///< m, along each dimension
    std::vector<double> input;   ///< Bᵀ: (m + 2) × (m + 2)
    std::vector<double> weights; ///< G: (m + 2) × 3
    std::vector<double> output;  ///< Aᵀ: m × (m + 2)

    /// m is 2, 3 or 4; null for another.
    static const Winograd *of(std::int64_t results);

    /// Elements of a tile along each dimension.
    std::int64_t elements() const { return results + 2; }
};

/// Annotates the products of nn.winograd_conv, for their schedule: a list of the results of a tile along each
/// dimension, the rows of tiles of a part, and the dilation of rows and of columns.
inline constexpr const char *winogradAnnotation = "winograd_tiles";

/// The tiles of an image of results, some rows of them computed at a time. With dilation, the tiles of
/// different phases are interleaved in rows and columns.
struct WinogradTiles {
    std::int64_t results = 2; ///< of a tile along each dimension
    std::int64_t rowDilation = 1, columnDilation = 1;
    std::int64_t rows = 0, columns = 0; ///< of tiles; those that lie between each other count as one
    std::int64_t rowsTogether = 1;      ///< whose tiles stand in one matrix: a part
    std::int64_t parts = 0;             ///< the last may hold rows that are not needed

    static WinogradTiles of(std::int64_t height, std::int64_t width, std::int64_t results,
                            std::int64_t rowDilation = 1, std::int64_t columnDilation = 1,
                            const target::Machine &machine = target::tunedMachine());
    /// Tiles of a part.
    std::int64_t together() const { return rowsTogether * rowDilation * columns * columnDilation; }
};

/// A convolution of 3×3, by the size of its results.
struct FilteredImage {
    std::int64_t height = 0, width = 0, channels = 0, filters = 0;
    std::int64_t groups = 1, rowDilation = 1, columnDilation = 1;
};

/// The tiles that take least time; nothing where none takes clearly less than the convolution itself.
std::optional<WinogradTiles> winogradTiles(const FilteredImage &image, const target::Machine &machine);

/// Weights F/f × C/c × 3 × 3 × c × f (float32) as F/f × (m + 2)² × C/c × c × f.
ir::NdArray winogradWeights(const ir::NdArray &weights, const Winograd &by);

} // namespace nestwright::ops
