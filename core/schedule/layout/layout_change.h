// SPDX-License-Identifier: Apache-2.0
/// A buffer laid out anew: every access goes through an index map.
#pragma once

#include "core/ir/node/stmt.h"
#include "core/schedule/value.h"

namespace nestwright::schedule {

/// `s` (a block) with `before` replaced by `after` in accesses, regions and allocations; indices are
/// simplified with facts from the loops, blocks and conditions around them. Throws "schedule.opaque-access"
/// where a part of `before` is matched.
ir::Stmt withLayout(const ir::Stmt &s, const ir::Buffer &before, const ir::Buffer &after,
                    const IndexMap &map);

/// Divides the buffers matched with parts of `buffer` into address dimensions as it is; all at the front
/// where one has another number of dimensions.
ir::Stmt withSeparatedParts(const ir::Stmt &s, const ir::Buffer &buffer);

/// `s` with the indices of accesses and regions simplified in this way.
ir::Stmt withSimpleAccesses(const ir::Stmt &s);

} // namespace nestwright::schedule
