// SPDX-License-Identifier: Apache-2.0
/// Whether nests that run one after the other may run iteration by iteration instead.
#pragma once

#include "core/analysis/kernel/index.h"

#include <vector>

namespace nestwright::schedule {

/// The loops of one nest, innermost first; each iteration runs the body of the first.
using Nest = std::vector<const ir::For *>;

/// The nests are parts of the body of `holder`, of equal depth and extents. They may become one nest in the
/// place of the last one given, whose body is theirs in the order given. Throws "schedule.not-side-by-side"
/// when one of them is not a part of that body, "schedule.order" with the blocks concerned when an access
/// would come before one that it must follow.
void requireInterleavable(const analysis::FunctionIndex &index, support::StmtId holder,
                          const std::vector<Nest> &nests);

} // namespace nestwright::schedule
