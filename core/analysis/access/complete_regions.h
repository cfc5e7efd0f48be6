// SPDX-License-Identifier: Apache-2.0
/// The regions of buffers that a block reads and writes, found from its body.
#pragma once

#include "core/ir/node/function.h"

#include <vector>

namespace nestwright::analysis {

/// Regions in order of appearance, one per buffer. A buffer that is accessed through its pointer is in both
/// lists, whole.
struct AccessRegions {
    std::vector<ir::BufferRegion> reads, writes;
};

/// The region of an index that calls a function, or is a choice (T.Select).
enum class IndexBounds {
    Detected, ///< as TVM completes scripts: any index for a call, all between its arms for a choice
    Exact,    ///< as for any other index: where no loop within the block moves it, it is its own region
};

/// The regions of outside buffers that `block` (its init included) accesses, in terms of its iteration
/// variables: loops within are relaxed, conditions around an access narrow it, blocks within count by the
/// regions they declare. A block with an init does not read the regions that it writes. `outer` names buffers
/// by their pointers, for accesses through these.
AccessRegions accessRegions(const ir::Block &block, const ir::VarMap<ir::Buffer> &outer = {},
                            IndexBounds bounds = IndexBounds::Detected);

/// Every block that carries script::detectAccessKey gets the regions it lacks and loses the key. Root blocks,
/// which do not carry it, keep empty regions.
ir::Module completeRegions(const ir::Module &module);

} // namespace nestwright::analysis
