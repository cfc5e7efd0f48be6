// SPDX-License-Identifier: Apache-2.0
/// The matrix product, which other presets begin with.
#pragma once

#include "core/catalog/preset.h"

namespace nestwright::catalog {

struct Product {
    te::Tensor a, b, c;
};

/// C[i, j] = sum of A[i, k] * B[k, j], with sizes M, N, K and the type of `values`; C is named `outputName`.
Product multiply(te::Builder &builder, const Values &values, const std::string &outputName);

/// The product of the first two arguments in the third, no element less than `least`.
void multiplyReference(const Values &values, std::span<ir::NdArray *const> arguments, double least);

} // namespace nestwright::catalog
