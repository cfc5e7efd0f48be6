// SPDX-License-Identifier: Apache-2.0
/// cache_read and cache_write: a copy of a buffer in other memory.
#include "core/analysis/access/accesses.h"
#include "core/analysis/access/regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/schedule/primitives/cache_stage.h"
#include "core/schedule/primitives/cache_users.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/stage_rules.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct CacheReadArgs {
    BlockId block;
    BufferIndex buffer;
    std::string storageScope;
    std::vector<BlockId> consumers;
};
struct CacheWriteArgs {
    BlockId block;
    BufferIndex buffer;
    std::string storageScope;
    std::vector<BlockId> consumers;
};

std::vector<StmtId> consumersIn(Edit &edit, StmtId scope, const std::vector<BlockId> &given,
                                const ir::Buffer &buffer)
{
    std::vector<StmtId> consumers;
    for (const BlockId id : given) {
        const ir::Block &consumer = edit.block(id.id);
        if (edit.index(id.id).scopeRoot(id.id) != scope
            || !analysis::touches(analysis::accessesOf(edit.index(id.id), id.id).reads, buffer))
            refuse(diagnostic("schedule.not-a-consumer", "block " + named(consumer) + " does not read '"
                                                             + buffer.name() + "' in this scope")
                       .at(id.id));
        consumers.push_back(id.id);
    }
    return consumers;
}

/// A copy that is made before the writer runs must not miss elements that it wrote in the iteration before.
void requireNoCommonLoop(Edit &edit, StmtId reader, StmtId writer, const ir::Buffer &buffer)
{
    const analysis::FunctionIndex &index = edit.index(writer);
    for (const StmtId loop : index.loopsOf(writer)) {
        if (index.encloses(loop, reader) && !ir::isConstInt(index.loop(loop)->extent, 1))
            refuse(diagnostic("schedule.written-between", "block " + named(edit.block(reader)) + " reads '"
                                                              + buffer.name() + "' in the iteration of loop "
                                                              + named(edit.loop(loop)) + " after block "
                                                              + named(edit.block(writer)) + " has written it")
                       .at(reader)
                       .at(writer)
                       .withHint("cache_inplace copies there and back"));
    }
}

/// A copy can serve readers before the writer (then true), or those after it.
bool requireSameSide(Edit &edit, const analysis::Scope &scope, StmtId writer, const ir::Buffer &buffer,
                     const std::vector<StmtId> &consumers)
{
    StmtId before, after;
    bool written = false;
    for (const StmtId id : scope.blocks) {
        written = written || id == writer;
        const bool reads = analysis::touches(analysis::accessesOf(edit.index(id), id).reads, buffer);
        if (id == writer || !reads || !std::ranges::contains(consumers, id))
            continue;
        (written ? after : before) = id;
        if (!written)
            requireNoCommonLoop(edit, id, writer, buffer);
    }
    if (before && after)
        refuse(diagnostic("schedule.written-between", "block " + named(edit.block(before)) + " reads '"
                                                          + buffer.name() + "' before block "
                                                          + named(edit.block(writer)) + " writes it, block "
                                                          + named(edit.block(after)) + " after that")
                   .at(before)
                   .at(after)
                   .withHint("name the blocks that use the copy: those before or those after"));
    return bool(before);
}

/// The block that writes the buffer cannot read a copy of it that is made before or after.
void requireOthers(Edit &edit, const std::vector<StmtId> &given, StmtId writer, const ir::Buffer &buffer)
{
    if (writer && std::ranges::contains(given, writer))
        refuse(diagnostic("schedule.reads-what-it-writes", "block " + named(edit.block(writer)) + " writes '"
                                                               + buffer.name()
                                                               + "' too, so a copy would not follow it")
                   .at(writer)
                   .withHint("cache_inplace copies there and back"));
}

