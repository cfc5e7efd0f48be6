// SPDX-License-Identifier: Apache-2.0
/// cache_index: computes an expression that a block uses several times in its indices once for each of their
/// values, before it.
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/primitives/cache_stage.h"
#include "core/schedule/primitives/common_expressions.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/typed.h"
#include "core/script/print/printer.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct CacheIndexArgs {
    BlockId block;
    std::string storageScope;
    std::int64_t threshold = 0;
};

/// The stores that the block itself makes before the first block within it.
std::vector<const ir::BufferStore *> ownStores(const ir::Block &block)
{
    std::vector<const ir::BufferStore *> stores;
    bool isOwn = true;
    const auto look = [&](const ir::Stmt &s) {
        isOwn = isOwn && !s.as<ir::Block>();
        if (const auto *store = s.as<ir::BufferStore>(); store && isOwn)
            stores.push_back(store);
        return isOwn;
    };
    if (block.init)
        ir::forEachStmt(block.init, look);
    ir::forEachStmt(block.body, look);
    return stores;
}

/// The variables in `e` in the order in which they are met.
std::vector<ir::Var> variablesInOrder(const ir::Expr &e)
{
    std::vector<ir::Var> vars;
    ir::forEachExpr(e, [&](const ir::Expr &part) {
        if (const ir::Var var = ir::Var::from(part); var && !std::ranges::contains(vars, var))
            vars.push_back(var);
        return true;
    });
    return vars;
}

/// One expression, computed by a new block into a new buffer.
class IndexStage {
public:
    IndexStage(Edit &edit, const ir::Block &block, const ir::Expr &e)
        : m_edit(edit)
        , m_index(edit.index(block.id))
        , m_block(block)
        , m_expr(e)
        , m_vars(variablesInOrder(e))
    {
        requireOwnVariables();
        requireNoZeroDivisor();
        for (const ir::Var &var : m_vars) {
            const ir::Expr value = valueOf(var);
            for (const ir::Var &used : variablesInOrder(value))
                addLoop(used);
            const arith::IntervalSet values = valuesTaken(value);
            m_values.push_back(value);
            m_extents.push_back(m_analyzer.simplify(values.max + ir::constant(1, var->dtype)));
        }
    }

    ir::Buffer buffer(std::size_t number, const std::string &storageScope) const
    {
        ir::BufferNode node;
        node.name = "index_var_" + std::to_string(number);
        node.data = ir::Var(node.name, ir::DataType::handle());
        node.dtype = m_expr.dtype();
        node.shape = m_extents;
        node.strides = {ir::Expr(1)}; // as TVM has it, whatever the rank
        node.scope = storageScope.empty() ? "global" : storageScope;
        return ir::Buffer(std::move(node));
    }

    /// The load that replaces the expression.
    ir::Expr load(const ir::Buffer &cache) const { return ir::load(cache, {m_vars.begin(), m_vars.end()}); }

    ir::Stmt nest(const ir::Buffer &cache, const std::string &name, StmtId id)
    {
        ir::Block block;
        block.id = id;
        block.origin = m_edit.origin("cache", m_block.id);
        block.name = name;
        block.predicate = ir::boolImm(true);
        ir::VarMap<ir::Expr> fresh, own;
        std::vector<ir::Var> loops;
        for (const ir::For *loop : m_loops) {
            loops.emplace_back("ax" + std::to_string(loops.size()), loop->var->dtype);
            fresh[loop->var] = m_analyzer.simplify(loop->min + loops.back());
        }
        std::vector<ir::Expr> indices;
        for (std::size_t i = 0; i < m_vars.size(); ++i) {
            const ir::Var var("v" + std::to_string(i), m_vars[i]->dtype);
            own[m_vars[i]] = var;
            block.iterVars.push_back({.domain = {ir::constant(0, var->dtype), m_extents[i]},
                                      .var = var,
                                      .kind = ir::IterKind::Spatial});
            block.iterValues.push_back(ir::substitute(m_values[i], fresh));
            indices.push_back(var);
        }
        block.writes = {{cache, ir::pointRegion(indices)}};
        block.body = ir::store(cache, ir::substitute(m_expr, own), indices);
        ir::Stmt nest = ir::make(std::move(block));
        for (std::size_t d = loops.size(); d-- > 0;)
            nest =
                ir::serialFor(loops[d], m_loops[d]->extent, nest, m_edit.newId(), m_edit.origin("loop", id));
        return nest;
    }

private:
    void requireOwnVariables() const
    {
        for (const ir::Var &var : m_vars) {
            if (!std::ranges::contains(m_block.iterVars, var, &ir::IterVar::var))
                refuse(diagnostic("schedule.index-of-others", what() + " uses '" + var.name()
                                                                  + "', which is no variable of block "
                                                                  + named(m_block))
                           .at(m_block.id)
                           .withHint("only expressions of the block's own variables can be cached"));
        }
    }

