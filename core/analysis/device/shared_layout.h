// SPDX-License-Identifier: Apache-2.0
/// Places of the arrays that the threads of a block share, in one piece of memory.
#pragma once

#include "core/ir/build/walk.h"
#include "core/ir/node/stmt.h"

#include <cstdint>
#include <vector>

namespace nestwright::analysis {

struct SharedArray {
    ir::Var data;
    std::int64_t bytes = 0;
    std::int64_t offset = 0; ///< in the piece; a multiple of 16
};

struct SharedLayout {
    std::vector<SharedArray> arrays; ///< in the order in which the kernel makes them
    std::int64_t bytes = 0;          ///< of the piece

    /// Whether arrays lie where others lay before.
    bool isReused() const;
    /// Whether a kernel that may have `most` bytes of itself declares one piece rather than its arrays.
    bool isPiece(std::int64_t most) const { return bytes > most || isReused(); }
    const SharedArray *find(const ir::Var &data) const;
};

/// The layout of a flat kernel that has its barriers. Two arrays get the same bytes where one is used no more
/// when the other is used first, and all threads wait at a barrier in between, also from one iteration of a
/// loop around both to the next. The largest is placed first, each at the lowest free place. An array of a
/// size that is not constant is left out.
SharedLayout sharedLayoutOf(const ir::Stmt &kernel);

/// Bytes of the memory; nothing where an extent is no constant.
std::optional<std::int64_t> constantBytes(const ir::Allocate &memory);

} // namespace nestwright::analysis
