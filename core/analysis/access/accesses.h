// SPDX-License-Identifier: Apache-2.0
/// Accesses of blocks as far as others depend on them. Blocks that only wrap others are seen through.
#pragma once

#include "core/analysis/kernel/index.h"

namespace nestwright::analysis {

/// Whether the block only wraps others, as those that loop_partition makes: it has no variables, and the
/// blocks in it declare their accesses.
bool isWrapper(const ir::Block &block);

/// Like the FunctionIndex functions `scopeRoot`, `loopsOf` and `childBlocks`, but wrappers count as
/// transparent: the scope of the nearest enclosing block that is no wrapper (or is the root); the loops from
/// there to `id`, outermost first; the blocks below `id` that are no wrappers.
StmtId scopeThrough(const FunctionIndex &index, StmtId id);
std::vector<StmtId> loopsThrough(const FunctionIndex &index, StmtId id);
std::vector<StmtId> blocksThrough(const FunctionIndex &index, StmtId id);

/// A region that `block` declares, in terms of its variables.
struct Access {
    StmtId block;
    const ir::BufferRegion *region = nullptr;
};
struct Accesses {
    std::vector<Access> reads, writes;
};

/// The accesses that the block declares; for a wrapper those of the blocks in it (to buffers from outside
/// it), in program order. `touchedBelow` (regions.h) maps such an access to the outside.
Accesses accessesOf(const FunctionIndex &index, StmtId id);

/// Whether one of the accesses is to `buffer`, or to another one of the same memory.
bool touches(const std::vector<Access> &accesses, const ir::Buffer &buffer);

/// Buffers from outside that the block `id` touches without saying so, as blocks do after cache_index: in its
/// body and init, its predicate, the values of its variables, or the ranges of the loops around it in its
/// scope.
struct HiddenAccesses {
    std::vector<ir::Buffer> reads, writes;
};
HiddenAccesses hiddenAccesses(const FunctionIndex &index, StmtId id);

} // namespace nestwright::analysis