    /// Under a condition a division by zero may never happen; computed for every value it would.
    void requireNoZeroDivisor()
    {
        bindAll(m_analyzer, domainsOf(m_block));
        ir::forEachExpr(m_expr, [&](const ir::Expr &part) {
            const auto *node = part.as<ir::Binary>();
            if (node && ir::isDivision(node->op) && node->b.dtype().isIntegral()
                && !m_analyzer.canProve(ir::ne(node->b, ir::constant(0, node->b.dtype()))))
                refuse(diagnostic("schedule.zero-divisor", what() + " divides by "
                                                               + script::printExpr(node->b)
                                                               + ", which may be 0 for some values")
                           .at(m_block.id));
            return true;
        });
    }

    ir::Expr valueOf(const ir::Var &var) const
    {
        const auto at =
            std::ranges::find(m_block.iterVars, var, &ir::IterVar::var) - m_block.iterVars.begin();
        return m_block.iterValues[static_cast<std::size_t>(at)];
    }

    /// A loop of the block's own scope, whose range stands still.
    void addLoop(const ir::Var &var)
    {
        for (const StmtId id : m_index.loopsOf(m_block.id)) {
            const ir::For &loop = *m_index.loop(id);
            if (loop.var != var)
                continue;
            if (!ir::variablesOf(loop.min).empty() || !ir::asInt(loop.extent))
                refuse(
                    diagnostic("schedule.loop-range", "the range of loop " + named(loop) + " is not constant")
                        .at(id)
                        .withHint("the indices must have a constant number of values"));
            if (!std::ranges::contains(m_loops, &loop))
                m_loops.push_back(&loop);
            return;
        }
        refuse(diagnostic("schedule.index-of-others", what() + " changes with '" + var.name()
                                                          + "', which is no loop around block "
                                                          + named(m_block) + " in its scope")
                   .at(m_block.id));
    }

    arith::IntervalSet valuesTaken(const ir::Expr &value) const
    {
        ir::VarMap<arith::IntervalSet> relaxed;
        for (const ir::For *loop : m_loops)
            relaxed[loop->var] = arith::IntervalSet::of({loop->min, loop->extent});
        arith::Analyzer analyzer;
        const arith::IntervalSet set = arith::evalSet(value, relaxed, analyzer);
        if (!set.isBounded() || !analyzer.canProve(ir::ge(set.min, ir::constant(0, set.min.dtype()))))
            refuse(
                diagnostic("schedule.index-range", what() + " is computed of " + script::printExpr(value)
                                                       + ", which is not known to lie between 0 and an end")
                    .at(m_block.id));
        return set;
    }

    std::string what() const { return "the index " + script::printExpr(m_expr); }

    Edit &m_edit;
    const analysis::FunctionIndex &m_index;
    const ir::Block &m_block;
    ir::Expr m_expr;
    std::vector<ir::Var> m_vars;     ///< the block's variables that it uses
    std::vector<ir::Expr> m_values;  ///< of these, in terms of the loops
    std::vector<ir::Expr> m_extents; ///< one more than the greatest of each
    std::vector<const ir::For *> m_loops;
    arith::Analyzer m_analyzer;
};

/// Puts the replacements into the given stores; regions stay as they are.
class StoreChanger : public ir::Rewriter {
public:
    StoreChanger(const std::vector<const ir::BufferStore *> &stores,
                 const std::vector<std::pair<ir::Expr, ir::Expr>> &replacements)
        : m_stores(stores)
        , m_replacements(replacements)
    {
    }

