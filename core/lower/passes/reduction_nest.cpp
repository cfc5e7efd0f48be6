// SPDX-License-Identifier: Apache-2.0
#include "core/lower/passes/reduction_nest.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace nestwright::lower {

using ir::Expr;
using ir::Stmt;

namespace {

/// Fills in what the variables of the block rest on, whose loops the analyzer knows.
void addValues(ReductionNest &nest, arith::Analyzer &analyzer)
{
    for (std::size_t i = 0; i < nest.block->iterVars.size(); ++i) {
        const Expr value = analyzer.simplify(nest.block->iterValues[i]);
        nest.values[nest.block->iterVars[i].var] = value;
        if (nest.block->iterVars[i].kind != ir::IterKind::Reduce)
            continue;
        for (const ir::Var &var : ir::variablesOf(value))
            nest.reduced.insert(var);
    }
}

/// Calls `visit` with each block below `s` that is within no other, and with the loops from `s` to it.
void eachBlock(const Stmt &s, std::vector<const ir::For *> &loops,
               const std::function<void(const ir::Block &)> &visit)
{
    if (const auto *loop = s.as<ir::For>()) {
        loops.push_back(loop);
        eachBlock(loop->body, loops, visit);
        loops.pop_back();
    } else if (const auto *sequence = s.as<ir::Seq>()) {
        for (const Stmt &part : sequence->stmts)
            eachBlock(part, loops, visit);
    } else if (const auto *block = s.as<ir::Block>()) {
        visit(*block);
    }
}

/// The stores in the body of a block.
std::vector<const ir::BufferStore *> storesOf(const ir::Block &block)
{
    std::vector<const ir::BufferStore *> stores;
    ir::forEachStmt(block.body, [&](const Stmt &part) {
        if (const auto *store = part.as<ir::BufferStore>())
            stores.push_back(store);
        return true;
    });
    return stores;
}

/// Whether no other block of `s` touches what `block` stores to.
bool isOnlyUser(const ir::Block &block, const Stmt &s)
{
    bool isOnly = true;
    std::vector<const ir::For *> loops;
    eachBlock(s, loops, [&](const ir::Block &other) {
        for (const ir::BufferStore *store : storesOf(block))
            isOnly = isOnly && (&other == &block || !ir::uses(other.body, store->buffer));
    });
    return isOnly;
}

/// Whether the loops that the result has elements for begin and end the same in every round of the
/// others.
bool hasLoopsOfItsOwn(const ReductionNest &nest)
{
    ir::VarSet vars;
    for (const ir::For *loop : nest.loops)
        vars.insert(loop->var);
    return std::ranges::all_of(nest.loops, [&](const ir::For *loop) {
        return nest.isReduced(*loop) || (!ir::usesAny(loop->min, vars) && !ir::usesAny(loop->extent, vars));
    });
}

} // namespace

bool isReduction(const ir::Block &block)
{
    if (block.init)
        return true;
    const std::vector<const ir::BufferStore *> stores = storesOf(block);
    const auto overwrites = [&](const ir::BufferStore *store) {
        return std::ranges::any_of(block.iterVars, [&](const ir::IterVar &iter) {
            return iter.kind == ir::IterKind::Reduce
                   && std::ranges::none_of(store->indices,
                                           [&](const Expr &index) { return ir::uses(index, iter.var); });
        });
    };
    bool isCombined = false;
    ir::forEachExpr(block.body, [&](const Expr &part) {
        const auto *load = part.as<ir::BufferLoad>();
        isCombined = isCombined || (load && std::ranges::any_of(stores, [&](const ir::BufferStore *store) {
                                        return store->buffer == load->buffer;
                                    }));
        return !isCombined;
    });
    return isCombined || std::ranges::any_of(stores, overwrites);
}

ReductionNest nestAt(const Stmt &s, arith::Analyzer &analyzer)
{
    ReductionNest nest;
    Stmt below = s;
    for (const auto *loop = s.as<ir::For>(); loop; loop = below.as<ir::For>()) {
        nest.loops.push_back(loop);
        below = loop->body;
        analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
    }
    nest.block = below.as<ir::Block>();
    if (!nest.block || nest.loops.empty() || !isReduction(*nest.block))
        return {};
    addValues(nest, analyzer);
    const auto isSpread = [&](const ir::For *loop) { return isOfThreads(*loop) && nest.isReduced(*loop); };
    if (!nest.isReduced(*nest.loops.front()) || std::ranges::none_of(nest.loops, isSpread))
        return {};
    return nest;
}

ReductionNest partAt(const Stmt &s, const std::vector<const ir::For *> &around, arith::Analyzer &analyzer)
{
    ReductionNest found;
    std::vector<const ir::For *> loops;
    const auto *first = s.as<ir::For>();
    if ((!first && !s.as<ir::Block>()) || (first && isOfThreads(*first)))
        return found;
    eachBlock(s, loops, [&](const ir::Block &block) {
        if (found.block || !isReduction(block))
            return;
        for (const ir::For *loop : loops)
            analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
        ReductionNest nest{loops, &block, {}, {}};
        addValues(nest, analyzer);
        const auto isSpread = [&](const ir::For *loop) {
            return isOfThreads(*loop) && nest.isReduced(*loop);
        };
        const bool isSerialAround = std::ranges::any_of(
            around, [&](const ir::For *loop) { return !isOfThreads(*loop) && nest.isReduced(*loop); });
        // The sums of threads stay within one kernel, whose threads are known at `s`.
        const bool isInKernel =
            std::ranges::none_of(loops, [](const ir::For *loop) { return isOfThreads(*loop); })
            || std::ranges::any_of(
                around, [](const ir::For *loop) { return loop->forKind == ir::ForKind::ThreadBinding; });
        if ((first && !nest.isReduced(*first)) || isSerialAround || !isInKernel
            || (std::ranges::none_of(around, isSpread) && std::ranges::none_of(loops, isSpread)))
            return;
        // In the rounds of a loop the result is not there yet.
        const auto outermost =
            std::ranges::find_if(around, [&](const ir::For *loop) { return nest.isReduced(*loop); });
        if (isOnlyUser(block, outermost == around.end() ? s : (*outermost)->body) && hasLoopsOfItsOwn(nest))
            found = std::move(nest);
    });
    return found;
}

} // namespace nestwright::lower
