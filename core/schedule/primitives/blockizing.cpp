// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/blockizing.h"

#include "core/analysis/access/complete_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/primitives/blockize_bindings.h"
#include "core/schedule/rules/block_rules.h"

#include <algorithm>

namespace nestwright::schedule {

using support::diagnostic;

namespace {

/// A reduction's init runs where its variables are 0, so their values must begin there.
void requireFromZero(const ir::Block &block)
{
    for (const ir::IterVar &iter : block.iterVars) {
        if (block.init && isReduction(iter) && !ir::isConstInt(iter.domain.min, 0))
            refuse(diagnostic("schedule.iter-start", "the reduction variable '" + iter.var.name()
                                                         + "' of block " + named(block)
                                                         + " does not begin at 0")
                       .at(block.id)
                       .withHint("decompose_reduction takes the init out first"));
    }
}

/// The variables get other names, which shapes of buffers inside do not follow.
void requireOwnShapes(const ir::Block &block)
{
    const auto usesVar = [&](const ir::Expr &extent) {
        return std::ranges::any_of(block.iterVars,
                                   [&](const ir::IterVar &iter) { return ir::uses(extent, iter.var); });
    };
    const auto check = [&](const ir::Stmt &s) {
        const auto *inside = s.as<ir::Block>();
        for (const ir::Buffer &buffer : inside ? inside->allocBuffers : std::vector<ir::Buffer>()) {
            if (std::ranges::any_of(buffer.shape(), usesVar))
                refuse(diagnostic("schedule.dependent-shape", "the shape of '" + buffer.name()
                                                                  + "' depends on a variable of block "
                                                                  + named(block))
                           .at(block.id));
        }
        return true;
    };
    ir::forEachStmt(ir::make(ir::Block(block)), check);
}

/// The init of the outer block: the original one over the inner part, under copies of the loops that it
/// needs.
ir::Stmt outerInit(Edit &edit, const ir::Block &original, const ir::Stmt &init, const ir::Block &inner,
                   const std::vector<const ir::For *> &loops)
{
    ir::Block block;
    block.id = edit.newId();
    block.origin = edit.origin("init", original.id);
    block.predicate = inner.predicate;
    block.name = inner.name + "_init";
    block.writes = inner.writes;
    block.body = init;
    block.reads = analysis::accessRegions(block).reads;
    ir::VarMap<ir::Expr> values;
    for (std::size_t i = 0; i < inner.iterVars.size(); ++i) {
        ir::IterVar iter = inner.iterVars[i];
        if (iter.kind != ir::IterKind::Spatial || !ir::uses(init, iter.var))
            continue;
        iter.var = ir::Var(iter.var.name() + "_init", iter.var->dtype);
        values[inner.iterVars[i].var] = iter.var;
        block.iterVars.push_back(std::move(iter));
        block.iterValues.push_back(inner.iterValues[i]);
    }
    const std::vector<ir::Expr> bindings = block.iterValues;
    const ir::Expr predicate = block.predicate;
    ir::Stmt nest = ir::make(std::move(block));
    for (const ir::For *loop : loops) {
        const bool needed =
            std::ranges::any_of(bindings, [&](const ir::Expr &e) { return ir::uses(e, loop->var); });
        if (!needed && ir::uses(predicate, loop->var))
            refuse(diagnostic("schedule.predicate", "the init of block " + named(original)
                                                        + " would depend on loop " + named(*loop)
                                                        + ", which runs a reduction with a predicate")
                       .at(original.id)
                       .at(loop->id));
        if (!needed)
            continue;
        ir::For copy = *loop;
        copy.id = edit.newId();
        copy.origin = edit.origin("init", loop->id);
        copy.var = ir::Var(loop->var.name(), loop->var->dtype);
        copy.body = nest;
        values[loop->var] = copy.var;
        nest = ir::make(std::move(copy));
    }
    return ir::substitute(nest, values);
}

} // namespace

ir::Block blockizeAt(Edit &edit, StmtId loop, bool preserveUnitIters)
{
    edit.loop(loop);
    const analysis::FunctionIndex &index = edit.index(loop);
    const std::vector<StmtId> below = index.childBlocks(loop);
    if (below.size() != 1)
        refuse(diagnostic("schedule.not-single-block", "loop " + named(edit.loop(loop)) + " holds "
                                                           + std::to_string(below.size())
                                                           + " blocks, expected one")
                   .at(loop)
                   .withHint("choose a loop further in, or give the blocks as a list"));
    const ir::Block &block = *index.block(below.front());
    requireFromZero(block);
    if (block.init)
        requireEachPointOnce(index, block, loop, "decompose_reduction takes the init out first");
    requireOwnShapes(block);
    const std::vector<const ir::For *> loops = loopsUpTo(index, block.id, loop);
    arith::Analyzer analyzer;
    const Division division = divisionOf(edit, block, loops, analyzer, preserveUnitIters);
    Bindings bindings = outerBindings(block, division);
    bindInner(block, division, preserveUnitIters, bindings);
    const ir::Block replaced = replacedIn(block, bindings, analyzer);
    ir::Block inner = innerBlock(replaced, bindings, division.innerPredicate);
    inner.init = {}; // the outer block has it
    ir::Block outer;
    outer.id = edit.newId();
    outer.origin = edit.origin("block", loop);
    outer.name = block.name + "_o";
    outer.predicate = division.outerPredicate;
    outer.reads = relaxed(replaced.reads, bindings.innerVars, analyzer);
    outer.writes = relaxed(replaced.writes, bindings.innerVars, analyzer);
    if (replaced.init)
        outer.init = outerInit(edit, block, replaced.init, inner, loops);
    outer.body = nested(ir::make(inner), loops, {});
    outer.iterVars = std::move(bindings.outerVars);
    outer.iterValues = std::move(bindings.outerValues);
    return outer;
}

} // namespace nestwright::schedule
