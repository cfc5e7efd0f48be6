// SPDX-License-Identifier: Apache-2.0
/// How far an iteration of a loop moves an access of a block.
#pragma once

#include "core/analysis/kernel/index.h"

#include <optional>
#include <vector>

namespace nestwright::explore {

using analysis::StmtId;

struct AccessStrides {
    ir::Buffer buffer;
    bool isWrite = false;
    /// Strides in elements of the buffer, one per loop of `loopsOf` the block, outermost first. Where a
    /// stride is not the same everywhere, it is that at the begin of the loops; nothing where it is no
    /// constant.
    std::vector<std::optional<std::int64_t>> strides{};
    double elements = 1; ///< that one run of the block touches
};

/// The declared accesses of `block`, those of reads first.
std::vector<AccessStrides> accessStrides(const analysis::FunctionIndex &index, StmtId block,
                                         const std::vector<StmtId> &loops);

} // namespace nestwright::explore
