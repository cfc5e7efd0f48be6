// SPDX-License-Identifier: Apache-2.0
/// Matches the computation of a block with the description of a tensor intrinsic.
#pragma once

#include "core/schedule/edit.h"

namespace nestwright::schedule {

/// How the buffers of the description stand for those of the block.
struct IntrinsicMatch {
    ir::BufferMap<ir::Buffer> buffers;              ///< of the description → of the block
    ir::BufferMap<std::vector<ir::Expr>> beginning; ///< where in a buffer of the block its region begins
};

/// Compares the block, its own variables aside, with the root block of the description, loop by loop and
/// access by access. Buffers may have more dimensions than in the description; the surplus ones, first, are
/// fixed. Throws "schedule.intrinsic-mismatch" with the first difference. After TensorIR's comparator.
IntrinsicMatch matchIntrinsic(const ir::Block &block, const ir::PrimFunc &description,
                              const std::string &name);

} // namespace nestwright::schedule
