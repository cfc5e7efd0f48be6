// SPDX-License-Identifier: Apache-2.0
/// Recognises programs that tuned libraries have a function for.
#pragma once

#include "core/analysis/kernel/matrix_product.h"

#include <array>
#include <variant>

namespace nestwright::analysis {

/// y[n, f, i, j] = Σ x[n, c, i·stride + r·dilation - padding, …] · w[f, c, r, s] in float32; x is 0 beyond
/// its edge. Pairs are of rows and columns.
struct Convolution {
    using Pair = std::array<std::int64_t, 2>;

    std::int64_t batch = 0, channels = 0, filters = 0;
    Pair input{}, kernel{}, output{};
    Pair stride{}, dilation{}, padding{}; ///< padding: before the first row and column

    double flops() const
    {
        return 2.0 * static_cast<double>(batch * channels * filters)
               * static_cast<double>(kernel[0] * kernel[1]) * static_cast<double>(output[0] * output[1]);
    }

    friend bool operator==(const Convolution &, const Convolution &) = default;
};

/// y[i, j] = exp(x[i, j] - max of the row) / sum of these, in float32.
struct Softmax {
    std::int64_t rows = 0, columns = 0;

    /// Counted like `analysis::operationsOf`: difference, quotient, comparison, sum.
    double flops() const { return 4.0 * static_cast<double>(rows) * static_cast<double>(columns); }

    friend bool operator==(const Softmax &, const Softmax &) = default;
};

using LibraryKernel = std::variant<MatrixProduct, Convolution, Softmax>;

double flopsOf(const LibraryKernel &kernel);

/// Kernel that `function` computes, where it does nothing else and has not been scheduled: a convolution by
/// rows of channels, padded by a stage before it or not at all; softmax of rows in four stages. Nothing for
/// another program.
std::optional<LibraryKernel> libraryKernelOf(const ir::PrimFunc &function);

} // namespace nestwright::analysis
