// SPDX-License-Identifier: Apache-2.0
/// A block that copies a buffer into another one, for cache_read, cache_write and their like.
#pragma once

#include "core/arith/int_set.h"
#include "core/schedule/edit.h"

namespace nestwright::schedule {

/// A place among the parts of a loop's or block's body, before which something goes.
struct Place {
    StmtId holder;
    std::size_t position = 0;
};

/// The place before the first of `users` that comes after `writer`, as far inside as both allow; the end of the scope when
/// there are no users.
Place placeBetween(const analysis::FunctionIndex &index, StmtId writer, const std::vector<StmtId> &users);

/// Which part of a buffer is copied.
struct CacheRegion {
    arith::Region region; ///< in terms of the loops around the place
    /// The cache has the shape of the whole buffer; otherwise that of the region, which is constant.
    bool keepsShape = true;
};

/// What `block` touches as `touched` while the loops between it and the holder of `place` run, within the buffer.
CacheRegion cacheRegionAt(const analysis::FunctionIndex &index, StmtId block, const ir::BufferRegion &touched,
                          Place place);
/// All that the block whose scope it is says it reads, else the whole buffer.
CacheRegion cacheRegionOfInput(const ir::Block &scope, const ir::Buffer &buffer);

/// A buffer for a copy of the region in another storage scope, named "A_local".
ir::Buffer cacheBuffer(const ir::Buffer &buffer, const CacheRegion &cached, const std::string &storageScope);

enum class CacheSide : std::uint8_t {
    Read,  ///< copies from the buffer into the cache
    Write, ///< copies from the cache into the buffer
};

/// The loops `ax0`, `ax1`, … and the copying block, which is called as the cache. `id` is the block's; `parent` what it comes from.
ir::Stmt copyNest(Edit &edit, const ir::Buffer &buffer, const ir::Buffer &cache, const CacheRegion &cached,
                  CacheSide side, StmtId id, StmtId parent);

/// `s` (a block with what is below it) using the cache in place of the buffer.
ir::Stmt withCache(const ir::Stmt &s, const ir::Buffer &buffer, const ir::Buffer &cache,
                   const CacheRegion &cached);

/// `body` with `inserted` at the position.
ir::Stmt withInserted(const ir::Stmt &body, std::size_t position, const ir::Stmt &inserted);

} // namespace nestwright::schedule
