// SPDX-License-Identifier: Apache-2.0
/// Recognises programs that a matrix library has a function for.
#pragma once

#include "core/ir/node/function.h"

#include <cstdint>
#include <optional>

namespace nestwright::analysis {

/// C[m, n] = Σ a[m, k] · b[k, n] in row-major order, C being the last parameter.
struct MatrixProduct {
    std::int64_t m = 0, n = 0, k = 0;
    bool transposedA = false; ///< a is kept as [k, m]
    bool transposedB = false; ///< b is kept as [n, k]
    bool isDouble = false;    ///< float64, else float32

    double flops() const
    {
        return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    }

    friend bool operator==(const MatrixProduct &, const MatrixProduct &) = default;
};

/// The product that `function` computes, where it is one block that does nothing else and has not been
/// scheduled; nothing for another program.
std::optional<MatrixProduct> matrixProductOf(const ir::PrimFunc &function);

} // namespace nestwright::analysis
