// SPDX-License-Identifier: Apache-2.0
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/codes.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/index_lemmas.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/loop_rules.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct FuseArgs {
    std::vector<LoopId> loops;
    bool preserveUnitIters = true;
};

/// Each loop is all that the one before it holds, and its bounds do not depend on those before it.
void requireNest(const analysis::FunctionIndex &index, const std::vector<const ir::For *> &loops)
{
    ir::VarSet outer;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const ir::For &loop = *loops[i];
        requirePlainLoop(loop);
        if (ir::usesAny(loop.extent, outer))
            refuse(diagnostic("schedule.dependent-loop", "the extent of loop " + named(loop)
                                                             + " depends on a loop it would be fused with")
                       .at(loop.id));
        outer.insert(loop.var);
        if (i == 0)
            continue;
        const ir::For &above = *loops[i - 1];
        if (onlyLoopIn(above.body) == &loop)
            continue;
        if (index.encloses(loop.id, above.id))
            refuse(diagnostic(codes::notOutermostFirst,
                              "loop " + named(loop) + " is outside loop " + named(above) + ", not within it")
                       .at(above.id)
                       .at(loop.id)
                       .withHint("give the loops outermost first"));
        refuse(diagnostic("schedule.not-only-child", "loop " + named(loop) + " is not all that loop "
                                                         + named(above)
                                                         + " holds, so the two cannot become one")
                   .at(above.id)
                   .at(loop.id)
                   .withHint(
                       "fuse loops that stand directly within each other; reorder may bring them together"));
    }
}

/// The loop whose type the fused one gets.
const ir::For &widest(const std::vector<const ir::For *> &loops)
{
    return **std::ranges::max_element(
        loops, {}, [](const ir::For *loop) { return static_cast<int>(loop->var->dtype.bits); });
}

ArgList fuse(Edit &edit, const FuseArgs &args)
{
    if (args.loops.empty())
        refuse(diagnostic("schedule.argument", "'fuse' needs at least one loop"));
    std::vector<const ir::For *> loops;
    std::vector<StmtId> ids;
    for (const LoopId loop : args.loops) {
        loops.push_back(&edit.loop(loop.id));
        ids.push_back(loop.id);
    }
    requireDistinct(edit, ids);
    requireNest(edit.index(ids.front()), loops);

    std::string name = loops.front()->var.name();
    ir::Expr extent = loops.front()->extent;
    std::vector<ir::Expr> extents{extent};
    for (std::size_t i = 1; i < loops.size(); ++i) {
        name += '_' + loops[i]->var.name();
        extents.push_back(loops[i]->extent);
    }
    requireCountable(widest(loops), extents, "fuse fewer of them, or give the kernel sizes of type int64");
    for (std::size_t i = 1; i < loops.size(); ++i)
        extent = extent * extents[i];
    extent = arith::simplify(extent);
    const ir::Var var(name + "_fused", extent.dtype());
    // (fused % (inner * extent)) // inner, where `inner` iterations lie within one of the loop.
    ir::VarMap<ir::Expr> values;
    ir::Expr inner = ir::constant(1, extent.dtype());
    for (std::size_t i = loops.size(); i-- > 0;) {
        const ir::For &loop = *loops[i];
        if (ir::isConstInt(loop.extent, 1)) {
            values[loop.var] = ir::constant(0, loop.var->dtype);
            continue;
        }
        const ir::Expr turn = arith::simplify(loop.extent * inner);
        const ir::Expr part = i == 0 ? ir::Expr(var) : ir::floorMod(var, turn);
        values[loop.var] = ir::cast(loop.var->dtype, ir::floorDiv(part, inner));
        inner = turn;
    }
    const StmtId id = edit.newId();
    ir::Stmt fused = ir::serialFor(var, extent, ir::substitute(loops.back()->body, values), id,
                                   edit.origin("fused", ids.front()));
    edit.replace(ids.front(), simplifyBindings(fused, domainsAround(edit.index(ids.front()), ids.front()),
                                               args.preserveUnitIters));
    for (const StmtId loop : ids)
        edit.forward(loop, id);
    return {id};
}

} // namespace

Primitive fusePrimitive()
{
    return define<FuseArgs>(
        {.name = "fuse",
         .title = "Fuse",
         .actionTitle = "Fuse with {}",
         .group = Group::Loops,
         .key = "F",
         .summary = "Turns nested loops into one loop over all their iterations.",
         .documentation = R"(Makes one loop of loops that stand directly within each other, outermost first.

```
for i, j in T.grid(4, 32):      for i_j_fused in range(128):
    A[i, j] = …             →       A[i_j_fused // 32, i_j_fused % 32] = …
```

**Legal** when each loop is all that the one outside it holds, no extent depends on another of the loops,
none carries annotations or a thread binding, and together they make no more iterations than their type
counts.)",
         .lemmas = fuseLemmas(),
         .results = Results::Single},
        {required<&FuseArgs::loops>("loops", "Loops", "The loops to fuse, outermost first.").positional(),
         optional<&FuseArgs::preserveUnitIters>(
             "preserve_unit_iters", "Keep loops of one iteration",
             "Whether bindings keep the variables of loops of one iteration.")
             .attribute()},
        fuse);
}

} // namespace nestwright::schedule
