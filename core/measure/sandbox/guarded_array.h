// SPDX-License-Identifier: Apache-2.0
/// Arrays between memory that nobody may touch: a kernel that reads or writes beyond its arguments shows.
#pragma once

#include "core/ir/ndarray.h"

#include <cstdint>
#include <span>

namespace nestwright::measure {

enum class Side : std::uint8_t { None, Before, Behind };

/// Memory within the pages of an array that does not belong to it.
struct Margins {
    std::span<const std::byte> before, behind;

    /// The side on which something was written.
    Side written() const;
};

struct GuardedArray {
    ir::NdArray array;
    Margins margins;
};

/// Zeros of the type and shape of `like`. Their end lies as near to the guard behind as alignment lets, so
/// that less than NdArray::alignment bytes behind them can be touched. Throws std::bad_alloc.
GuardedArray guardedArray(const ir::NdArray &like);

} // namespace nestwright::measure
