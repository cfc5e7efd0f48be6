// SPDX-License-Identifier: Apache-2.0
/// Elements of arrays as whole numbers: a double holds them only up to 2^53.
#pragma once

#include "core/ir/ndarray.h"

namespace nestwright::ir {

/// Element `index` (flat) exactly, uint64 as its bits; of a floating-point array as `integerOf` says
/// (fold.h).
std::int64_t integerAt(const NdArray &array, std::int64_t index);

} // namespace nestwright::ir
