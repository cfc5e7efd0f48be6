// SPDX-License-Identifier: Apache-2.0
#include "core/arith/iter_map/iter_map.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/index_lemmas.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct DecomposePaddingArgs {
    BlockId block;
    LoopId loop;
};

/// A block that writes `value` where `predicate` holds and `pad` elsewhere.
struct Padding {
    std::vector<ir::Range> inBound; ///< of each iteration variable, where the predicate holds
    ir::Expr predicate;             ///< in terms of the loops
    ir::Expr value, pad;
};

[[noreturn]] void refusePattern(const ir::Block &block, const std::string &why)
{
    refuse(diagnostic("schedule.not-padding", "block " + named(block) + " is no padding: " + why)
               .at(block.id)
               .withHint("the body must be A[…] = T.if_then_else(condition, B[…], constant)"));
}

Padding matchPadding(const ir::Block &block, const arith::Domains &loops, arith::Analyzer &analyzer)
{
    const auto *store = block.body.as<ir::BufferStore>();
    if (!store)
        refusePattern(block, "its body is not one store");
    const auto *choice = store->value.as<ir::Call>();
    if (!choice || choice->callee != ir::intrinsics::ifThenElse)
        refusePattern(block, "the value stored does not depend on a condition");
    Padding padding{.inBound = {}, .predicate = {}, .value = choice->args[1], .pad = choice->args[2]};
    if (!ir::asInt(padding.pad) && !padding.pad.as<ir::FloatImm>())
        refusePattern(block, "the value stored outside is not constant");
    padding.predicate = analyzer.simplify(ir::conjunctionOf(
        ir::conjunctsOf(ir::logicalAnd(ir::substitute(choice->args[0], valuesOf(block)), block.predicate))));
    if (ir::isTrue(padding.predicate))
        refusePattern(block, "its condition always holds");
    const auto map = arith::detectIterMap(block.iterValues, loops, padding.predicate,
                                          arith::IterMapLevel::Surjective, analyzer);
    if (!map)
        refusePattern(block, "its condition does not bound each iteration variable by itself: "
                                 + map.error().message);
    for (const arith::IterSum &sum : map->indices) {
        if (sum.args.empty()) {
            padding.inBound.push_back({sum.base, ir::intImm(1, sum.base.dtype())});
            continue;
        }
        if (sum.args.size() > 1 || !analyzer.canProveEqual(sum.args.front().scale, ir::Expr(1)))
            refusePattern(block, "its iterations are strided");
        padding.inBound.push_back({sum.base, sum.args.front().extent});
    }
    return padding;
}

/// The loops around the block from the innermost outwards: where the block that fills goes, and which nest is
/// trimmed.
struct Places {
    std::vector<const ir::For *> loops;
    std::size_t filled = 0;  ///< position of the loop before which the constant goes
    std::size_t trimmed = 0; ///< position of the outermost loop that changes
};

Places placesOf(const analysis::FunctionIndex &index, const ir::Block &block, const ir::For &loop)
{
    Places places;
    std::vector<StmtId> around = index.loopsOf(block.id);
    std::ranges::reverse(around);
    for (const StmtId id : around)
        places.loops.push_back(index.loop(id));
    const auto found = std::ranges::find(places.loops, &loop);
    if (found == places.loops.end())
        refuse(diagnostic("schedule.loop-not-around-block",
                          "loop " + named(loop) + " is not around block " + named(block) + " in its scope")
                   .at(loop.id)
                   .at(block.id));
    places.filled = static_cast<std::size_t>(found - places.loops.begin());
    while (places.trimmed < places.filled && onlyLoopIn(places.loops[places.trimmed + 1]->body))
        ++places.trimmed;
    const ir::Stmt &alone = places.loops.front()->body;
    if (!alone.same(index.find(block.id)))
        refuse(diagnostic("schedule.not-single-block", "loop " + named(*places.loops.front())
                                                           + " holds more than block " + named(block)
                                                           + ", which is to run over fewer iterations")
                   .at(places.loops.front()->id)
                   .at(block.id)
                   .withHint("move the other blocks out of the loop first"));
    return places;
}

