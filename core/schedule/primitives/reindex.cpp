// SPDX-License-Identifier: Apache-2.0
/// reindex: a copy of a buffer that is laid out as a block runs over it.
#include "core/analysis/access/accesses.h"
#include "core/analysis/access/regions.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/schedule/primitives/cache_stage.h"
#include "core/schedule/primitives/cache_users.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/index_lemmas.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/stage_rules.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct ReindexArgs {
    BlockId block;
    BufferRef buffer;
};

/// The indices at which the block touches the buffer, which must be the same everywhere.
class AccessFinder : public ir::Visitor {
public:
    AccessFinder(const ir::Block &block, const ir::Buffer &buffer) : m_block(block), m_buffer(buffer) {}

    std::vector<ir::Expr> find()
    {
        stmt(m_block.body);
        if (!m_found)
            refuse(diagnostic("schedule.no-access",
                              "block " + named(m_block) + " does not touch '" + m_buffer.name() + "'")
                       .at(m_block.id));
        return m_indices;
    }

    void stmt(const ir::Stmt &s) override
    {
        if (s.as<ir::Block>())
            refuse(diagnostic("schedule.not-a-leaf", "block " + named(m_block) + " holds other blocks")
                       .at(m_block.id)
                       .withHint("reindex works on innermost blocks"));
        children(s);
        if (const auto *store = s.as<ir::BufferStore>(); store && store->buffer == m_buffer)
            use(store->indices);
    }

    void expr(const ir::Expr &e) override
    {
        if (e.same(m_buffer->data))
            refuse(diagnostic("schedule.opaque-access", "block " + named(m_block) + " reaches '"
                                                            + m_buffer.name() + "' through its address")
                       .at(m_block.id));
        children(e);
        if (const auto *load = e.as<ir::BufferLoad>(); load && load->buffer == m_buffer)
            use(load->indices);
    }

private:
    void use(const std::vector<ir::Expr> &indices)
    {
        const auto same = [](const ir::Expr &a, const ir::Expr &b) { return ir::structurallyEqual(a, b); };
        if (m_found && !std::ranges::equal(m_indices, indices, same))
            refuse(diagnostic("schedule.different-indices", "block " + named(m_block) + " touches '"
                                                                + m_buffer.name() + "' at different indices")
                       .at(m_block.id)
                       .withHint("one copy can serve one pattern of access only"));
        m_indices = indices;
        m_found = true;
    }

    const ir::Block &m_block;
    const ir::Buffer &m_buffer;
    std::vector<ir::Expr> m_indices;
    bool m_found = false;
};

/// Whether nothing but loops and blocks is in `s`, as far as the blocks.
bool holdsOnlyBlocks(const ir::Stmt &s)
{
    if (const auto *loop = s.as<ir::For>())
        return holdsOnlyBlocks(loop->body);
    if (const auto *seq = s.as<ir::Seq>())
        return std::ranges::all_of(seq->stmts, holdsOnlyBlocks);
    return s.as<ir::Block>() != nullptr;
}

/// The copy goes beside all of `outermost`: other statements in there must not need the buffer in between.
void requireUntouchedBeside(Edit &edit, const ir::Block &block, StmtId outermost, const ir::Buffer &buffer,
                            BufferSide side)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    if (!holdsOnlyBlocks(index.loop(outermost)->body))
        refuse(diagnostic("schedule.not-only-child",
                          "loop " + named(*index.loop(outermost)) + " holds statements that are in no block")
                   .at(outermost)
                   .at(block.id)
                   .withHint("reindex needs blocks alone below the loops"));
    for (const StmtId id : analysis::blocksThrough(index, outermost)) {
        if (id == block.id)
            continue;
        const analysis::Accesses accesses = analysis::accessesOf(index, id);
        const bool writes = analysis::touches(accesses.writes, buffer);
        if (writes || (side == BufferSide::Write && analysis::touches(accesses.reads, buffer)))
            refuse(diagnostic("schedule.not-only-child",
                              "loop " + named(*index.loop(outermost)) + " holds more than block "
                                  + named(block) + ": block " + named(edit.block(id))
                                  + (writes ? " writes '" : " reads '") + buffer.name() + "'")
                       .at(outermost)
                       .at(block.id)
                       .at(id)
                       .withHint("the copy is made beside the whole loop: move the other block out of it"));
    }
}

