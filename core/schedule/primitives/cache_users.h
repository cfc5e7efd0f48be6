// SPDX-License-Identifier: Apache-2.0
/// Blocks that use a copy of a buffer in its place.
#pragma once

#include "core/schedule/primitives/cache_stage.h"

namespace nestwright::schedule {

/// `s` (a block with its body) using the cache in place of the buffer.
ir::Stmt withCache(const ir::Stmt &s, const ir::Buffer &buffer, const ir::Buffer &cache,
                   const CacheRegion &cached);

/// `s` (a block with its body) accessing `buffer` as `with` at `indices`, wherever it did before.
ir::Stmt withAccessesAt(const ir::Stmt &s, const ir::Buffer &buffer, const ir::Buffer &with,
                        const std::vector<ir::Expr> &indices);

} // namespace nestwright::schedule
