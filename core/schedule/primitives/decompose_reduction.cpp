// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/accesses.h"
#include "core/analysis/access/complete_regions.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/predicates.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct DecomposeArgs {
    BlockId block;
    LoopId loop;
};

/// A loop that feeds no variable of the block runs the whole reduction again, which needs its init each time.
void requireNoRepetition(const analysis::FunctionIndex &index, const ir::Block &block, const ir::For &loop)
{
    for (StmtId at = index.parent(block.id);; at = index.parent(at)) {
        const ir::For &around = *index.loop(at);
        const bool feeds =
            std::ranges::any_of(block.iterValues, [&](const ir::Expr &v) { return ir::uses(v, around.var); });
        if (!feeds && !ir::isConstInt(around.extent, 1))
            refuse(diagnostic("schedule.reduction-repeated",
                              "loop " + named(around) + " runs the reduction " + named(block)
                                  + " repeatedly, and the init must stay within it")
                       .at(around.id)
                       .at(block.id)
                       .withHint("choose a loop within loop " + named(around)));
        if (at == loop.id)
            return;
    }
}

/// The loop encloses the block, and no loop further out feeds a reduction variable.
void requirePosition(Edit &edit, const ir::Block &block, const ir::For &loop)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    if (!std::ranges::contains(index.loopsOf(block.id), loop.id))
        refuse(diagnostic("schedule.loop-not-around-block",
                          "loop " + named(loop) + " is not around block " + named(block) + " in its scope")
                   .at(loop.id)
                   .at(block.id));
    for (const StmtId at : analysis::loopsThrough(index, loop.id)) {
        const ir::For &outer = *index.loop(at);
        for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
            if (block.iterVars[i].kind == ir::IterKind::Reduce && ir::uses(block.iterValues[i], outer.var))
                refuse(diagnostic("schedule.loop-below-reduction",
                                  "loop " + named(outer) + " outside loop " + named(loop)
                                      + " feeds the reduction variable '" + block.iterVars[i].var.name()
                                      + "', so the init would run in the midst of the reduction")
                           .at(loop.id)
                           .at(outer.id)
                           .withHint("choose loop " + named(outer) + " or one outside it"));
        }
    }
}

/// The block that only initialises: the data-parallel variables of `block`, its init as the body.
ir::Block initBlock(Edit &edit, const ir::Block &block, StmtId id)
{
    ir::Block init;
    init.id = id;
    init.origin = edit.origin("init", block.id);
    init.name = block.name + "_init";
    init.annotations = block.annotations;
    ir::VarMap<ir::Expr> renamed;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        if (block.iterVars[i].kind != ir::IterKind::Spatial)
            continue;
        ir::IterVar iter = block.iterVars[i];
        iter.var = ir::Var(iter.var.name(), iter.var->dtype);
        renamed[block.iterVars[i].var] = iter.var;
        init.iterVars.push_back(std::move(iter));
        init.iterValues.push_back(block.iterValues[i]);
    }
    for (const ir::BufferRegion &write : block.writes)
        init.writes.push_back(ir::substitute(write, renamed));
    init.body = ir::substitute(block.init, renamed);
    init.reads = analysis::accessRegions(init).reads; // as of the operands of an epilogue
    return init;
}

/// The init block under copies of those loops from `loop` inwards that it depends on.
ir::Stmt initNest(Edit &edit, const ir::Block &block, const ir::For &loop, StmtId id)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    ir::Block init = initBlock(edit, block, id);
    std::vector<const ir::For *> kept; // innermost first
    arith::Domains discarded;
    for (StmtId at = index.parent(block.id);; at = index.parent(at)) {
        const ir::For &around = *index.loop(at);
        const bool used =
            std::ranges::any_of(init.iterValues, [&](const ir::Expr &v) { return ir::uses(v, around.var); });
        if (used)
            kept.push_back(&around);
        else
            discarded.push_back(domainOf(around));
        if (at == loop.id)
            break;
    }
    const arith::Domains loops = domainsAround(index, block.id);
    init.predicate = predicateWithout(init, block.predicate, discarded, loops);
    // Memory of the scope's own may be filled beside the element initialised: nothing reads it.
    if (isOutput(edit, block.id))
        init.predicate = ir::logicalAnd(init.predicate, whereBegun(block, discarded, loops));
    ir::VarMap<ir::Expr> renamed;
    ir::Stmt nest = ir::make(std::move(init));
    for (const ir::For *around : kept) {
        ir::For copy = *around;
        copy.id = edit.newId();
        copy.origin = edit.origin("init", around->id);
        copy.var = ir::Var(around->var.name() + "_init", around->var->dtype);
        copy.body = nest;
        renamed[around->var] = copy.var;
        nest = ir::make(std::move(copy));
    }
    return ir::substitute(nest, renamed);
}

/// Turns the block into the update: it reads what it writes, and has no init.
void makeUpdate(ir::Block &block)
{
    block.name += "_update";
    block.init = {};
    std::vector<ir::BufferRegion> reads;
    for (const ir::BufferRegion &write : block.writes) {
        if (!ir::hasRegion(block.reads, write.buffer))
            reads.push_back(write);
    }
    reads.insert(reads.end(), block.reads.begin(), block.reads.end());
    block.reads = std::move(reads);
}

ArgList decomposeReduction(Edit &edit, const DecomposeArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const ir::For &loop = edit.loop(args.loop.id);
    scopeOf(edit, block.id);
    requireReduction(edit, block.id);
    requirePosition(edit, block, loop);
    requireNoRepetition(edit.index(block.id), block, loop);
    requireEachPointOnce(edit.index(block.id), block, loop.id,
                         "choose a loop within " + named(loop) + ", best the first of the reduction");
    const StmtId id = edit.newId();
    const ir::Stmt init = initNest(edit, block, loop, id);
    edit.setBody(rewriteAt(edit.body(), {{block.id, editBlock(makeUpdate)},
                                         {loop.id, [&](const ir::Stmt &s) { return ir::seq({init, s}); }}}));
    return {id};
}

} // namespace

Primitive decomposeReductionPrimitive()
{
    return define<DecomposeArgs>(
        {.name = "decompose_reduction",
         .title = "Decompose reduction",
         .group = Group::Reduction,
         .key = "D",
         .summary = "Takes the init of a reduction out into a block of its own before a loop.",
         .documentation =
             R"(Makes two blocks of a reduction: one that initialises, under copies of the loops it needs,
placed before the chosen loop; and one that updates.

```
for i, k in T.grid(…):          for i:
    with C:                         with C_init: C[i] = 0
        init: C[i] = 0      →       for k:
        C[i] += A[i, k]                 with C_update: C[i] += A[i, k]
```

**Legal** for a reduction block and a loop around it, when no loop further out feeds a reduction variable.
Afterwards the two blocks write one buffer, which rules out most other steps on them: decompose last.)",
         .results = Results::Single},
        {required<&DecomposeArgs::block>("block", "Block", "The reduction."),
         required<&DecomposeArgs::loop>("loop", "Before loop", "The loop before which the init goes.")},
        decomposeReduction);
}

} // namespace nestwright::schedule