std::vector<ir::Range> withBounds(const std::vector<ir::Range> &region,
                                  const std::function<ir::Expr(const ir::Expr &)> &change)
{
    std::vector<ir::Range> result;
    for (const ir::Range &range : region)
        result.push_back({change(range.min), change(range.extent)});
    return result;
}

/// The block that fills everything with the constant, under copies of the loops up to where it goes.
ir::Stmt constantNest(Edit &edit, const ir::Block &block, const Padding &padding, const Places &places,
                      arith::Analyzer &analyzer, StmtId id)
{
    ir::VarMap<ir::Expr> values;
    const auto change = [&](const ir::Expr &e) { return analyzer.simplify(ir::substitute(e, values)); };
    ir::Block fill;
    fill.id = id;
    fill.origin = edit.origin("fill", block.id);
    fill.name = block.name + "_pad_const";
    for (const ir::IterVar &iter : block.iterVars) {
        fill.iterVars.push_back(
            {iter.domain, ir::Var(iter.var.name(), iter.var->dtype), ir::IterKind::Spatial});
        values[iter.var] = fill.iterVars.back().var;
    }
    const ir::BufferRegion &write = block.writes.front();
    fill.writes = {{write.buffer, withBounds(write.region, change)}};
    ir::BufferStore store = *block.body.as<ir::BufferStore>();
    store.value = padding.pad;
    std::ranges::transform(store.indices, store.indices.begin(), change);
    fill.body = ir::make(std::move(store));
    std::vector<ir::Var> vars;
    for (std::size_t i = 0; i <= places.filled; ++i) {
        vars.emplace_back(places.loops[i]->var.name(), places.loops[i]->var->dtype);
        values[places.loops[i]->var] = vars.back();
    }
    std::ranges::transform(block.iterValues, std::back_inserter(fill.iterValues), change);
    fill.predicate = change(block.predicate);
    ir::Stmt nest = ir::make(std::move(fill));
    for (std::size_t i = 0; i < vars.size(); ++i) {
        ir::For loop;
        loop.id = edit.newId();
        loop.origin = edit.origin("fill", places.loops[i]->id);
        loop.var = vars[i];
        loop.min = places.loops[i]->min;
        loop.extent = places.loops[i]->extent;
        loop.body = nest;
        nest = ir::make(std::move(loop));
    }
    return nest;
}

/// The block as it is where the condition holds, in its loops; a loop that is the value of a variable runs
/// over that part only.
ir::Stmt inBoundNest(const ir::Block &block, const Padding &padding, const Places &places,
                     arith::Analyzer &analyzer)
{
    ir::VarMap<ir::Range> ranges;
    for (std::size_t i = 0; i <= places.trimmed; ++i)
        ranges[places.loops[i]->var] = {places.loops[i]->min, places.loops[i]->extent};
    ir::Block inside = block;
    inside.annotations.clear();
    ir::VarMap<ir::Expr> values;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        ir::IterVar &iter = inside.iterVars[i];
        const ir::Expr &min = padding.inBound[i].min;
        iter.var = ir::Var(iter.var.name(), iter.var->dtype);
        iter.kind = ir::IterKind::Spatial;
        iter.domain = {ir::intImm(0, iter.var->dtype), ir::cast(iter.var->dtype, padding.inBound[i].extent)};
        values[block.iterVars[i].var] = iter.var + min;
        const ir::Var loop = ir::Var::from(block.iterValues[i]);
        if (loop && ranges.contains(loop)) {
            ranges[loop] = iter.domain;
            values[loop] = loop + min;
            analyzer.bind(loop, iter.domain);
        } else {
            inside.iterValues[i] = analyzer.simplify(block.iterValues[i] - min);
        }
    }
    const auto change = [&](const ir::Expr &e) { return analyzer.simplify(ir::substitute(e, values)); };
    for (std::vector<ir::BufferRegion> *regions : {&inside.reads, &inside.writes}) {
        for (ir::BufferRegion &region : *regions)
            region.region = withBounds(region.region, change);
    }
    ir::BufferStore store = *block.body.as<ir::BufferStore>();
    store.value = change(padding.value);
    std::ranges::transform(store.indices, store.indices.begin(), change);
    inside.body = ir::make(std::move(store));
    inside.predicate = change(padding.predicate);
    ir::Stmt nest = ir::make(std::move(inside));
    for (std::size_t i = 0; i <= places.trimmed; ++i) {
        ir::For loop = *places.loops[i];
        loop.min = ranges[loop.var].min;
        loop.extent = ranges[loop.var].extent;
        loop.body = nest;
        nest = ir::make(std::move(loop));
    }
    return nest;
}