/// Insertion point of the copy: beside the outermost loop of the block, whose loops must be perfectly nested;
/// only the innermost may hold more than the block.
InsertPoint insertPointBeside(Edit &edit, const ir::Block &block, StmtId scope, const ir::Buffer &buffer,
                              BufferSide side)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    const std::vector<StmtId> loops = index.loopsOf(block.id);
    const StmtId outermost = loops.empty() ? block.id : loops.front();
    for (std::size_t i = 0; i + 1 < loops.size(); ++i) {
        const ir::For &loop = *index.loop(loops[i]);
        if (!onlyLoopIn(loop.body))
            refuse(diagnostic("schedule.not-only-child",
                              "loop " + named(loop) + " holds more than block " + named(block))
                       .at(loops[i])
                       .at(block.id)
                       .withHint("reindex needs the block's loops directly one in the other"));
    }
    if (!loops.empty())
        requireUntouchedBeside(edit, block, outermost, buffer, side);
    const std::vector<ir::Stmt> parts = partsOf(index.block(scope)->body);
    const auto at =
        std::ranges::find_if(parts, [&](const ir::Stmt &part) { return containsStmt(part, outermost); });
    const auto position = static_cast<std::size_t>(at - parts.begin());
    return {scope, side == BufferSide::Write ? position + 1 : position};
}

void requireSound(Edit &edit, const ir::Block &block, const ir::Buffer &buffer, BufferSide side)
{
    if (side == BufferSide::Write) {
        requireNotAccumulated(edit, block, buffer);
        requireRunsEverywhere(edit, block);
        return;
    }
    if (ir::hasRegion(block.writes, buffer))
        refuse(diagnostic("schedule.reads-what-it-writes",
                          "block " + named(block) + " writes '" + buffer.name() + "' too")
                   .at(block.id)
                   .withHint("reindex the buffer as the one that the block writes"));
}

struct ReindexStage {
    ir::Buffer buffer;             ///< the copy
    std::vector<ir::Expr> indices; ///< where the block touches the copy
    ir::Stmt nest;
};

/// A copy with one dimension for each of the block's variables that `indices` use.
ReindexStage stageOf(Edit &edit, const ir::Block &block, const ir::Buffer &buffer,
                     const std::vector<ir::Expr> &indices, BufferSide side, StmtId id)
{
    ReindexStage stage;
    ir::BufferNode node = *buffer.get();
    node.name += "_reindex";
    node.data = ir::Var(node.name, ir::DataType::handle());
    node.shape.clear();
    node.strides.clear();
    ir::Block copy;
    std::vector<ir::Var> loops;
    std::vector<ir::Expr> own;
    ir::VarMap<ir::Expr> renamed;
    for (const ir::IterVar &iter : block.iterVars) {
        if (std::ranges::none_of(indices, [&](const ir::Expr &e) { return ir::uses(e, iter.var); }))
            continue;
        const std::string number = std::to_string(loops.size());
        const ir::Var var("v" + number, iter.var->dtype);
        loops.emplace_back("ax" + number, iter.var->dtype);
        copy.iterVars.push_back({.domain = iter.domain, .var = var, .kind = {}});
        copy.iterValues.push_back(loops.back());
        node.shape.push_back(iter.domain.min + iter.domain.extent);
        stage.indices.push_back(iter.var);
        own.push_back(var);
        renamed[iter.var] = var;
    }
    stage.buffer = ir::Buffer(std::move(node));
    std::vector<ir::Expr> there;
    for (const ir::Expr &index : indices)
        there.push_back(ir::substitute(index, renamed));
    const bool writes = side == BufferSide::Write;
    const ir::Buffer &from = writes ? stage.buffer : buffer, &to = writes ? buffer : stage.buffer;
    const std::vector<ir::Expr> &source = writes ? own : there, &target = writes ? there : own;
    copy.id = id;
    copy.origin = edit.origin("cache", block.id);
    copy.name = to.name() + "_reindex";
    copy.predicate = ir::boolImm(true);
    copy.reads = {{from, ir::pointRegion(source)}};
    copy.writes = {{to, ir::pointRegion(target)}};
    copy.body = ir::store(to, ir::load(from, source), target);
    const std::vector<ir::IterVar> iters = copy.iterVars;
    stage.nest = ir::make(std::move(copy));
    std::vector<StmtId> ids(loops.size());
    std::ranges::generate(ids, [&] { return edit.newId(); });
    for (std::size_t i = loops.size(); i-- > 0;) {
        ir::For loop;
        loop.id = ids[i];
        loop.origin = edit.origin("loop", id);
        loop.var = loops[i];
        loop.min = iters[i].domain.min;
        loop.extent = iters[i].domain.extent;
        loop.body = stage.nest;
        stage.nest = ir::make(std::move(loop));
    }
    return stage;
}

