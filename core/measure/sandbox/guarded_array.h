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
    std::span<std::byte> before, behind;

    void fill(std::byte pattern) const;
    /// The side on which something else than `pattern`, which it was filled with, was written.
    Side written(std::byte pattern) const;
};

struct GuardedArray {
    ir::NdArray array;
    Margins margins;
};

/// Zeros of the type and shape of `like`. Their end lies as near to the guard behind as alignment lets, so
/// that less than NdArray::alignment bytes behind them can be touched. Throws std::bad_alloc.
GuardedArray guardedArray(const ir::NdArray &like);

} // namespace nestwright::measure
