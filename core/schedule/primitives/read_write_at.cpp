// SPDX-License-Identifier: Apache-2.0
/// read_at and write_at: all that a loop's body touches of a buffer, copied at once in one block.
#include "core/analysis/access/accesses.h"
#include "core/analysis/access/regions.h"
#include "core/analysis/device/thread_memory.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/primitives/cache_stage.h"
#include "core/schedule/primitives/cache_users.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/stage_rules.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct AtArgs {
    LoopId loop;
    BlockId block;
    BufferIndex buffer;
    std::string storageScope;
};

/// Collects the accesses of the blocks below the loop to the buffer.
class Toucher {
public:
    Toucher(Edit &edit, const ir::For &loop, const ir::Buffer &buffer, CacheSide side,
            const std::string &scope)
        : m_edit(edit)
        , m_index(edit.index(loop.id))
        , m_loop(loop)
        , m_buffer(buffer)
        , m_reads(side == CacheSide::Read)
        , m_scope(scope)
    {
        analysis::bindEnclosing(m_analyzer, m_index, loop.id);
        bindAll(m_analyzer, {domainOf(loop)});
        const std::vector<ir::Stmt> parts = partsOf(loop.body);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            for (const StmtId block : m_index.childBlocks(loop.id)) {
                if (containsStmt(parts[i], block))
                    visit(*m_index.block(block), i);
            }
        }
    }

    /// Position before the first part that reads, or after the last that writes. Throws when the buffer is
    /// written and read in turn.
    std::size_t position() const
    {
        const std::vector<Touch> &own = m_reads ? m_readers : m_writers;
        const std::string what = "'" + m_buffer.name() + "' is ", where = " below loop " + named(m_loop);
        if (own.empty())
            refuse(diagnostic("schedule.no-access", "nothing" + where + (m_reads ? " reads '" : " writes '")
                                                        + m_buffer.name() + "'")
                       .at(m_loop.id));
        if (m_reads && !m_writers.empty() && m_writers.back().part >= m_readers.front().part)
            refuse(diagnostic("schedule.written-between",
                              what + "written" + where + " where it is read or later")
                       .at(m_loop.id)
                       .at(m_writers.back().block)
                       .withHint("choose a loop further in"));
        if (!m_reads && !m_readers.empty() && m_readers.back().part > m_writers.back().part)
            refuse(diagnostic("schedule.read-after", what + "read" + where + " after it is written there")
                       .at(m_loop.id)
                       .at(m_readers.back().block)
                       .withHint("choose a loop further in"));
        return m_reads ? own.front().part : own.back().part + 1;
    }

    /// The region copied: all elements accessed while the loop's body runs once, within the buffer.
    const arith::Region &region() const { return m_region; }

    /// The copy back must bring only elements written into the cache, and only those may be read from the
    /// cache.
    void requireAllWritten()
    {
        const bool isExact = std::ranges::any_of(m_exact, [&](const std::optional<arith::Region> &box) {
            return box && arith::covers(*box, m_region, m_analyzer);
        });
        if (!isExact)
            refuse(diagnostic("schedule.not-written",
                              "not all of the box of '" + m_buffer.name()
                                  + "' that would be copied back is written below loop " + named(m_loop))
                       .at(m_loop.id)
                       .withHint("choose a loop below which a whole box of it is written"));
        for (const Touch &writer : m_writers) {
            requireAsDeclared(m_edit, writer.block, m_buffer);
            requireNotAccumulated(m_edit, *m_index.block(writer.block), m_buffer);
            requireNoConditions(*m_index.block(writer.block));
        }
        for (const Touch &reader : m_readers) {
            const ir::Block &block = *m_index.block(reader.block);
            if (!std::ranges::contains(m_writers, reader.block, &Touch::block))
                requireNotAccumulated(m_edit, block, m_buffer);
            if (auto objection = analysis::whyNotCovered(m_index, reader.block))
                refuse(std::move(*objection));
        }
        if (!m_readers.empty())
            requireOnlyHere();
    }