/// Requires that the block's variables use only loops of its scope: in the trimmed loops a variable is
/// replaced by its value, and a block's body cannot name loops around the scope.
void requireLoopsOfTheScope(const analysis::FunctionIndex &index, const ir::Block &block)
{
    const std::vector<StmtId> own = index.loopsOf(block.id);
    for (const StmtId id : index.ancestors(block.id)) {
        const ir::For *loop = index.loop(id);
        const bool isUsed = loop && std::ranges::any_of(block.iterValues, [&](const ir::Expr &value) {
                                return ir::uses(value, loop->var);
                            });
        if (isUsed && !std::ranges::contains(own, id))
            refuse(diagnostic("schedule.outer-loop", "the variables of block " + named(block) + " use loop "
                                                         + named(*loop) + " around its scope")
                       .at(block.id)
                       .at(id)
                       .withHint("use decompose_padding before loop_partition"));
    }
}

ArgList decomposePadding(Edit &edit, const DecomposePaddingArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const ir::For &loop = edit.loop(args.loop.id);
    scopeOf(edit, block.id);
    requireComplete(edit, block.id);
    requireLoopsOfTheScope(edit.index(block.id), block);
    const Places places = placesOf(edit.index(block.id), block, loop);
    const arith::Domains domains = domainsAround(edit.index(block.id), block.id);
    arith::Analyzer analyzer;
    bindAll(analyzer, domains);
    const Padding padding = matchPadding(block, domains, analyzer);
    const StmtId id = edit.newId();
    const ir::Stmt fill = constantNest(edit, block, padding, places, analyzer, id);
    edit.replace(places.loops[places.trimmed]->id, inBoundNest(block, padding, places, analyzer));
    edit.setBody(rewriteAt(edit.body(), {{loop.id, [&](const ir::Stmt &s) { return ir::seq({fill, s}); }}}));
    return {id};
}

} // namespace

Primitive decomposePaddingPrimitive()
{
    return define<DecomposePaddingArgs>(
        {.name = "decompose_padding",
         .title = "Decompose padding",
         .group = Group::Layout,
         .key = "Shift+D",
         .summary = "Splits a padding block into one that fills with the constant and one that writes the "
                    "inside only.",
         .documentation =
             R"(Splits a block that chooses between a value and a constant into two without the choice: the
first fills the whole buffer with the constant before the chosen loop, the second writes the part where the
condition holds.

```
for i in range(10):                             for i in range(10):
    B[i] = A[i - 1] if 1 <= i < 9 else 0            with B_pad_const: B[i] = 0
                                        →       for i in range(8):
                                                    with B: B[i + 1] = A[i]
```

**Legal** for a complete block whose body is one store of `T.if_then_else(condition, …, constant)` where the
condition bounds each iteration variable by itself, and a loop around it.)",
         .lemmas = decomposePaddingLemmas(),
         .results = Results::Single},
        {required<&DecomposePaddingArgs::block>("block", "Block", "The block that pads."),
         required<&DecomposePaddingArgs::loop>("loop", "Before loop",
                                               "The loop before which the constant is filled in.")},
        decomposePadding);
}

} // namespace nestwright::schedule
