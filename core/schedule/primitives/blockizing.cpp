// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/blockizing.h"

#include "core/analysis/accesses.h"
#include "core/analysis/complete_regions.h"
#include "core/analysis/regions.h"
#include "core/arith/iter_map/subspace.h"
#include "core/ir/builder.h"
#include "core/ir/rewriter.h"
#include "core/ir/substitute.h"
#include "core/ir/walk.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/tree.h"
#include "core/script/printer.h"

#include <algorithm>
#include <ranges>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

/// One side of a binding: its value, and the number of values.
struct Side {
    ir::Expr value, extent;
    ir::Expr min{}; ///< of the values; 0 where there is none
};
struct Divided {
    Side outer, inner;
};
struct Division {
    std::vector<Divided> bindings;
    ir::Expr outerPredicate, innerPredicate;
};

/// The loops from the innermost one around `block` outwards to `outermost`. Nothing but the block is in them.
std::vector<const ir::For *> loopsUpTo(const analysis::FunctionIndex &index, StmtId block, StmtId outermost)
{
    std::vector<const ir::For *> loops;
    for (StmtId at = block; at != outermost;) {
        const ir::Stmt inside = index.find(at);
        at = index.parent(at);
        const ir::For &loop = *index.loop(at);
        if (!loop.body.same(inside))
            refuse(diagnostic("schedule.not-single-block", "loop " + named(loop) + " holds more than block "
                                                               + named(*index.block(block))
                                                               + " and the loops around it")
                       .at(at)
                       .at(block)
                       .withHint("choose a loop further in, or give the blocks as a list"));
        loops.push_back(&loop);
    }
    return loops;
}

/// Where each binding uses loops of one side only, whatever its form.
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
    const auto parts = arith::subspaceDivide(block.iterValues, domains, inner, block.predicate,
                                             arith::IterMapLevel::Surjective, analyzer, !preserveUnitIters);
    if (parts && beginAtZero(parts->bindings) && !ir::usesAny(parts->innerPredicate, outerVars)) {
        Division division{{}, parts->outerPredicate, parts->innerPredicate};
        for (const arith::DividedBinding &binding : parts->bindings)
            division.bindings.push_back({{arith::toExpr(binding.outer.value), binding.outer.extent},
                                         {arith::toExpr(binding.inner.value), binding.inner.extent}});
        begin(division, block);
        return division;
    }
    if (auto division = trivialDivision(block, innerVars, outerVars)) {
        begin(*division, block);
        return std::move(*division);
    }
    refuse(diagnostic("schedule.no-subspace",
                      "the variables of block " + named(block)
                          + " do not divide between the loops outside and inside: "
                          + (parts ? "what is inside speaks of loops outside" : parts.error().message))
               .at(block.id)
               .at(loops.empty() ? block.id : loops.back()->id)
               .withHint("split or reorder so that each variable is outer * n + inner"));
}

/// The variables of the outer and the inner block.
struct Bindings {
    std::vector<ir::IterVar> outerVars, innerVars;
    std::vector<ir::Expr> outerValues, innerValues;
    ir::VarMap<ir::Expr> values; ///< of the original variables
};

ir::IterVar iterWithSuffix(const ir::IterVar &iter, const std::string &suffix, const Side &side)
{
    return {{side.min ? side.min : ir::constant(0, side.extent.dtype()), side.extent},
            ir::Var(iter.var.name() + suffix, iter.var->dtype),
            iter.kind};
}

/// The inner variables and what the original ones become; `bindings` has outer variables already where blocks
/// share them.
void bindInner(const ir::Block &block, const Division &division, bool preserveUnitIters, Bindings &bindings)
{
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::IterVar &iter = block.iterVars[i];
        const auto &[outer, inner] = division.bindings[i];
        const ir::Expr outerVar = bindings.outerVars[i].var;
        const bool isUnit = ir::isConstInt(outer.extent, 1);
        if (ir::isConstInt(inner.extent, 1) && !inner.min) {
            const ir::Expr only = outer.min ? outer.min : ir::constant(0, iter.var->dtype);
            bindings.values[iter.var] = isUnit && !preserveUnitIters ? only : outerVar;
            continue;
        }
        bindings.innerVars.push_back(iterWithSuffix(iter, "_i", inner));
        bindings.innerValues.push_back(inner.value);
        const ir::Expr innerVar = bindings.innerVars.back().var;
        bindings.values[iter.var] = isUnit ? innerVar : outerVar * inner.extent + innerVar;
    }
}

