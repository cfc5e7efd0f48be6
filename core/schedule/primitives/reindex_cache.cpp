// SPDX-License-Identifier: Apache-2.0
/// reindex_cache_read and reindex_cache_write: a copy of a buffer in other memory, laid out by an index map
/// of a block's variables.
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/layout/layout_map.h"
#include "core/schedule/primitives/cache_stage.h"
#include "core/schedule/primitives/cache_users.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/stage_rules.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/typed.h"

#include <algorithm>
#include <ranges>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct ReindexCacheArgs {
    BlockId block;
    BufferIndex buffer;
    std::string storageScope;
    IndexMap indexMap;
};

/// The element that the block touches.
std::vector<ir::Expr> onlyElement(const ir::Block &block, const ir::BufferRegion &touched)
{
    std::vector<ir::Expr> indices;
    for (const ir::Range &range : touched.region) {
        if (!ir::isConstInt(range.extent, 1))
            refuse(diagnostic("schedule.not-a-point", "block " + named(block)
                                                          + " touches more than one element of '"
                                                          + touched.buffer.name() + "' at a time")
                       .at(block.id)
                       .withHint("use cache_read or cache_write, or reindex an innermost block"));
        indices.push_back(range.min);
    }
    return indices;
}

/// Every access below the block is at `indices`, so that all can go to one element of the copy.
class PointChecker : public ir::Visitor {
public:
    PointChecker(const ir::Block &block, const ir::Buffer &buffer, const std::vector<ir::Expr> &indices)
        : m_block(block)
        , m_buffer(buffer)
        , m_indices(indices)
    {
        bindAll(m_analyzer, domainsOf(block));
    }

    void expr(const ir::Expr &e) override
    {
        children(e);
        if (e.same(m_buffer->data))
            refuseAccess("through its address");
        if (const auto *load = e.as<ir::BufferLoad>(); load && load->buffer == m_buffer)
            check(load->indices);
    }
    void stmt(const ir::Stmt &s) override
    {
        const auto *block = s.as<ir::Block>();
        const auto isPart = [&](const ir::MatchBuffer &match) { return match.source.buffer == m_buffer; };
        if (block && std::ranges::any_of(block->matchBuffers, isPart))
            refuseAccess("through a matched buffer");
        children(s);
        if (const auto *store = s.as<ir::BufferStore>(); store && store->buffer == m_buffer)
            check(store->indices);
    }

private:
    void check(const std::vector<ir::Expr> &indices)
    {
        const auto same = [&](const ir::Expr &a, const ir::Expr &b) {
            return m_analyzer.canProveEqual(a, b);
        };
        if (!std::ranges::equal(indices, m_indices, same))
            refuseAccess("at other indices than its region says");
    }
    void refuseAccess(const std::string &how) const
    {
        refuse(diagnostic("schedule.not-a-point",
                          "block " + named(m_block) + " touches '" + m_buffer.name() + "' " + how)
                   .at(m_block.id)
                   .withHint("use cache_read or cache_write"));
    }

    const ir::Block &m_block;
    const ir::Buffer &m_buffer;
    const std::vector<ir::Expr> &m_indices;
    arith::Analyzer m_analyzer;
};

bool usesAny(const std::vector<ir::Expr> &exprs, const ir::Var &var)
{
    return std::ranges::any_of(exprs, [&](const ir::Expr &e) { return ir::uses(e, var); });
}

/// A variable that counts for one of the two must count for the other.
void requireSameVariables(const ir::Block &block, const std::vector<ir::Expr> &before,
                          const std::vector<ir::Expr> &after)
{
    for (const ir::IterVar &iter : block.iterVars) {
        const bool isBefore = usesAny(before, iter.var);
        if (isBefore == usesAny(after, iter.var))
            continue;
        refuse(diagnostic("schedule.index-map-variables",
                          "the variable '" + iter.var.name() + "' of block " + named(block)
                              + (isBefore ? " indexes the buffer, but not the copy"
                                          : " would index the copy, but does not index the buffer"))
                   .at(block.id)
                   .withHint("the index map uses exactly the variables that index the buffer"));
    }
}

/// Different elements of the buffer are different ones of the copy: the map keeps the variables apart, or
/// takes up the indices.
void requireInjective(const ir::Block &block, const IndexMap &map, const std::vector<ir::Expr> &before,
                      const std::vector<ir::Expr> &after, arith::Analyzer &analyzer)
{
    const bool takesUp = std::ranges::all_of(before, [&](const ir::Expr &index) {
        return std::ranges::any_of(
            after, [&](const ir::Expr &other) { return analyzer.canProveEqual(index, other); });
    });
    if (takesUp)
        return;
    IndexMap used{.inputs = {}, .outputs = map.outputs};
    arith::Domains domain;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::IterVar &iter = block.iterVars[i];
        if (!usesAny(before, iter.var))
            continue;
        used.inputs.push_back(map.inputs[i]);
        domain.push_back(
            {iter.var, {ir::constant(0, iter.var->dtype), iter.domain.min + iter.domain.extent}});
    }
    layoutMapOn(used, domain, "block " + named(block), "axis");
}

