// SPDX-License-Identifier: Apache-2.0
/// Arrays with their axes in another order: weights of hundreds of megabytes are brought into other layouts.
#pragma once

#include "core/ir/ndarray.h"

#include <cstdint>
#include <span>

namespace nestwright::graph {

/// Axis i of the result is axis `axes[i]` of `from`, which has one at least, and elements of 1, 2, 4 or 8
/// bytes. Large ones are moved on all cores.
ir::NdArray transposed(const ir::NdArray &from, std::span<const std::int64_t> axes);

} // namespace nestwright::graph