/// Replaces variables and simplifies what changes.
class Replacer : public ir::Rewriter {
public:
    Replacer(const ir::VarMap<ir::Expr> &values, arith::Analyzer &analyzer)
        : m_values(values)
        , m_analyzer(analyzer)
    {
    }

    ir::Expr expr(const ir::Expr &e) override
    {
        const auto value = m_values.find(ir::Var::from(e));
        const ir::Expr changed = e.as<ir::VarNode>() && value != m_values.end() ? value->second : children(e);
        return changed.same(e) || !changed.dtype().isIntegral() ? changed : m_analyzer.simplify(changed);
    }

private:
    const ir::VarMap<ir::Expr> &m_values;
    arith::Analyzer &m_analyzer;
};

std::vector<ir::BufferRegion> relaxed(const std::vector<ir::BufferRegion> &regions,
                                      const std::vector<ir::IterVar> &vars, arith::Analyzer &analyzer)
{
    arith::Domains domains;
    for (const ir::IterVar &iter : vars)
        domains.push_back({iter.var, iter.domain});
    std::vector<ir::BufferRegion> result;
    for (const ir::BufferRegion &region : regions) {
        auto whole = arith::regionOver(region.region, domains, analyzer);
        result.push_back(whole ? ir::BufferRegion{region.buffer, std::move(*whole)}
                               : ir::fullRegion(region.buffer));
    }
    return result;
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

bool isReduction(const ir::IterVar &iter) { return iter.kind == ir::IterKind::Reduce; }

/// The original block as it is inside: over the inner variables.
ir::Block innerBlock(const ir::Block &replaced, const Bindings &bindings, const ir::Expr &predicate)
{
    ir::Block inner = replaced;
    inner.iterVars = bindings.innerVars;
    inner.iterValues = bindings.innerValues;
    inner.predicate = predicate;
    if (replaced.init && std::ranges::any_of(bindings.outerVars, isReduction)) {
        inner.reads = replaced.writes;
        inner.reads.insert(inner.reads.end(), replaced.reads.begin(), replaced.reads.end());
    }
    return inner;
}

ir::Stmt nested(ir::Stmt body, const std::vector<const ir::For *> &loops, const ir::VarMap<ir::Expr> &outside)
{
    for (const ir::For *loop : loops) {
        ir::For copy = *loop;
        copy.extent = ir::substitute(copy.extent, outside);
        copy.body = std::move(body);
        body = ir::make(std::move(copy));
    }
    return body;
}

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

Bindings outerBindings(const ir::Block &block, const Division &division)
{
    Bindings bindings;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        bindings.outerVars.push_back(iterWithSuffix(block.iterVars[i], "_o", division.bindings[i].outer));
        bindings.outerValues.push_back(division.bindings[i].outer.value);
    }
    return bindings;
}

ir::Block replacedIn(const ir::Block &block, const Bindings &bindings, arith::Analyzer &analyzer)
{
    for (const ir::IterVar &iter : bindings.innerVars)
        analyzer.bind(iter.var, iter.domain);
    ir::Block bare = block; // the bindings are replaced whole
    bare.iterVars.clear();
    bare.iterValues.clear();
    return *Replacer(bindings.values, analyzer).stmt(ir::make(std::move(bare))).as<ir::Block>();
}

} // namespace

ir::Block blockized(Edit &edit, StmtId loop, bool preserveUnitIters)
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

