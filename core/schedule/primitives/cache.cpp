// SPDX-License-Identifier: Apache-2.0
/// cache_read and cache_write: a copy of a buffer in other memory.
#include "core/ir/builder.h"
#include "core/ir/walk.h"
#include "core/schedule/block_rules.h"
#include "core/schedule/cache_stage.h"
#include "core/schedule/primitives/all.h"
#include "core/schedule/storage_scope.h"
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
            || std::ranges::find(consumer.reads, buffer, &ir::BufferRegion::buffer) == consumer.reads.end())
            refuse(diagnostic("schedule.not-a-consumer", "block " + named(consumer) + " does not read '"
                                                             + buffer.name() + "' in this scope")
                       .at(id.id));
        consumers.push_back(id.id);
    }
    return consumers;
}

/// Blocks of the scope that read `buffer` after `writer` wrote it.
std::vector<StmtId> readersAfter(const analysis::Scope &scope, StmtId writer, const ir::Buffer &buffer)
{
    std::vector<StmtId> readers;
    for (const analysis::Dependence &d : scope.dependences) {
        if (d.from == writer && d.kind == analysis::DependenceKind::Raw && d.buffer == buffer)
            readers.push_back(d.to);
    }
    return readers;
}

/// The only block of the scope that writes the buffer; none when nothing in the scope does.
StmtId onlyWriter(Edit &edit, const analysis::Scope &scope, const ir::Buffer &buffer)
{
    const auto writers = scope.writers.find(buffer);
    if (writers == scope.writers.end() || writers->second.empty())
        return {};
    if (writers->second.size() > 1)
        refuse(diagnostic("schedule.several-writers", "'" + buffer.name() + "' is written by several blocks: "
                                                          + named(edit.block(writers->second[0])) + " and "
                                                          + named(edit.block(writers->second[1])))
                   .at(writers->second[0])
                   .at(writers->second[1])
                   .withHint("make the copy before the block is decomposed"));
    return writers->second.front();
}

/// The change to the block or loop that gets the copy, joined with one that was there.
void addInsertion(Changes &changes, const analysis::FunctionIndex &index, Place place, const ir::Stmt &nest)
{
    const auto insert = [place, nest](const ir::Stmt &s) {
        if (s.as<ir::For>())
            return editLoop(
                [&](ir::For &loop) { loop.body = withInserted(loop.body, place.position, nest); })(s);
        return editBlock(
            [&](ir::Block &block) { block.body = withInserted(block.body, place.position, nest); })(s);
    };
    NW_ASSERT(index.contains(place.holder), "the place is in another function");
    const auto before = changes.find(place.holder);
    if (before == changes.end()) {
        changes[place.holder] = insert;
        return;
    }
    before->second = [first = before->second, insert](const ir::Stmt &s) { return insert(first(s)); };
}

ArgList cacheRead(Edit &edit, const CacheReadArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const analysis::FunctionIndex &index = edit.index(block.id);
    const StmtId scope = scopeOf(edit, block.id);
    requireStorageScope(args.storageScope, block.id);
    const ir::Buffer buffer = accessAt(block, BufferSide::Read, args.buffer.index).buffer;
    const std::vector<StmtId> named = consumersIn(edit, scope, args.consumers, buffer);
    const StmtId writer = onlyWriter(edit, index.scope(scope), buffer);

    Place place{scope, 0};
    CacheRegion cached;
    if (writer) {
        place = placeBetween(index, writer,
                             named.empty() ? readersAfter(index.scope(scope), writer, buffer) : named);
        const ir::Block &source = *index.block(writer);
        cached = cacheRegionAt(index, writer,
                               *std::ranges::find(source.writes, buffer, &ir::BufferRegion::buffer), place);
    } else {
        cached = cacheRegionOfInput(*index.block(scope), buffer);
    }
    const ir::Buffer cache = cacheBuffer(buffer, cached, args.storageScope);
    const StmtId id = edit.newId();
    const ir::Stmt nest = copyNest(edit, buffer, cache, cached, CacheSide::Read, id, block.id);

    Changes changes;
    for (const StmtId reader : index.scope(scope).blocks) {
        const bool isConsumer =
            named.empty() ? reader != writer : std::ranges::find(named, reader) != named.end();
        if (isConsumer)
            changes[reader] = [&](const ir::Stmt &s) { return withCache(s, buffer, cache, cached); };
    }
    changes[scope] = editBlock([&](ir::Block &root) { root.allocBuffers.push_back(cache); });
    addInsertion(changes, index, place, nest);
    edit.setBody(rewriteAt(edit.body(), changes));
    return {id};
}

ArgList cacheWrite(Edit &edit, const CacheWriteArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const analysis::FunctionIndex &index = edit.index(block.id);
    const StmtId scope = scopeOf(edit, block.id);
    requireStorageScope(args.storageScope, block.id);
    const ir::BufferRegion &written = accessAt(block, BufferSide::Write, args.buffer.index);
    const ir::Buffer buffer = written.buffer;
    const std::vector<StmtId> named = consumersIn(edit, scope, args.consumers, buffer);
    onlyWriter(edit, index.scope(scope), buffer);

    std::vector<StmtId> users = readersAfter(index.scope(scope), block.id, buffer);
    std::erase_if(users, [&](StmtId user) { return std::ranges::find(named, user) != named.end(); });
    const Place place = placeBetween(index, block.id, users);
    const CacheRegion cached = cacheRegionAt(index, block.id, written, place);
    const ir::Buffer cache = cacheBuffer(buffer, cached, args.storageScope);
    const StmtId id = edit.newId();
    const ir::Stmt nest = copyNest(edit, buffer, cache, cached, CacheSide::Write, id, block.id);

    Changes changes;
    for (const StmtId user : named)
        changes[user] = [&](const ir::Stmt &s) { return withCache(s, buffer, cache, cached); };
    changes[block.id] = [&](const ir::Stmt &s) { return withCache(s, buffer, cache, cached); };
    changes[scope] = editBlock([&](ir::Block &root) { root.allocBuffers.push_back(cache); });
    addInsertion(changes, index, place, nest);
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
         .group = Group::Caching,
         .key = "C",
         .summary = "Copies a buffer that a block reads into other memory before it is read.",
         .documentation =
             R"(A new block copies the buffer; readers use the copy. Move the new block with compute_at to copy only what is
needed, when it is needed.

```
for i: C[i] = f(A[i])       →       for ax0: A_local[ax0] = A[ax0]
                                    for i: C[i] = f(A_local[i])
```

**Legal** when at most one block of the scope writes the buffer.)",
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
         .group = Group::Caching,
         .key = "Shift+C",
         .summary = "Lets a block write into other memory first, from where a new block copies.",
         .documentation =
             R"(The block writes a new buffer; a new block copies that to where it belongs. Move the new block with
reverse_compute_at to copy each part as soon as it is made.

```
for i: C[i] = f(A[i])       →       for i: C_local[i] = f(A[i])
                                    for ax0: C[ax0] = C_local[ax0]
```

**Legal** when the block is the only one of the scope that writes the buffer.)",
         .results = Results::Single},
        cacheFields<CacheWriteArgs>(BufferSide::Write, "write_buffer_index",
                                    "The block that writes the buffer.",
                                    "Blocks that read the new buffer instead of the old one."),
        cacheWrite);
}

} // namespace nestwright::schedule