/// One element from buffer to buffer.
struct Copy {
    ir::Buffer from, to;
    std::vector<ir::Expr> source, target; ///< in terms of the block's variables
    std::string name;
};

/// The copying block, below copies of those loops from `place` inwards that count for it.
ir::Stmt copyingNest(Edit &edit, const ir::Block &block, InsertPoint place, const Copy &copied, StmtId id)
{
    ir::Block copy;
    copy.id = id;
    copy.origin = edit.origin("cache", block.id);
    copy.name = copied.name;
    ir::VarMap<ir::Expr> renamed, loopVars;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::IterVar &iter = block.iterVars[i];
        if (!usesAny(copied.source, iter.var))
            continue;
        const ir::Var var(iter.var.name(), iter.var->dtype);
        renamed[iter.var] = var;
        copy.iterVars.push_back({.domain = iter.domain, .var = var, .kind = {}});
        copy.iterValues.push_back(block.iterValues[i]);
    }
    const analysis::FunctionIndex &index = edit.index(block.id);
    std::vector<const ir::For *> loops;
    const std::vector<StmtId> around = index.loopsOf(block.id);
    for (const StmtId loopId : std::views::reverse(around)) {
        const ir::For *loop = index.loop(loopId);
        const bool bounds = std::ranges::any_of(loops, [&](const ir::For *inner) {
            return ir::uses(inner->min, loop->var) || ir::uses(inner->extent, loop->var);
        });
        const bool counts =
            bounds || usesAny(copy.iterValues, loop->var) || ir::uses(block.predicate, loop->var);
        if (index.encloses(loopId, place.holder) || !counts)
            continue;
        loops.insert(loops.begin(), loop);
        loopVars[loop->var] = ir::Var(loop->var.name(), loop->var->dtype);
    }
    for (ir::Expr &value : copy.iterValues)
        value = ir::substitute(value, loopVars);
    copy.predicate = ir::substitute(block.predicate, loopVars);
    std::vector<ir::Expr> source, target;
    for (const ir::Expr &e : copied.source)
        source.push_back(ir::substitute(e, renamed));
    for (const ir::Expr &e : copied.target)
        target.push_back(ir::substitute(e, renamed));
    copy.reads = {{copied.from, ir::pointRegion(source)}};
    copy.writes = {{copied.to, ir::pointRegion(target)}};
    copy.body = ir::store(copied.to, ir::load(copied.from, source), target);
    ir::Stmt nest = ir::make(std::move(copy));
    std::vector<StmtId> ids(loops.size());
    std::ranges::generate(ids, [&] { return edit.newId(); });
    for (std::size_t i = loops.size(); i-- > 0;) {
        ir::For loop;
        loop.id = ids[i];
        loop.origin = edit.origin("loop", id);
        loop.var = ir::Var::from(loopVars[loops[i]->var]);
        loop.min = ir::substitute(loops[i]->min, loopVars);
        loop.extent = ir::substitute(loops[i]->extent, loopVars);
        loop.body = nest;
        nest = ir::make(std::move(loop));
    }
    return nest;
}

/// The region of the buffer that the block accesses, and the indices into the copy instead.
struct Reindexed {
    ir::Buffer buffer, copy;
    std::vector<ir::Expr> before, after;
};

Reindexed reindexed(Edit &edit, const ir::Block &block, const ir::BufferRegion &touched,
                    const ReindexCacheArgs &args)
{
    const IndexMap map = withSizes(args.indexMap, *edit.index(block.id).function());
    Reindexed result{
        .buffer = touched.buffer, .copy = {}, .before = onlyElement(block, touched), .after = {}};
    PointChecker(block, touched.buffer, result.before)
        .stmt(block.init ? ir::seq({block.init, block.body}) : block.body);
    const std::string what = "block " + named(block);
    arith::Domains domain;
    std::vector<ir::Expr> vars;
    for (const ir::IterVar &iter : block.iterVars) {
        domain.push_back(
            {iter.var, {ir::constant(0, iter.var->dtype), iter.domain.min + iter.domain.extent}});
        vars.push_back(iter.var);
    }
    requireInputs(map, vars.size(), what);
    result.after = mapped(map, vars);
    for (ir::Expr &index : result.after)
        index = arith::simplify(index);
    requireSameVariables(block, result.before, result.after);
    arith::Analyzer analyzer;
    bindAll(analyzer, domainsOf(block));
    requireInjective(block, map, result.before, result.after, analyzer);
    requireWithin(block, touched.buffer, result.before, analyzer);
    ir::BufferNode node = *touched.buffer.get();
    node.name += '_' + args.storageScope;
    node.data = ir::Var(node.name, ir::DataType::handle());
    node.scope = args.storageScope.empty() ? "global" : args.storageScope;
    node.shape = mappedExtents(map, domain, what);
    node.strides.clear();
    node.elemOffset = {};
    result.copy = ir::Buffer(std::move(node));
    return result;
}