namespace {

/// The part of the body of `holder` that `block` stands in.
StmtId partWithBlock(const analysis::FunctionIndex &index, StmtId block, StmtId holder)
{
    StmtId part = block;
    while (index.parent(part) != holder)
        part = index.parent(part);
    return part;
}

StmtId holderOfBlocks(const analysis::FunctionIndex &index, const std::vector<StmtId> &blocks)
{
    StmtId holder = blocks.front();
    for (const StmtId block : blocks)
        holder = index.lowestCommonAncestor(holder, block);
    if (std::ranges::contains(blocks, holder))
        refuse(diagnostic("schedule.nested-blocks", "the blocks must stand side by side, none within another")
                   .at(holder));
    return holder;
}

/// The parts follow each other without another statement between them.
void requireConsecutive(const analysis::FunctionIndex &index, StmtId holder, const std::vector<StmtId> &parts)
{
    const std::vector<ir::Stmt> body = partsOf(index.bodyOf(holder));
    const auto first =
        std::ranges::find_if(body, [&](const ir::Stmt &s) { return s.same(index.find(parts.front())); });
    const bool follow = std::ranges::equal(
        parts,
        std::ranges::subrange(
            first, first + std::min(body.end() - first, static_cast<std::ptrdiff_t>(parts.size()))),
        [&](StmtId part, const ir::Stmt &s) { return s.same(index.find(part)); });
    if (!follow)
        refuse(diagnostic("schedule.not-consecutive",
                          "the blocks do not follow each other directly, in the order given")
                   .at(parts.front())
                   .at(parts.back()));
}

/// What several blocks touch of a buffer: in each dimension, the values of each.
struct Touched {
    ir::Buffer buffer;
    std::vector<std::vector<arith::IntervalSet>> dimensions;
};

/// New buffers go first, which is the order TVM has them in.
void addAll(std::vector<Touched> &all, const std::vector<ir::BufferRegion> &more)
{
    for (const ir::BufferRegion &region : more) {
        auto known = std::ranges::find(all, region.buffer, &Touched::buffer);
        if (known == all.end())
            known = all.insert(all.begin(), {region.buffer, {}});
        known->dimensions.resize(region.region.size());
        for (std::size_t i = 0; i < region.region.size(); ++i) {
            const auto &[min, extent] = region.region[i];
            known->dimensions[i].push_back(ir::isConstInt(extent, 1)
                                               ? arith::IntervalSet::point(min)
                                               : arith::IntervalSet{min, extent + min - 1, false});
        }
    }
}

/// From the least to the greatest value, in the form in which TVM writes it: ends are simplified where there
/// are several sets, extents never.
ir::Range united(const std::vector<arith::IntervalSet> &sets, arith::Analyzer &analyzer)
{
    ir::Expr first = sets.front().min, last = sets.front().max;
    for (const arith::IntervalSet &set : sets | std::views::drop(1)) {
        first = min(first, set.min);
        last = max(last, set.max);
    }
    if (sets.size() > 1) {
        first = analyzer.simplify(first);
        last = analyzer.simplify(last);
    }
    const ir::Expr end = last + 1;
    return {first, ir::isConstInt(first, 0) ? end : end - first};
}

std::vector<ir::BufferRegion> united(const std::vector<Touched> &all, arith::Analyzer &analyzer)
{
    std::vector<ir::BufferRegion> regions;
    for (const Touched &touched : all) {
        ir::BufferRegion region{touched.buffer, {}};
        for (const auto &sets : touched.dimensions)
            region.region.push_back(united(sets, analyzer));
        regions.push_back(std::move(region));
    }
    return regions;
}

/// What the blocks in a wrapper touch while all loops below `holder` run.
void addAccesses(std::vector<Touched> &reads, std::vector<Touched> &writes,
                 const analysis::FunctionIndex &index, StmtId wrapper, StmtId holder,
                 arith::Analyzer &analyzer)
{
    const auto below = [&](const std::vector<analysis::Access> &accesses) {
        std::vector<ir::BufferRegion> regions;
        for (const analysis::Access &access : accesses)
            regions.push_back(
                {access.region->buffer,
                 analysis::touchedBelow(index, access.block, *access.region, holder, analyzer)});
        return regions;
    };
    const analysis::Accesses accesses = analysis::accessesOf(index, wrapper);
    addAll(reads, below(accesses.reads));
    addAll(writes, below(accesses.writes));
}

/// The outer variables are those of the first block; each other must have the same.
void requireSameOuter(const ir::Block &block, const Division &division, const Bindings &outer,
                      arith::Analyzer &analyzer)
{
    bool same = block.iterVars.size() == outer.outerVars.size();
    for (std::size_t i = 0; same && i < outer.outerVars.size(); ++i) {
        const Side &side = division.bindings[i].outer;
        same = block.iterVars[i].kind == outer.outerVars[i].kind
               && analyzer.canProveEqual(side.extent, outer.outerVars[i].domain.extent)
               && analyzer.canProveEqual(side.value, outer.outerValues[i]);
    }
    if (!same)
        refuse(diagnostic("schedule.different-outer",
                          "block " + named(block) + " has other variables outside than the first block")
                   .at(block.id));
}

} // namespace

