// SPDX-License-Identifier: Apache-2.0
/// cache_inplace: copies a buffer that a block changes in place to other memory, to be changed there and
/// copied back.
#include "core/analysis/access/regions.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/schedule/primitives/cache_stage.h"
#include "core/schedule/primitives/cache_users.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/stage_rules.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct CacheInplaceArgs {
    BlockId block;
    BufferIndex buffer;
    std::string storageScope;
};

const ir::BufferRegion &requireWritten(const ir::Block &block, const ir::Buffer &buffer)
{
    const ir::BufferRegion *write = ir::findRegion(block.writes, buffer);
    if (!write)
        refuse(diagnostic("schedule.not-in-place",
                          "block " + named(block) + " reads '" + buffer.name() + "', but does not write it")
                   .at(block.id)
                   .withHint("use cache_read"));
    return *write;
}

/// The region as the block realizes it, without the part beyond the buffer's ends that a guard excludes.
arith::Region withinBuffer(Edit &edit, const ir::Block &block, const ir::BufferRegion &region)
{
    arith::Analyzer analyzer;
    analysis::bindEnclosing(analyzer, edit.index(block.id), block.id);
    const arith::Region whole = ir::fullRegion(region.buffer).region;
    const arith::Region realized = analysis::realized(block, region.region);
    return arith::covers(whole, realized, analyzer) ? realized : arith::intersect(realized, whole, analyzer);
}

ArgList cacheInplace(Edit &edit, const CacheInplaceArgs &args)
{
    requireStorageScope(args.storageScope, args.block.id);
    const ir::Block &block = edit.block(args.block.id);
    const ir::BufferRegion &read = accessAt(block, BufferSide::Read, args.buffer.index);
    const ir::Buffer buffer = read.buffer;
    const StmtId scope = scopeOf(edit, block.id);
    requireCover(edit, scope, buffer);
    const ir::BufferRegion &written = requireWritten(block, buffer);
    if (!ir::isTrue(block.predicate))
        refuse(diagnostic("schedule.predicate", "block " + named(block)
                                                    + " has a predicate, which copies of all it touches "
                                                      "would not keep to")
                   .at(block.id));

    const CacheRegion there{.region = withinBuffer(edit, block, read), .keepsShape = true};
    const CacheRegion back{.region = withinBuffer(edit, block, written), .keepsShape = true};
    arith::Analyzer analyzer;
    analysis::bindEnclosing(analyzer, edit.index(block.id), block.id);
    if (!arith::covers(there.region, back.region, analyzer)) // else the copy holds the earlier elements
        requireAsDeclared(edit, block.id, buffer);
    const ir::Buffer cache = cacheBuffer(buffer, there, args.storageScope);
    const StmtId before = edit.newId(), after = edit.newId();
    const ir::Stmt copyThere = copyNest(edit, buffer, cache, there, CacheSide::Read, before, block.id);
    const ir::Stmt copyBack = copyNest(edit, buffer, cache, back, CacheSide::Write, after, block.id);
    Changes changes;
    addChange(changes, block.id, [&](const ir::Stmt &s) {
        return ir::seq({copyThere, withCache(s, buffer, cache, there), copyBack});
    });
    addChange(changes, scope, editBlock([&](ir::Block &root) { root.allocBuffers.push_back(cache); }));
    edit.setBody(rewriteAt(edit.body(), changes));
    return {before, after};
}

} // namespace

Primitive cacheInplacePrimitive()
{
    return define<CacheInplaceArgs>(
        {.name = "cache_inplace",
         .title = "Cache in place",
         .group = Group::Caching,
         .key = "Shift+X",
         .summary = "Lets a block that changes a buffer in place work on a copy in other memory.",
         .documentation =
             R"(One new block copies what the block touches to the other memory, right before it; another
copies back, right after.

```
                          for ax0: A_local[ax0] = A[ax0]
change(A[0:64])     →     change(A_local[0:64])
                          for ax0: A[ax0] = A_local[ax0]
```

**Legal** when the block reads and writes the buffer.)",
         .results = Results::List},
        {required<&CacheInplaceArgs::block>("block", "Block", "The block that changes the buffer."),
         required<&CacheInplaceArgs::buffer>("read_buffer_index", "Buffer", "Which of the buffers it reads.")
             .attribute()
             .of(BufferSide::Read),
         required<&CacheInplaceArgs::storageScope>("storage_scope", "Memory", "Where the copy lies.")
             .attribute()
             .suggesting({storageScopes().begin(), storageScopes().end()})},
        cacheInplace);
}

} // namespace nestwright::schedule