ArgList reindex(Edit &edit, const ReindexArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const BufferSide side = args.buffer.side;
    const ir::Buffer buffer = accessAt(block, side, args.buffer.index).buffer;
    const StmtId scope = scopeOf(edit, block.id);
    requireStagePipeline(edit, scope);
    std::vector<ir::Expr> indices = AccessFinder(block, buffer).find();
    arith::Analyzer analyzer;
    analysis::bindEnclosing(analyzer, edit.index(block.id), block.id);
    bindAll(analyzer, domainsOf(block));
    for (ir::Expr &index : indices) {
        const ir::Expr simple = analyzer.simplify(index);
        index = simple.as<ir::IntImm>() ? index : simple;
    }
    const InsertPoint place = insertPointBeside(edit, block, scope, buffer, side);
    requireSound(edit, block, buffer, side);
    requireWithin(block, buffer, indices, analyzer);
    const StmtId id = edit.newId();
    const ReindexStage stage = stageOf(edit, block, buffer, indices, side, id);
    Changes changes;
    addChange(changes, block.id,
              [&](const ir::Stmt &s) { return withAccessesAt(s, buffer, stage.buffer, stage.indices); });
    addStage(changes, scope, stage.buffer, place, stage.nest);
    edit.setBody(rewriteAt(edit.body(), changes));
    return {id};
}

} // namespace

Primitive reindexPrimitive()
{
    return define<ReindexArgs>(
        {.name = "reindex",
         .title = "Reindex",
         .group = Group::Caching,
         .key = "X",
         .summary = "Copies a buffer into one whose dimensions are the variables that a block runs over.",
         .documentation =
             R"(The block then reads (or writes) the copy at its own variables; a new block copies. What the
copy's layout should be can be said with transform_layout afterwards.

```
                                     for ax0, ax1: A_reindex[ax0, ax1] = A[ax1, ax0]
for i, j: B[i, j] = f(A[j, i])   →   for i, j: B[i, j] = f(A_reindex[i, j])
```

**Legal** for a block without blocks inside that touches the buffer at the same indices everywhere, in a
scope where every value is written before it is read. Only the innermost of its loops may hold more, which
must not write the buffer (nor touch it, where the block writes it).)",
         .lemmas = reindexLemmas(),
         .results = Results::Single,
         .traceKind = "ReIndex"},
        {required<&ReindexArgs::block>("block", "Block", "The block that touches the buffer."),
         required<&ReindexArgs::buffer>("buffer", "Buffer", "Which of its buffers.").attribute()},
        reindex);
}

} // namespace nestwright::schedule