BlockizedParts blockized(Edit &edit, const std::vector<StmtId> &blocks, bool preserveUnitIters)
{
    if (blocks.empty())
        refuse(diagnostic("schedule.argument", "'blockize' needs at least one block"));
    for (const StmtId block : blocks)
        edit.block(block);
    const analysis::FunctionIndex &index = edit.index(blocks.front());
    BlockizedParts result{holderOfBlocks(index, blocks), {}, {}};
    for (const StmtId block : blocks)
        result.parts.push_back(partWithBlock(index, block, result.holder));
    requireConsecutive(index, result.holder, result.parts);
    ir::Block &outer = result.block;
    outer.id = edit.newId();
    outer.origin = edit.origin("block", blocks.front());
    outer.name = "outer_";
    Bindings shared;
    std::vector<Touched> reads, writes;
    std::vector<ir::Stmt> bodies;
    arith::Analyzer analyzer;
    const auto isWrapper = [&](StmtId block) { return analysis::isWrapper(*index.block(block)); };
    const bool isAllWrapped = std::ranges::all_of(blocks, isWrapper);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const ir::Block &block = *index.block(blocks[b]);
        const auto loops = result.parts[b] == block.id ? std::vector<const ir::For *>()
                                                       : loopsUpTo(index, block.id, result.parts[b]);
        const Division division = divisionOf(edit, block, loops, analyzer, preserveUnitIters);
        if (b == 0)
            shared = outerBindings(block, division);
        requireSameOuter(block, division, shared, analyzer);
        if (block.init && std::ranges::any_of(shared.outerVars, isReduction))
            refuse(diagnostic("schedule.outer-reduction",
                              "block " + named(block) + " is a reduction over loops outside")
                       .at(block.id)
                       .withHint("decompose_reduction takes the init out first"));
        outer.predicate = division.outerPredicate;
        Bindings bindings{shared.outerVars, {}, shared.outerValues, {}, {}};
        bindInner(block, division, preserveUnitIters, bindings);
        ir::VarMap<ir::Expr> outside; ///< the loops outside are the outer variables inside
        for (std::size_t i = 0; i < shared.outerVars.size(); ++i) {
            if (const ir::Var loop = ir::Var::from(shared.outerValues[i]))
                outside[loop] = shared.outerVars[i].var;
        }
        for (ir::IterVar &iter : bindings.innerVars)
            iter.domain = ir::substitute(iter.domain, outside);
        const ir::Block replaced = replacedIn(block, bindings, analyzer);
        addAll(reads, relaxed(replaced.reads, bindings.innerVars, analyzer));
        addAll(writes, relaxed(replaced.writes, bindings.innerVars, analyzer));
        if (!isAllWrapped && isWrapper(block.id)) // a block that declares something must declare all
            addAccesses(reads, writes, index, block.id, result.holder, analyzer);
        outer.name += block.name + '_';
        bodies.push_back(
            nested(ir::make(innerBlock(replaced, bindings, division.innerPredicate)), loops, outside));
    }
    outer.reads = united(reads, analyzer);
    outer.writes = united(writes, analyzer);
    outer.iterVars = std::move(shared.outerVars);
    outer.iterValues = std::move(shared.outerValues);
    outer.body = ir::seq(std::move(bodies));
    return result;
}

} // namespace nestwright::schedule