private:
    struct Touch {
        StmtId block;
        std::size_t part = 0; ///< of the loop's body
    };

    void visit(const ir::Block &block, std::size_t part)
    {
        const ir::BufferRegion *read = ir::findRegion(block.reads, m_buffer);
        const ir::BufferRegion *write = ir::findRegion(block.writes, m_buffer);
        if (!read && !write && ir::uses(block.body, m_buffer))
            refuse(diagnostic("schedule.hidden-access", "block " + named(block) + " touches '"
                                                            + m_buffer.name() + "' without saying so")
                       .at(block.id));
        if (read)
            m_readers.push_back({block.id, part});
        if (write)
            m_writers.push_back({block.id, part});
        if (const ir::BufferRegion *own = m_reads ? read : write)
            add(block, *own);
    }

    void add(const ir::Block &block, const ir::BufferRegion &touched)
    {
        const arith::Region whole = ir::fullRegion(m_buffer).region;
        const arith::Region region = analysis::realized(block, touched.region);
        const auto box = arith::regionOver(region, relaxed(block.id), m_analyzer);
        const arith::Region own = withoutData(box ? arith::intersect(*box, whole, m_analyzer) : whole, whole);
        m_region = m_region.empty() ? own : arith::unionOf(m_region, own, m_analyzer);
        m_exact.push_back(ir::isTrue(block.predicate)
                              ? arith::exactRegionOver(region, relaxed(block.id), m_analyzer)
                              : std::nullopt);
    }

    /// The loops below, and those around whose threads share the memory.
    arith::Domains relaxed(StmtId block) const
    {
        arith::Domains domains;
        for (const StmtId id : m_index.loopsOf(block)) {
            const ir::For &loop = *m_index.loop(id);
            const bool isBelow = id != m_loop.id && m_index.encloses(m_loop.id, id);
            if (isBelow || analysis::variesForScope(m_scope, loop))
                domains.push_back(domainOf(loop));
        }
        return domains;
    }

    /// A store that runs only sometimes leaves the cache as it was.
    void requireNoConditions(const ir::Block &block) const
    {
        ir::forEachStmt(block.body, [&](const ir::Stmt &s) {
            if ((s.as<ir::IfThenElse>() || s.as<ir::While>()) && ir::uses(s, m_buffer))
                refuse(diagnostic("schedule.not-written", "block " + named(block) + " writes '"
                                                              + m_buffer.name() + "' only under a condition")
                           .at(block.id));
            return true;
        });
    }

    /// Requires all writers of the buffer to stand below the loop.
    void requireOnlyHere() const
    {
        const auto &writers = m_index.scope(m_index.scopeRoot(m_loop.id)).writers.at(m_buffer);
        for (const StmtId writer : writers) {
            if (!m_index.encloses(m_loop.id, writer))
                refuse(diagnostic("schedule.several-writers",
                                  "'" + m_buffer.name() + "', which is read below loop " + named(m_loop)
                                      + ", is written by block " + named(*m_index.block(writer)) + " too")
                           .at(writer)
                           .at(m_loop.id));
        }
    }

    Edit &m_edit;
    const analysis::FunctionIndex &m_index;
    const ir::For &m_loop;
    const ir::Buffer &m_buffer;
    bool m_reads;
    const std::string &m_scope;
    arith::Analyzer m_analyzer;
    arith::Region m_region;
    std::vector<std::optional<arith::Region>> m_exact; ///< of each block that touches it, where known
    std::vector<Touch> m_readers, m_writers;
};

/// A block with one variable for each loop that the region moves with, and the copying loops inside.
ir::Stmt copyBlock(Edit &edit, StmtId loop, const ir::Buffer &from, const ir::Buffer &to,
                   arith::Region region, const std::string &name, StmtId id)
{
    const analysis::FunctionIndex &index = edit.index(loop);
    std::vector<StmtId> around = analysis::loopsThrough(index, loop);
    around.push_back(loop);
    ir::Block block;
    block.id = id;
    block.origin = edit.origin("cache", loop);
    block.name = name;
    block.predicate = ir::boolImm(true);
    ir::VarMap<ir::Expr> own;
    const auto bind = [&](const ir::Expr &e) {
        ir::forEachExpr(e, [&](const ir::Expr &part) {
            const ir::Var var = ir::Var::from(part);
            const auto loopOf =
                std::ranges::find_if(around, [&](StmtId l) { return var && index.loop(l)->var == var; });
            if (loopOf == around.end() || own.contains(var))
                return true;
            const ir::For &bound = *index.loop(*loopOf);
            const ir::Var mine("v" + std::to_string(own.size()), var->dtype);
            own[var] = mine;
            block.iterVars.push_back(
                {.domain = {bound.min, bound.extent}, .var = mine, .kind = ir::IterKind::Spatial});
            block.iterValues.push_back(var);
            return true;
        });
        return ir::substitute(e, own);
    };
    std::vector<ir::Var> loops;
    std::vector<ir::Expr> indices;
    for (ir::Range &range : region) {
        range = {bind(range.min), copiedExtent(bind(range.extent))};
        loops.emplace_back("ax" + std::to_string(loops.size()), range.extent.dtype());
        indices.push_back(range.min + loops.back());
    }
    requireCounted(beginsOf(region), domainsOf(block), "copies of '" + from.name() + "' would begin", loop);
    block.reads = {{from, region}};
    block.writes = {{to, region}};
    block.annotations["auto_copy"] = ir::AttrValue(ir::boolImm(true));
    ir::Stmt body = ir::store(to, ir::load(from, indices), indices);
    for (std::size_t d = loops.size(); d-- > 0;)
        body = ir::serialFor(loops[d], region[d].extent, body, edit.newId(), edit.origin("loop", id));
    block.body = std::move(body);
    return ir::make(std::move(block));
}

