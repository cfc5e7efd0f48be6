// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/blockize_division.h"

#include "core/analysis/access/accesses.h"
#include "core/arith/iter_map/subspace.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/schedule/rules/bindings.h"
#include "core/script/print/printer.h"

#include <algorithm>
#include <optional>

namespace nestwright::schedule {

using support::diagnostic;

std::vector<const ir::For *> loopsUpTo(const analysis::FunctionIndex &index, StmtId block, StmtId outermost)
{
    std::vector<const ir::For *> loops;
    for (StmtId at = block; at != outermost;) {
        const ir::Stmt inside = index.find(at);
        at = index.parent(at);
        const ir::For *loop = index.loop(at);
        if (!loop)
            refuse(diagnostic("schedule.nested-blocks", "block " + named(*index.block(block))
                                                            + " stands within block "
                                                            + named(*index.block(at)) + ", the others do not")
                       .at(block)
                       .at(at)
                       .withHint("give the block around it instead"));
        if (!loop->body.same(inside))
            refuse(diagnostic("schedule.not-single-block", "loop " + named(*loop) + " holds more than block "
                                                               + named(*index.block(block))
                                                               + " and the loops around it")
                       .at(at)
                       .at(block)
                       .withHint("choose a loop further in, or give the blocks as a list"));
        loops.push_back(loop);
    }
    return loops;
}

namespace {

/// Division in which each binding uses loops of one side only, whatever its form; nothing where one uses
/// both.
std::optional<Division> trivialDivision(const ir::Block &block, const ir::VarSet &inner,
                                        const ir::VarSet &outer)
{
    if (!ir::isTrue(block.predicate))
        return std::nullopt;
    Division division{{}, ir::boolImm(true), ir::boolImm(true)};
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::Expr &value = block.iterValues[i];
        const ir::DataType type = value.dtype();
        const Side none{ir::constant(0, type), ir::constant(1, type)};
        const Side all{value, block.iterVars[i].domain.extent};
        const bool usesInner = ir::usesAny(value, inner), usesOuter = ir::usesAny(value, outer);
        if (usesInner && usesOuter)
            return std::nullopt;
        if (usesInner)
            division.bindings.push_back({none, all});
        else if (!usesOuter && ir::isConstInt(value, 0))
            division.bindings.push_back({none, none});
        else
            division.bindings.push_back({all, none});
    }
    return division;
}

/// A side's values are numbered from 0, save where one side has them all: they begin where the variable's
/// domain does.
void begin(Division &division, const ir::Block &block)
{
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::Expr &min = block.iterVars[i].domain.min;
        if (ir::isConstInt(min, 0))
            continue;
        auto &[outer, inner] = division.bindings[i];
        const bool isInner = ir::isConstInt(outer.extent, 1) && !ir::isConstInt(inner.value, 0);
        if (!ir::isConstInt((isInner ? outer : inner).extent, 1))
            refuse(diagnostic("schedule.iter-start", "the variable '" + block.iterVars[i].var.name()
                                                         + "' of block " + named(block) + " begins at "
                                                         + script::printExpr(min)
                                                         + " and runs in loops inside and outside")
                       .at(block.id)
                       .withHint("choose a loop that holds all of the variable's loops, or none of them"));
        (isInner ? inner : outer).min = min;
    }
}

/// Whether the parts' values begin at 0, as those of new variables do. A loop around the scope is a constant
/// that shifts them.
bool beginAtZero(const std::vector<arith::DividedBinding> &bindings)
{
    return std::ranges::all_of(bindings, [](const arith::DividedBinding &binding) {
        return ir::isConstInt(binding.outer.value.base, 0) && ir::isConstInt(binding.inner.value.base, 0);
    });
}

} // namespace

Division divisionOf(Edit &edit, const ir::Block &block, const std::vector<const ir::For *> &loops,
                    arith::Analyzer &analyzer, bool preserveUnitIters)
{
    const arith::Domains domains = domainsAround(edit.index(block.id), block.id);
    std::vector<ir::Var> inner;
    for (const ir::For *loop : loops)
        inner.push_back(loop->var);
    const ir::VarSet innerVars(inner.begin(), inner.end());
    ir::VarSet outerVars; // those around wrappers, too: inside the new block nothing speaks of them
    for (const StmtId loop : analysis::loopsThrough(edit.index(block.id), block.id)) {
        if (const ir::Var &var = edit.loop(loop).var; !innerVars.contains(var))
            outerVars.insert(var);
    }
    const auto isFixed = [&](const ir::Range &range, const ir::VarSet &vars) {
        return !ir::usesAny(range.min, vars) && !ir::usesAny(range.extent, vars);
    };
    const bool areFixed =
        std::ranges::all_of(
            loops, [&](const ir::For *loop) { return isFixed({loop->min, loop->extent}, outerVars); })
        && std::ranges::all_of(block.iterVars,
                               [&](const ir::IterVar &iter) { return isFixed(iter.domain, innerVars); });
    const auto parts = arith::subspaceDivide(block.iterValues, domains, inner, block.predicate,
                                             arith::IterMapLevel::Surjective, analyzer, !preserveUnitIters);
    if (areFixed && parts && beginAtZero(parts->bindings) && !ir::usesAny(parts->innerPredicate, outerVars)) {
        Division division{{}, parts->outerPredicate, parts->innerPredicate};
        for (const arith::DividedBinding &binding : parts->bindings)
            division.bindings.push_back({{arith::toExpr(binding.outer.value), binding.outer.extent},
                                         {arith::toExpr(binding.inner.value), binding.inner.extent}});
        begin(division, block);
        return division;
    }
    if (auto division = trivialDivision(block, innerVars, outerVars); division && areFixed) {
        begin(*division, block);
        return std::move(*division);
    }
    refuse(diagnostic("schedule.no-subspace", "the variables of block " + named(block)
                                                  + " do not divide between the loops outside and inside: "
                                                  + (!areFixed ? "a range changes with another loop"
                                                     : parts   ? "what is inside speaks of loops outside"
                                                               : parts.error().message))
               .at(block.id)
               .at(loops.empty() ? block.id : loops.back()->id)
               .withHint("split or reorder so that each variable is outer * n + inner"));
}

} // namespace nestwright::schedule