    ir::Stmt stmt(const ir::Stmt &s) override
    {
        const auto *store = s.as<ir::BufferStore>();
        if (!store)
            return children(s);
        if (!std::ranges::contains(m_stores, store))
            return s;
        ir::Stmt changed = s;
        for (const auto &[e, with] : m_replacements)
            changed = replaceEquivalent(changed, e, with);
        return changed;
    }
    ir::Expr expr(const ir::Expr &e) override { return e; }

private:
    const std::vector<const ir::BufferStore *> &m_stores;
    const std::vector<std::pair<ir::Expr, ir::Expr>> &m_replacements;
};

ArgList cacheIndex(Edit &edit, const CacheIndexArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    requireStorageScope(args.storageScope, block.id);
    if (args.threshold < 0)
        refuse(diagnostic("schedule.argument",
                          "an expression cannot be computed " + std::to_string(args.threshold) + " times")
                   .at(block.id)
                   .withHint("give 0 or more"));
    const StmtId scope = scopeOf(edit, block.id);
    const std::vector<const ir::BufferStore *> stores = ownStores(block);
    std::vector<ir::Expr> found;
    for (const ir::BufferStore *store : stores) {
        const std::vector<ir::Expr> common =
            commonExpressions(*store, static_cast<std::size_t>(args.threshold));
        found.insert(found.end(), common.begin(), common.end());
        std::ranges::stable_sort(found, std::ranges::greater(), complexityOf);
    }
    if (found.empty())
        refuse(diagnostic("schedule.no-index",
                          "block " + named(block) + " computes nothing of its variables "
                              + (args.threshold > 1 ? std::to_string(args.threshold) + " times or more"
                                                    : std::string("alone")))
                   .at(block.id)
                   .withHint("a lower threshold may find more"));
    ArgList blocks;
    std::vector<ir::Stmt> nests;
    std::vector<ir::Buffer> caches;
    std::vector<std::pair<ir::Expr, ir::Expr>> replacements;
    for (const ir::Expr &e : found) {
        IndexStage stage(edit, block, e);
        const StmtId id = edit.newId();
        caches.push_back(stage.buffer(caches.size(), args.storageScope));
        nests.push_back(stage.nest(caches.back(), "index_" + std::to_string(nests.size()), id));
        replacements.emplace_back(e, stage.load(caches.back()));
        blocks.emplace_back(id);
    }
    const std::vector<ir::Stmt> parts = partsOf(edit.block(scope).body);
    const auto part =
        std::ranges::find_if(parts, [&](const ir::Stmt &s) { return containsStmt(s, block.id); });
    Changes changes;
    addChange(changes, block.id,
              [&](const ir::Stmt &s) { return StoreChanger(stores, replacements).stmt(s); });
    addChange(changes, scope, editBlock([&](ir::Block &root) {
                  root.allocBuffers.insert(root.allocBuffers.end(), caches.begin(), caches.end());
              }));
    addNest(changes, {scope, static_cast<std::size_t>(part - parts.begin())}, ir::seq(nests));
    edit.setBody(rewriteAt(edit.body(), changes));
    return blocks;
}

} // namespace

Primitive cacheIndexPrimitive()
{
    return define<CacheIndexArgs>(
        {.name = "cache_index",
         .title = "Cache index",
         .group = Group::Caching,
         .key = "Shift+W",
         .summary = "Computes expressions of a block's indices once, into buffers of their own.",
         .documentation =
             R"(New blocks before the block compute the expressions for all values of its variables; the
block reads the results. With a threshold, only what the block computes that many times or more is taken.

```
for i, j:                              for ax0: index_var_0[ax0] = ax0 // 4
    C[i, j] = A[i // 4, j // 4]   →    for ax0: index_var_1[ax0] = ax0 // 4
                                       for i, j:
                                           C[i, j] = A[index_var_0[i], index_var_1[j]]
```

As in TVM, the block's reads do not name the new buffers.

**Legal** when the expressions use the block's own variables only, and these take a constant number of
values from 0 on.)",
         .results = Results::List},
        {required<&CacheIndexArgs::block>("block", "Block", "The block that computes indices."),
         required<&CacheIndexArgs::storageScope>("storage_scope", "Memory", "Where the results lie.")
             .attribute()
             .suggesting({storageScopes().begin(), storageScopes().end()}),
         optional<&CacheIndexArgs::threshold>("cse_thresh", "Times",
                                              "How often an expression must be computed to be taken.")
             .attribute()},
        cacheIndex);
}

} // namespace nestwright::schedule
