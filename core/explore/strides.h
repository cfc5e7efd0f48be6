// SPDX-License-Identifier: Apache-2.0
/// How far apart in memory successive iterations of a loop read and write.
#pragma once

#include "core/explore/variant_facts.h"

namespace nestwright::explore {

/// The accesses that `block` declares, each buffer's once for reading and once for writing, with their
/// strides in `loop`, which is around it. `cache` is left open.
std::vector<Access> accessesIn(const suggest::LoopNest &nest, StmtId block, StmtId loop);

} // namespace nestwright::explore
