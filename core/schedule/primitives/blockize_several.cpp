// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/blockizing.h"

#include "core/analysis/access/accesses.h"
#include "core/analysis/access/regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/schedule/primitives/blockize_bindings.h"
#include "core/schedule/tree.h"

#include <algorithm>
#include <ranges>

namespace nestwright::schedule {

using support::diagnostic;

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

/// The region of a buffer that several blocks touch: in each dimension, the values of each block.
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

/// Union of the sets: the range from the least to the greatest value, in the form that TVM writes: ends are
/// simplified where there are several sets, extents never.
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

/// Adds the regions that the blocks in a wrapper touch while all loops below `holder` run.
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

BlockizedParts blockizeAt(Edit &edit, const std::vector<StmtId> &blocks, bool preserveUnitIters)
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
