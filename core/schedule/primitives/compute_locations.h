// SPDX-License-Identifier: Apache-2.0
/// Locations at which a block could be computed.
#pragma once

#include "core/schedule/edit.h"

namespace nestwright::schedule {

/// A place to compute a block at: a loop, or one of the marks. `index` is the loop's position among those
/// around the first consumer, -1 for the root, -2 for inlining.
struct ComputeLocation {
    StmtId at;
    std::int64_t index = 0;
};

/// All that are legal and worth while, by ascending index: no loops of one iteration, none below a
/// reduction's loops. As TVM collects them.
std::vector<ComputeLocation> computeLocations(Edit &edit, StmtId block);

} // namespace nestwright::schedule