ArgList copyAt(Edit &edit, const AtArgs &args, CacheSide side)
{
    requireStorageScope(args.storageScope, args.block.id);
    const ir::For &loop = edit.loop(args.loop.id);
    const bool reads = side == CacheSide::Read;
    const ir::Buffer buffer =
        accessAt(edit.block(args.block.id), reads ? BufferSide::Read : BufferSide::Write, args.buffer.index)
            .buffer;
    const analysis::FunctionIndex &index = edit.index(loop.id);
    const StmtId scope = scopeOf(edit, loop.id);
    requireStagePipeline(edit, scope);
    Toucher toucher(edit, loop, buffer, side, args.storageScope);
    const std::size_t position = toucher.position();
    if (!reads)
        toucher.requireAllWritten();
    const CacheRegion whole{.region = toucher.region(), .keepsShape = true};
    const ir::Buffer cache = cacheBuffer(buffer, whole, args.storageScope);
    const StmtId id = edit.newId();
    const ir::Stmt copy = copyBlock(edit, loop.id, reads ? buffer : cache, reads ? cache : buffer,
                                    whole.region, cache.name(), id);
    const std::vector<ir::Stmt> parts = partsOf(loop.body);
    const auto begin = reads ? parts.begin() + static_cast<std::ptrdiff_t>(position) : parts.begin();
    const auto end = reads ? parts.end() : parts.begin() + static_cast<std::ptrdiff_t>(position);
    Changes changes;
    for (const StmtId inside : index.childBlocks(loop.id)) {
        if (std::any_of(begin, end, [&](const ir::Stmt &s) { return containsStmt(s, inside); }))
            addChange(changes, inside, [&](const ir::Stmt &s) { return withCache(s, buffer, cache, whole); });
    }
    addStage(changes, scope, cache, {loop.id, position}, copy);
    edit.setBody(rewriteAt(edit.body(), changes));
    return {id};
}

ArgList readAt(Edit &edit, const AtArgs &args) { return copyAt(edit, args, CacheSide::Read); }
ArgList writeAt(Edit &edit, const AtArgs &args) { return copyAt(edit, args, CacheSide::Write); }

std::vector<TypedField<AtArgs>> atFields(BufferSide side, std::string_view indexName,
                                         std::string_view loopHelp, std::string_view blockHelp)
{
    return {
        required<&AtArgs::loop>("loop", "Loop", loopHelp),
        required<&AtArgs::block>("block", "Block", blockHelp),
        required<&AtArgs::buffer>(indexName, "Buffer", "Which of the block's buffers.").attribute().of(side),
        required<&AtArgs::storageScope>("storage_scope", "Memory", "Where the copy lies.")
            .attribute()
            .suggesting({storageScopes().begin(), storageScopes().end()})};
}

} // namespace

Primitive readAtPrimitive()
{
    return define<AtArgs>(
        {.name = "read_at",
         .title = "Read at",
         .group = Group::Caching,
         .key = "Z",
         .summary =
             "Copies, at the beginning of each iteration of a loop, the part of a buffer that it reads.",
         .documentation =
             R"(One new block copies all that the blocks below the loop read of the buffer, right before the
first of them. It is marked `auto_copy`, so that lowering may spread the copy over threads.

```
for i:                             for i:
    for j: C[i, j] = f(A[i, j])  →     A_shared[i, 0:8] = A[i, 0:8]
                                       for j: C[i, j] = f(A_shared[i, j])
```

**Legal** when the blocks below the loop do not write the buffer where they read it or later.)",
         .results = Results::Single},
        atFields(BufferSide::Read, "read_buffer_index", "Its body reads from the copy.",
                 "A block that reads the buffer."),
        readAt);
}

Primitive writeAtPrimitive()
{
    return define<AtArgs>(
        {.name = "write_at",
         .title = "Write at",
         .group = Group::Caching,
         .key = "Shift+K",
         .summary =
             "Copies, at the end of each iteration of a loop, the part of a buffer that it has written.",
         .documentation =
             R"(The blocks below the loop write into a new buffer; one new block copies all of that to where
it belongs, right after the last of them. It is marked `auto_copy`, so that lowering may spread the copy
over threads.

```
for i:                             for i:
    for j: C[i, j] = f(A[i, j])  →     for j: C_local[i, j] = f(A[i, j])
                                       C[i, 0:8] = C_local[i, 0:8]
```

**Legal** when the blocks below the loop write a whole box of the buffer, and read nothing of it after that
or from before.)",
         .results = Results::Single},
        atFields(BufferSide::Write, "write_buffer_index", "Its body writes into the copy.",
                 "A block that writes the buffer."),
        writeAt);
}

} // namespace nestwright::schedule
