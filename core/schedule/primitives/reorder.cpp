// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/accesses.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/schedule/codes.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/index_lemmas.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/loop_rules.h"
#include "core/schedule/rules/order_rules.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct ReorderArgs {
    std::vector<LoopId> loops;
};

/// The loops from the outermost to the innermost of `ids`, those between them included. Each must be all that
/// the one outside it holds.
std::vector<const ir::For *> chainOf(Edit &edit, const std::vector<StmtId> &ids)
{
    const analysis::FunctionIndex &index = edit.index(ids.front());
    for (const StmtId id : ids)
        edit.loop(id);
    const StmtId innermost =
        *std::ranges::max_element(ids, {}, [&](StmtId id) { return index.ancestors(id).size(); });
    std::vector<const ir::For *> chain{index.loop(innermost)};
    std::size_t missing = ids.size() - 1;
    for (StmtId at = index.parent(innermost); missing > 0 && at && index.loop(at); at = index.parent(at)) {
        chain.push_back(index.loop(at));
        missing -= std::ranges::count(ids, at);
    }
    if (missing > 0) {
        const auto elsewhere = std::ranges::find_if(
            ids, [&](StmtId id) { return std::ranges::find(chain, id, &ir::For::id) == chain.end(); });
        refuse(diagnostic("schedule.not-a-chain",
                          "loops " + named(*index.loop(*elsewhere)) + " and " + named(*index.loop(innermost))
                              + " are not on one line: neither encloses the other in one scope")
                   .at(*elsewhere)
                   .at(innermost));
    }
    std::ranges::reverse(chain);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
        if (onlyLoopIn(chain[i]->body) != chain[i + 1])
            refuse(diagnostic("schedule.not-only-child", "loop " + named(*chain[i + 1])
                                                             + " is not all that loop " + named(*chain[i])
                                                             + " holds, so it cannot change places")
                       .at(chain[i]->id)
                       .at(chain[i + 1]->id)
                       .withHint("reorder before blocks are moved between the loops, or move those away"));
    }
    return chain;
}

/// Reordering keeps the result only where every iteration may run at any time.
void requireReorderable(Edit &edit, StmtId outermost)
{
    const analysis::FunctionIndex &index = edit.index(outermost);
    for (const StmtId id : index.all()) {
        const ir::Block *block = index.block(id);
        if (!block || !index.encloses(outermost, id))
            continue;
        for (const ir::IterVar &iter : block->iterVars) {
            if (iter.kind == ir::IterKind::Opaque || iter.kind == ir::IterKind::Scan)
                refuse(diagnostic(codes::iterKind,
                                  "iteration variable '" + iter.var.name() + "' of block " + named(*block)
                                      + " is " + (iter.kind == ir::IterKind::Scan ? "a scan" : "opaque")
                                      + ": neither data-parallel nor a reduction")
                           .at(id));
        }
        if (analysis::scopeThrough(index, id) == analysis::scopeThrough(index, outermost)
            && !analysis::isWrapper(*block))
            requireAffineOrCutShort(edit, id, outermost);
    }
}

/// No loop's bounds depend on a loop within it.
void requireBoundsOutside(const std::vector<const ir::For *> &order)
{
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t inner = i + 1; inner < order.size(); ++inner) {
            const ir::Var &var = order[inner]->var;
            if (ir::uses(order[i]->extent, var) || ir::uses(order[i]->min, var))
                refuse(diagnostic("schedule.dependent-loop", "the bounds of loop " + named(*order[i])
                                                                 + " depend on loop " + named(*order[inner])
                                                                 + ", so it must stay within it")
                           .at(order[i]->id)
                           .at(order[inner]->id));
        }
    }
}