ArgList insertCopy(Edit &edit, const ir::Block &block, StmtId scope, InsertPoint place, const Reindexed &r,
                   const Copy &copied)
{
    const StmtId id = edit.newId();
    Changes changes;
    addChange(changes, block.id,
              [&](const ir::Stmt &s) { return withAccessesAt(s, r.buffer, r.copy, r.after); });
    addStage(changes, scope, r.copy, place, copyingNest(edit, block, place, copied, id));
    edit.setBody(rewriteAt(edit.body(), changes));
    return {id};
}

ArgList reindexCacheRead(Edit &edit, const ReindexCacheArgs &args)
{
    requireStorageScope(args.storageScope, args.block.id);
    const ir::Block &block = edit.block(args.block.id);
    const ir::BufferRegion &touched = accessAt(block, BufferSide::Read, args.buffer.index);
    const StmtId scope = scopeOf(edit, block.id);
    requireStagePipeline(edit, scope);
    if (ir::hasRegion(block.writes, touched.buffer))
        refuse(diagnostic("schedule.reads-what-it-writes",
                          "block " + named(block) + " writes '" + touched.buffer.name() + "' too")
                   .at(block.id)
                   .withHint("use reindex_cache_write"));
    const StmtId writer = onlyWriter(edit, scope, touched.buffer);
    const InsertPoint place =
        writer ? insertPointBetween(edit.index(block.id), writer, {block.id}) : InsertPoint{scope, 0};
    const Reindexed r = reindexed(edit, block, touched, args);
    return insertCopy(edit, block, scope, place, r, {r.buffer, r.copy, r.before, r.after, r.copy.name()});
}

ArgList reindexCacheWrite(Edit &edit, const ReindexCacheArgs &args)
{
    requireStorageScope(args.storageScope, args.block.id);
    const ir::Block &block = edit.block(args.block.id);
    const ir::BufferRegion &touched = accessAt(block, BufferSide::Write, args.buffer.index);
    const StmtId scope = scopeOf(edit, block.id);
    requireStagePipeline(edit, scope);
    onlyWriter(edit, scope, touched.buffer);
    requireNotAccumulated(edit, block, touched.buffer);
    const analysis::FunctionIndex &index = edit.index(block.id);
    const InsertPoint place =
        insertPointBetween(index, block.id, readersAfter(index.scope(scope), block.id, touched.buffer));
    const Reindexed r = reindexed(edit, block, touched, args);
    return insertCopy(edit, block, scope, place, r, {r.copy, r.buffer, r.after, r.before, r.copy.name()});
}

std::vector<TypedField<ReindexCacheArgs>> fields(BufferSide side, std::string_view indexName)
{
    return {required<&ReindexCacheArgs::block>("block", "Block", "The block that touches the buffer."),
            required<&ReindexCacheArgs::buffer>(indexName, "Buffer", "Which of the block's buffers.")
                .attribute()
                .of(side),
            required<&ReindexCacheArgs::storageScope>("storage_scope", "Memory", "Where the copy lies.")
                .attribute()
                .suggesting({storageScopes().begin(), storageScopes().end()}),
            required<&ReindexCacheArgs::indexMap>("index_map", "Index map",
                                                  "From the block's variables to the indices of the copy.")};
}

} // namespace

Primitive reindexCacheReadPrimitive()
{
    return define<ReindexCacheArgs>(
        {.name = "reindex_cache_read",
         .title = "Reindexed cache read",
         .group = Group::Caching,
         .key = "Q",
         .summary = "Copies a buffer that a block reads into other memory, laid out by an index map.",
         .documentation =
             R"(The index map says where the block will find, in the copy, what it reads now, in terms of its
own variables. With `lambda i, j: (j, i // 2, i % 2)`:

```
                                     for i, j: A_shared[j, i // 2, i % 2] = A[i, j]
for i, j: B[i, j] = f(A[i, j])   →   for i, j: B[i, j] = f(A_shared[j, i // 2, i % 2])
```

**Legal** when the block reads one element at a time, the map uses exactly the variables that index the
buffer, and at most one block of the scope writes it.)",
         .results = Results::Single},
        fields(BufferSide::Read, "read_buffer_index"), reindexCacheRead);
}

Primitive reindexCacheWritePrimitive()
{
    return define<ReindexCacheArgs>(
        {.name = "reindex_cache_write",
         .title = "Reindexed cache write",
         .group = Group::Caching,
         .key = "W",
         .summary =
             "Lets a block write into other memory, laid out by an index map, from where a new block copies.",
         .documentation =
             R"(The index map says where in the copy the block puts what it writes now, in terms of its own
variables.

```
for i, j: B[i, j] = f(A[i, j])   →   for i, j: B_shared[j, i] = f(A[i, j])                 lambda i, j: (j, i)
                                     for i, j: B[i, j] = B_shared[j, i]
```

**Legal** when the block writes one element at a time, the map uses exactly the variables that index the
buffer, and no other block of the scope writes it.)",
         .results = Results::Single},
        fields(BufferSide::Write, "write_buffer_index"), reindexCacheWrite);
}

} // namespace nestwright::schedule