ArgList cacheRead(Edit &edit, const CacheReadArgs &args)
{
    requireStorageScope(args.storageScope, args.block.id);
    const ir::Block &block = edit.block(args.block.id);
    const analysis::FunctionIndex &index = edit.index(block.id);
    const StmtId scope = scopeOf(edit, block.id);
    const ir::Buffer buffer = accessAt(block, BufferSide::Read, args.buffer.index).buffer;
    const analysis::Scope &facts = index.scope(scope);
    requireCover(edit, scope, buffer);
    const std::vector<StmtId> given = consumersIn(edit, scope, args.consumers, buffer);
    const StmtId writer = onlyWriter(edit, scope, buffer);
    std::vector<StmtId> consumers = given;
    if (given.empty())
        std::ranges::copy_if(facts.blocks, std::back_inserter(consumers),
                             [&](StmtId id) { return id != writer; });

    InsertPoint place{scope, 0};
    CacheRegion cached;
    requireOthers(edit, given, writer, buffer);
    if (writer && !requireSameSide(edit, facts, writer, buffer, consumers)) {
        place =
            insertPointBetween(index, writer, given.empty() ? readersAfter(facts, writer, buffer) : given);
        cached =
            cacheRegionAt(index, analysis::accessesOf(index, writer).writes, buffer, place, {buffer->scope});
    } else {
        cached = cacheRegionOfInput(index, *index.block(scope), buffer, consumers);
    }
    const ir::Buffer cache = cacheBuffer(buffer, cached, args.storageScope);
    const StmtId id = edit.newId();
    const ir::Stmt nest = copyNest(edit, buffer, cache, cached, CacheSide::Read, id, block.id);

    Changes changes;
    for (const StmtId consumer : consumers)
        addChange(changes, consumer, [&](const ir::Stmt &s) { return withCache(s, buffer, cache, cached); });
    addStage(changes, scope, cache, place, nest);
    edit.setBody(rewriteAt(edit.body(), changes));
    return {id};
}

/// Refuses readers before the writer in a loop that runs both again, unless the copy is back by then.
void requireNotReadAgain(Edit &edit, const analysis::Scope &scope, StmtId writer, const ir::Buffer &buffer,
                         const InsertPoint &place)
{
    const analysis::FunctionIndex &index = edit.index(writer);
    const std::vector<StmtId> around = index.loopsOf(writer);
    const std::vector<StmtId> aroundPlace = index.ancestors(place.holder);
    for (const StmtId id : scope.blocks) {
        if (id == writer)
            return;
        const ir::Block &reader = edit.block(id);
        if (!analysis::touches(analysis::accessesOf(index, id).reads, buffer))
            continue;
        for (const StmtId loop : index.loopsOf(id)) {
            const bool backByThen = loop == place.holder || std::ranges::contains(aroundPlace, loop);
            const bool runsAgain = !ir::isConstInt(index.loop(loop)->extent, 1);
            if (std::ranges::contains(around, loop) && runsAgain && !backByThen)
                refuse(diagnostic("schedule.written-between",
                                  "block " + named(reader) + " reads '" + buffer.name()
                                      + "' in the iteration after block " + named(edit.block(writer))
                                      + " has written it, before the copy is written back")
                           .at(id)
                           .at(writer)
                           .withHint("name it among the blocks that use the copy"));
        }
    }
}

/// The copy back runs always; where a condition on loops around the scope keeps the block from writing, there
/// is nothing to copy.
void requireWrittenAlways(Edit &edit, const ir::Block &block)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    for (const StmtId loop : analysis::loopsThrough(index, index.scopeRoot(block.id))) {
        if (ir::uses(block.predicate, index.loop(loop)->var))
            refuse(
                diagnostic("schedule.predicate", "the predicate of block " + named(block) + " uses loop "
                                                     + named(*index.loop(loop))
                                                     + " outside the scope, where the copy does not have it")
                    .at(block.id)
                    .at(loop)
                    .withHint("use cache_write before loop_partition"));
    }
}

/// Refuses buffers that live outside the scope unless the block writes all that the copy back overwrites.
void requireAllWritten(Edit &edit, const ir::Block &block, const ir::BufferRegion &written,
                       const InsertPoint &place, const CacheRegion &cached,
                       const std::vector<AccessGuard> &guards)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    if (std::ranges::contains(edit.block(index.scopeRoot(block.id)).allocBuffers, written.buffer))
        return;
    arith::Analyzer analyzer;
    analysis::bindEnclosing(analyzer, index, place.holder);
    arith::Domains domains;
    for (const StmtId loop : index.loopsOf(block.id)) {
        if (!index.encloses(loop, place.holder))
            domains.push_back(domainOf(*index.loop(loop)));
    }
    const auto isAllOf = [&](const AccessGuard &guard) {
        const ir::Expr condition = analysis::guarded(block, guard.condition);
        const auto exact =
            arith::exactRegionOver(analysis::realized(block, written.region), domains, analyzer, condition);
        return !guard.dependsOnData && exact && arith::holdsAround(condition, domains, analyzer)
               && arith::covers(*exact, cached.region, analyzer);
    };
    if (std::ranges::none_of(guards, isAllOf))
        refuse(diagnostic("schedule.not-written", "block " + named(block) + " may leave parts of '"
                                                      + written.buffer.name()
                                                      + "' alone that the copy would overwrite")
                   .at(block.id)
                   .withHint("use cache_write before the loops are partitioned or fused"));
}