/// `loops` and those further in around the block.
std::vector<const ir::For *> withInner(const analysis::FunctionIndex &index, StmtId block,
                                       std::vector<const ir::For *> loops)
{
    const std::vector<StmtId> around = analysis::loopsThrough(index, block);
    const auto isReordered = [&](StmtId id) { return std::ranges::contains(loops, id, &ir::For::id); };
    const auto first = std::ranges::find_if(around, isReordered);
    const auto inner = std::ranges::find_if_not(first, around.end(), isReordered);
    std::transform(inner, around.end(), std::back_inserter(loops), [&](StmtId id) { return index.loop(id); });
    return loops;
}

/// The init of each reduction still runs before its first term.
void requireInitFirst(Edit &edit, const std::vector<const ir::For *> &before,
                      const std::vector<const ir::For *> &after)
{
    const analysis::FunctionIndex &index = edit.index(before.front()->id);
    for (const StmtId id : analysis::blocksThrough(index, before.front()->id)) {
        const ir::Block &block = *index.block(id);
        if (!block.init)
            continue;
        requireWholeRepetitions(index, block, withInner(index, id, before));
        requireWholeRepetitions(index, block, withInner(index, id, after));
        if (mixedLoops(block, before) == mixedLoops(block, after))
            continue;
        const std::vector<const ir::For *> mixed = mixedLoops(block, after);
        refuse(diagnostic("schedule.init-order",
                          "loops " + named(*mixed[0]) + " and " + named(*mixed[1])
                              + " run over elements and terms of the reduction " + named(block)
                              + " together, so in another order its init would come late")
                   .at(mixed[0]->id)
                   .at(mixed[1]->id)
                   .at(id)
                   .withHint("take the init out first with decompose_reduction"));
    }
}

ArgList reorder(Edit &edit, const ReorderArgs &args)
{
    std::vector<StmtId> ids;
    for (const LoopId loop : args.loops)
        ids.push_back(loop.id);
    if (ids.empty())
        return {};
    requireDistinct(edit, ids);
    const std::vector<const ir::For *> chain = chainOf(edit, ids);

    // The places of the named loops take them in the order given; the loops between stay where they are.
    std::vector<const ir::For *> order = chain;
    std::size_t next = 0;
    for (const ir::For *&place : order) {
        if (std::ranges::find(ids, place->id) != ids.end())
            place = edit.index(ids.front()).loop(ids[next++]);
    }
    requireBoundsOutside(order);
    requireReorderable(edit, chain.front()->id);
    requireInitFirst(edit, chain, order);
    const std::vector<StmtId> inPlace = blocksInPlace(edit.index(ids.front()), chain.front()->id);
    ir::Stmt body = chain.back()->body;
    for (std::size_t i = order.size(); i-- > 0;) {
        ir::For loop = *order[i];
        loop.body = body;
        body = ir::make(std::move(loop));
    }
    edit.replace(chain.front()->id, body);
    if (!inPlace.empty()) {
        ir::PrimFunc changed = *edit.index(ids.front()).function();
        changed.body = edit.body();
        requireSameOrder(edit, inPlace, chain, order, changed);
    }
    return {};
}

} // namespace

Primitive reorderPrimitive()
{
    return define<ReorderArgs>(
        {.name = "reorder",
         .title = "Reorder",
         .group = Group::Loops,
         .key = "R",
         .summary = "Puts nested loops into another order.",
         .documentation =
             R"(The named loops change places among themselves; loops between them that are not named stay.

```
for i, j, k in T.grid(…):       for i, k, j in T.grid(…):
    C[i, j] += …            →       C[i, j] += …
```

**Legal** when the loops are on one line, each all that the one outside it holds; every iteration variable
of the blocks below is data-parallel or a reduction, bound affinely; no loop's bounds depend on one that
would come to lie within it; and iterations of a block that reads what others of it write stay in
order.)",
         .lemmas = reorderLemmas()},
        {required<&ReorderArgs::loops>("loops", "Loops", "The loops in their new order, outermost first.")
             .form(FieldForm::GivesOrder)
             .positional()},
        reorder);
}

} // namespace nestwright::schedule
