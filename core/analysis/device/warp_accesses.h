// SPDX-License-Identifier: Apache-2.0
/// How the threads of a warp meet when they access memory together: in banks of shared memory, in sectors of
/// the device's.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/stmt_id.h"

#include <span>
#include <vector>

namespace nestwright::analysis {

/// Bytes of one thread in one instruction: `bytes` from `address` on, which is at least 0; no bytes where the
/// thread takes no part.
struct LaneAccess {
    std::int64_t address = 0;
    int bytes = 0;
};

/// How often shared memory is asked for the accesses of the lanes of one warp, where once would do without
/// conflicts: the most 4-byte words that they want of one of its 32 banks, 1 for words that all lanes share.
/// Lanes of 8 bytes are served by halves of a warp, those of 16 by quarters; the worst of these counts.
/// (NVIDIA's CUDA C++ Programming Guide, "Shared Memory".)
int bankConflictDegree(std::span<const LaneAccess> lanes);

/// The sectors of 32 bytes that the lanes touch, and the fewest that hold as many bytes.
struct Sectors {
    int touched = 0, fewest = 0;
};
Sectors sectorsOf(std::span<const LaneAccess> lanes);

/// One load or store of a program, at its worst over the warps and iterations that were tried.
struct WarpAccess {
    support::StmtId place; ///< the innermost loop or block around it
    ir::Buffer buffer;
    bool isStore = false;
    double times = 1;       ///< that one thread comes by, where extents of loops are known
    int conflictDegree = 1; ///< of shared memory
    Sectors sectors;        ///< of the device's memory
};

/// The accesses of a flat function, as its threads run it (lower::lowerToThreads), to shared memory and to
/// that of the device, those of the same buffer, place and direction as one. Loops are tried at their first,
/// second, middle and last iterations. Left out: indices that depend on data or on sizes that are not known,
/// loops over threads whose extents are not constant.
std::vector<WarpAccess> warpAccesses(const ir::PrimFunc &function);

} // namespace nestwright::analysis
