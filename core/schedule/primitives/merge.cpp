// SPDX-License-Identifier: Apache-2.0
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/interleaving.h"
#include "core/schedule/rules/loop_rules.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"
#include "core/script/print/printer.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct MergeArgs {
    std::vector<LoopId> loops;
};

/// The loops from `innermost` up to, but not with, `holder`; innermost first.
std::vector<const ir::For *> nestBelow(const analysis::FunctionIndex &index, StmtId innermost, StmtId holder)
{
    std::vector<const ir::For *> nest;
    for (StmtId at = innermost; at != holder; at = index.parent(at)) {
        const ir::For &loop = *index.loop(at);
        requirePlainLoop(loop);
        if (!nest.empty() && onlyLoopIn(loop.body) != nest.back())
            refuse(diagnostic("schedule.not-only-child", "loop " + named(*nest.back())
                                                             + " is not all that loop " + named(loop)
                                                             + " holds, so the nest cannot be merged")
                       .at(loop.id)
                       .at(nest.back()->id)
                       .withHint("merge loops further out first"));
        nest.push_back(&loop);
    }
    return nest;
}

/// All loops are in one scope, none within another; the innermost loop or block that holds them all.
StmtId holderOfLoops(const analysis::FunctionIndex &index, const std::vector<StmtId> &loops)
{
    StmtId holder = loops.front();
    for (const StmtId loop : loops) {
        if (index.scopeRoot(loop) != index.scopeRoot(loops.front()))
            refuse(diagnostic("schedule.different-scope", "loops " + named(*index.loop(loops.front()))
                                                              + " and " + named(*index.loop(loop))
                                                              + " are in the scopes of different blocks")
                       .at(loops.front())
                       .at(loop));
        holder = index.lowestCommonAncestor(holder, loop);
    }
    if (const auto nested = std::ranges::find(loops, holder); nested != loops.end())
        refuse(diagnostic("schedule.nested-loops",
                          "loop " + named(*index.loop(*nested)) + " encloses another of the loops")
                   .at(*nested)
                   .withHint("merge takes loops that run one after the other; fuse takes nested ones"));
    return holder;
}

void requireSameShape(const std::vector<const ir::For *> &first, const std::vector<const ir::For *> &other)
{
    if (first.size() != other.size())
        refuse(diagnostic("schedule.nest-depth",
                          "loop " + named(*first.front()) + " is the last of " + std::to_string(first.size())
                              + " nested loops, loop " + named(*other.front()) + " of "
                              + std::to_string(other.size()) + "; they must be as many")
                   .at(first.front()->id)
                   .at(other.front()->id));
    arith::Analyzer analyzer;
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (!analyzer.canProveEqual(first[i]->extent, other[i]->extent))
            refuse(diagnostic("schedule.different-extents",
                              "loop " + named(*first[i]) + " has " + script::printExpr(first[i]->extent)
                                  + " iterations, loop " + named(*other[i]) + " has "
                                  + script::printExpr(other[i]->extent))
                       .at(first[i]->id)
                       .at(other[i]->id)
                       .withHint("split one of them so that the outer loops agree"));
    }
}

ArgList merge(Edit &edit, const MergeArgs &args)
{
    if (args.loops.size() < 2)
        refuse(diagnostic("schedule.argument", "'merge' needs at least two loops"));
    std::vector<StmtId> ids;
    for (const LoopId loop : args.loops)
        ids.push_back(edit.loop(loop.id).id);
    requireDistinct(edit, ids);
    const analysis::FunctionIndex &index = edit.index(ids.front());
    const StmtId holder = holderOfLoops(index, ids);
    std::vector<std::vector<const ir::For *>> nests;
    for (const StmtId id : ids) {
        nests.push_back(nestBelow(index, id, holder));
        requireSameShape(nests.front(), nests.back());
    }
    requireInterleavable(index, holder, nests);

    std::vector<ir::Var> vars;
    for (const ir::For *loop : nests.front())
        vars.emplace_back(loop->var.name() + "_m", loop->var->dtype);
    std::vector<ir::Stmt> bodies;
    for (const auto &nest : nests) {
        ir::VarMap<ir::Expr> values;
        for (std::size_t i = 0; i < nest.size(); ++i)
            values[nest[i]->var] = ir::cast(nest[i]->var->dtype, vars[i]);
        bodies.push_back(ir::substitute(nest.front()->body, values));
    }
    ir::Stmt merged = ir::seq(std::move(bodies));
    std::vector<StmtId> made(vars.size());
    for (std::size_t i = made.size(); i-- > 0;)
        made[i] = edit.newId();
    for (std::size_t i = 0; i < vars.size(); ++i)
        merged = ir::serialFor(vars[i], nests.front()[i]->extent, merged, made[i],
                               edit.origin("merged", nests.front()[i]->id));
    Changes changes;
    for (const auto &nest : nests) {
        changes[nest.back()->id] = [](const ir::Stmt &) { return ir::Stmt(); };
        for (std::size_t i = 0; i < nest.size(); ++i)
            edit.forward(nest[i]->id, made[i]);
    }
    changes[nests.back().back()->id] = [&](const ir::Stmt &) { return merged; };
    edit.setBody(rewriteAt(edit.body(), changes));
    return {made.front()};
}

} // namespace

Primitive mergePrimitive()
{
    return define<MergeArgs>(
        {.name = "merge",
         .title = "Merge",
         .group = Group::Loops,
         .key = "Shift+F",
         .summary = "Turns loops that run one after the other into one loop over all their bodies.",
         .documentation =
             R"(Makes one nest of several that stand side by side, down to the chosen loops. It stands where
the last of them stood; the bodies keep the order in which the loops are given.

```
for i in range(8):              for i_m in range(8):
    C[i] = A[i] + 1                 C[i_m] = A[i_m] + 1
for i in range(8):      →           D[i_m] = A[i_m] * 2
    D[i] = A[i] * 2
```

**Legal** when the nests are equally deep with equal extents, each loop in them is all that the one outside
it holds, none carries annotations or a thread binding, and no iteration of one needs what a later iteration
of another makes.)",
         .results = Results::Single},
        {required<&MergeArgs::loops>("loops", "Loops", "The loops to merge, of different nests.")
             .positional()},
        merge);
}

} // namespace nestwright::schedule