ArgList cacheWrite(Edit &edit, const CacheWriteArgs &args)
{
    requireStorageScope(args.storageScope, args.block.id);
    const ir::Block &block = edit.block(args.block.id);
    const analysis::FunctionIndex &index = edit.index(block.id);
    const StmtId scope = scopeOf(edit, block.id);
    const ir::BufferRegion &written = accessAt(block, BufferSide::Write, args.buffer.index);
    const ir::Buffer buffer = written.buffer;
    const std::vector<StmtId> given = consumersIn(edit, scope, args.consumers, buffer);
    onlyWriter(edit, scope, buffer);
    requireNotAccumulated(edit, block, buffer);
    requireAsDeclared(edit, block.id, buffer);
    requireWrittenAlways(edit, block);

    std::vector<StmtId> users = readersAfter(index.scope(scope), block.id, buffer);
    std::erase_if(users, [&](StmtId user) { return std::ranges::contains(given, user); });
    const InsertPoint place = insertPointBetween(index, block.id, users);
    requireNotReadAgain(edit, index.scope(scope), block.id, buffer, place);
    const std::vector<AccessGuard> guards = accessGuards(block, buffer, GuardedSide::Writes);
    const CacheRegion cached = cacheRegionAt(index, {{block.id, &written}}, buffer, place,
                                             {buffer->scope, args.storageScope}, guards);
    requireAllWritten(edit, block, written, place, cached, guards);
    const ir::Buffer cache = cacheBuffer(buffer, cached, args.storageScope);
    const StmtId id = edit.newId();
    const ir::Stmt nest = copyNest(edit, buffer, cache, cached, CacheSide::Write, id, block.id);

    Changes changes;
    std::vector<StmtId> touching = given;
    touching.push_back(block.id);
    for (const StmtId user : touching)
        addChange(changes, user, [&](const ir::Stmt &s) { return withCache(s, buffer, cache, cached); });
    addStage(changes, scope, cache, place, nest);
    edit.setBody(rewriteAt(edit.body(), changes));
    return {id};
}

template <class A>
std::vector<TypedField<A>> cacheFields(BufferSide side, std::string_view indexName,
                                       std::string_view blockHelp, std::string_view consumersHelp)
{
    return {required<&A::block>("block", "Block", blockHelp),
            required<&A::buffer>(indexName, "Buffer", "Which of the block's buffers.").attribute().of(side),
            required<&A::storageScope>("storage_scope", "Memory", "Where the copy lies.")
                .attribute()
                .suggesting({storageScopes().begin(), storageScopes().end()}),
            optional<&A::consumers>("consumer_blocks", "Only for", consumersHelp).omittedWhenEmpty()};
}

} // namespace

Primitive cacheReadPrimitive()
{
    return define<CacheReadArgs>(
        {.name = "cache_read",
         .title = "Cache read",
         .actionTitle = "Cache read {}",
         .group = Group::Caching,
         .key = "C",
         .summary = "Copies a buffer that a block reads into other memory before it is read.",
         .documentation =
             R"(A new block copies the buffer; readers use the copy. Move the new block with compute_at to
copy only what is needed, when it is needed.

```
for i: C[i] = f(A[i])       →       for ax0: A_local[ax0] = A[ax0]
                                    for i: C[i] = f(A_local[i])
```

**Legal** when at most one block of the scope writes the buffer, and it writes all that is read.)",
         .results = Results::Single},
        cacheFields<CacheReadArgs>(BufferSide::Read, "read_buffer_index", "A block that reads the buffer.",
                                   "The blocks that use the copy; all when none is given."),
        cacheRead);
}

Primitive cacheWritePrimitive()
{
    return define<CacheWriteArgs>(
        {.name = "cache_write",
         .title = "Cache write",
         .actionTitle = "Cache write {}",
         .group = Group::Caching,
         .key = "Shift+C",
         .summary = "Lets a block write into other memory first, from where a new block copies.",
         .documentation =
             R"(The block writes a new buffer; a new block copies that to where it belongs. Move the new
block with reverse_compute_at to copy each part as soon as it is made.

```
for i: C[i] = f(A[i])       →       for i: C_local[i] = f(A[i])
                                    for ax0: C[ax0] = C_local[ax0]
```

**Legal** when the block is the only one of the scope that writes the buffer, and does not build on what the
buffer holds before.)",
         .results = Results::Single},
        cacheFields<CacheWriteArgs>(BufferSide::Write, "write_buffer_index",
                                    "The block that writes the buffer.",
                                    "Blocks that read the new buffer instead of the old one."),
        cacheWrite);
}

} // namespace nestwright::schedule
