// SPDX-License-Identifier: Apache-2.0
/// A block that copies a buffer into another one, for cache_read, cache_write and their like.
#pragma once

#include "core/analysis/access/accesses.h"
#include "core/arith/int_set.h"
#include "core/schedule/edit.h"
#include "core/schedule/primitives/access_guards.h"
#include "core/schedule/tree.h"

namespace nestwright::schedule {

/// A place among the parts of a loop's or block's body, before which something goes.
struct InsertPoint {
    StmtId holder;
    std::size_t position = 0;
};

/// The place before the first of `users` that comes after `writer`, as far inside as both allow; the
/// beginning of the scope when one of them comes before `writer`, its end when there are no users.
InsertPoint insertPointBetween(const analysis::FunctionIndex &index, StmtId writer,
                               const std::vector<StmtId> &users);

/// The part of a buffer that is copied.
struct CacheRegion {
    arith::Region region; ///< in terms of the loops around the place
    /// The cache has the shape of the whole buffer; otherwise that of the region, which is constant.
    bool keepsShape = true;
};

/// `region` with the whole of a dimension where its bounds are data: those would be read without the guards
/// of the block, and memory cannot have their size.
arith::Region withoutData(arith::Region region, const arith::Region &whole);

/// The region of `buffer` that `accesses` touch while the loops between them and the holder of `place` run,
/// and those around whose threads share each of `memories`, within the buffer. Each access is made under one
/// of `guards` only.
CacheRegion cacheRegionAt(const analysis::FunctionIndex &index, const std::vector<analysis::Access> &accesses,
                          const ir::Buffer &buffer, InsertPoint place,
                          std::initializer_list<std::string_view> memories,
                          const std::vector<AccessGuard> &guards = {{.condition = {}}});
/// All that the block whose scope it is says it reads, within the buffer, else the whole buffer; less where
/// blocks within `readers` keep all of them from reading it.
CacheRegion cacheRegionOfInput(const analysis::FunctionIndex &index, const ir::Block &scope,
                               const ir::Buffer &buffer, const std::vector<StmtId> &readers);

/// A buffer for a copy of the region in another storage scope, named "A_local".
ir::Buffer cacheBuffer(const ir::Buffer &buffer, const CacheRegion &cached, const std::string &storageScope);

enum class CacheSide : std::uint8_t {
    Read,  ///< copies from the buffer into the cache
    Write, ///< copies from the cache into the buffer
};

/// The extent of a copying loop: none for a part that lies behind the end of the buffer, whose blocks never
/// run.
ir::Expr copiedExtent(const ir::Expr &extent);

/// The loops `ax0`, `ax1`, … and the copying block, which is called as the cache. `id` is the block's;
/// `parent` its source.
ir::Stmt copyNest(Edit &edit, const ir::Buffer &buffer, const ir::Buffer &cache, const CacheRegion &cached,
                  CacheSide side, StmtId id, StmtId parent);

/// `body` with `inserted` at the position; within the part that stands there where that defines a name that
/// `inserted` uses.
ir::Stmt withInserted(const ir::Stmt &body, std::size_t position, const ir::Stmt &inserted);

/// Adds a change of the loop or block `id`, to be made after the change that `changes` has for it.
void addChange(Changes &changes, StmtId id, std::function<ir::Stmt(const ir::Stmt &)> change);
/// Adds `nest` at the place.
void addNest(Changes &changes, InsertPoint place, const ir::Stmt &nest);
/// Adds `nest` at the place, and `cache` allocated in the block `scope`.
void addStage(Changes &changes, StmtId scope, const ir::Buffer &cache, InsertPoint place,
              const ir::Stmt &nest);

} // namespace nestwright::schedule
