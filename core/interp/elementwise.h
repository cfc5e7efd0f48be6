// SPDX-License-Identifier: Apache-2.0
/// Functions that compute each element of one array by itself, many elements at a time: weights that are
/// computed when a model is opened have millions.
#pragma once

#include "core/ir/ndarray.h"
#include "core/ir/node/function.h"

#include <span>

namespace nestwright::interp {

/// Runs a function that is one block in a nest of constant loops, of sums, differences, products and
/// quotients of float32 and integers of up to 32 bits, and casts between them; elements of arrays stand where
/// the loops say or repeat. The results are those of `run`, to the bit. False, and nothing done, where the
/// function is another. `inputs`: one compact array per buffer parameter, in order, but for the last one,
/// which is `result`.
bool runElementwise(const ir::PrimFunc &function, std::span<const ir::NdArray *const> inputs,
                    ir::NdArray &result);

} // namespace nestwright::interp
