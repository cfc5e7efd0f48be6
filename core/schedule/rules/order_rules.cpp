// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/rules/order_rules.h"

#include "core/analysis/device/parallel_conflicts.h"
#include "core/arith/int_set.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace nestwright::schedule {

using support::diagnostic;

namespace {

/// The accesses that may conflict between iterations, by loop.
using Meetings = std::map<StmtId, std::string>;

bool isSameRegion(const ir::BufferRegion &a, const ir::BufferRegion &b)
{
    return std::ranges::equal(a.region, b.region, [](const ir::Range &x, const ir::Range &y) {
        return ir::structurallyEqual(x.min, y.min) && ir::structurallyEqual(x.extent, y.extent);
    });
}

bool isAccumulated(const ir::Block &block, const ir::BufferRegion &written)
{
    ir::VarSet reductions;
    for (const ir::IterVar &iter : block.iterVars) {
        if (iter.kind == ir::IterKind::Reduce)
            reductions.insert(iter.var);
    }
    const bool isMoved = std::ranges::any_of(written.region, [&](const ir::Range &range) {
        return ir::usesAny(range.min, reductions) || ir::usesAny(range.extent, reductions);
    });
    return !reductions.empty() && !isMoved;
}

bool isInPlace(const ir::Block &block)
{
    for (const ir::BufferRegion &written : block.writes) {
        for (const ir::BufferRegion &read : block.reads) {
            if (read.buffer != written.buffer)
                continue;
            if (!isSameRegion(read, written) || !isAccumulated(block, written))
                return true;
        }
    }
    return false;
}

Meetings meetingsOf(const ir::PrimFunc &function, const std::vector<const ir::For *> &loops,
                    const std::vector<StmtId> &blocks)
{
    Meetings found;
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        const auto *loop = s.as<ir::For>();
        if (loop && std::ranges::contains(loops, loop->id, &ir::For::id)) {
            if (auto accesses = analysis::meetingAccesses(function, *loop, blocks))
                found[loop->id] = std::move(*accesses);
        }
        return true;
    });
    return found;
}

/// A loop around another one, with its kind: which memory iterations have for themselves depends on it.
using LoopAround = std::pair<StmtId, ir::ForKind>;

/// A loop with the loops around it.
struct PlacedLoop {
    ir::Stmt loop;
    std::vector<LoopAround> around;
};

class LoopPlaces final : public ir::Visitor {
public:
    explicit LoopPlaces(const ir::PrimFunc &function) { stmt(function.body); }
    const PlacedLoop *find(StmtId id) const
    {
        const auto at = m_loops.find(id);
        return at == m_loops.end() ? nullptr : &at->second;
    }
    void stmt(const ir::Stmt &s) override
    {
        const auto *loop = s.as<ir::For>();
        if (loop) {
            m_loops[loop->id] = {s, m_around};
            m_around.emplace_back(loop->id, loop->forKind);
        }
        children(s);
        if (loop)
            m_around.pop_back();
    }
    void expr(const ir::Expr & /*e*/) override {}

private:
    std::map<StmtId, PlacedLoop> m_loops;
    std::vector<LoopAround> m_around;
};

/// A block with the loops between it and a loop around, outermost first.
struct PlacedBlock {
    const ir::Block *block = nullptr;
    std::vector<const ir::For *> loops;
};
using BlockPlaces = std::map<StmtId, PlacedBlock>;

/// The blocks below a loop; nothing where it holds other statements than loops and blocks.
class BlocksBelow : public ir::Visitor {
public:
    static std::optional<BlockPlaces> of(const ir::For &loop)
    {
        BlocksBelow below;
        below.stmt(loop.body);
        return below.m_isAll ? std::optional(std::move(below.m_places)) : std::nullopt;
    }
    void stmt(const ir::Stmt &s) override
    {
        if (const auto *block = s.as<ir::Block>()) {
            m_places[block->id] = {block, m_loops};
        } else if (const auto *loop = s.as<ir::For>()) {
            m_loops.push_back(loop);
            children(s);
            m_loops.pop_back();
        } else {
            m_isAll = m_isAll && s.as<ir::Seq>();
            children(s);
        }
    }
    void expr(const ir::Expr & /*e*/) override {}

private:
    BlockPlaces m_places;
    std::vector<const ir::For *> m_loops;
    bool m_isAll = true;
};

/// How often loops run that share their blocks, by these blocks: cutting, joining and exchanging loops keeps
/// it, and moving a block below a loop of another one does not. Nothing where an extent is not known.
std::optional<std::map<std::vector<StmtId>, std::int64_t>> sharedRounds(const BlockPlaces &places)
{
    std::map<const ir::For *, std::vector<StmtId>> blocks;
    for (const auto &[id, place] : places) {
        for (const ir::For *loop : place.loops)
            blocks[loop].push_back(id);
    }
    std::map<std::vector<StmtId>, std::int64_t> rounds;
    for (const auto &[loop, below] : blocks) {
        const std::int64_t *extent = ir::asInt(loop->extent);
        if (extent && *extent == 1)
            continue;
        std::int64_t &count = rounds.try_emplace(below, 1).first->second;
        if (!extent || __builtin_mul_overflow(count, *extent, &count))
            return std::nullopt;
    }
    return rounds;
}

/// Whether the block runs below the same loops, with the same values.
bool isLeftAlone(const PlacedBlock &was, const PlacedBlock &is)
{
    const auto isSameLoop = [](const ir::For *a, const ir::For *b) {
        return a->var == b->var && ir::structurallyEqual(a->min, b->min)
               && ir::structurallyEqual(a->extent, b->extent);
    };
    const auto isSame = [](const ir::Expr &a, const ir::Expr &b) { return ir::structurallyEqual(a, b); };
    return std::ranges::equal(was.loops, is.loops, isSameLoop)
           && std::ranges::equal(was.block->iterValues, is.block->iterValues, isSame)
           && isSame(was.block->predicate, is.block->predicate);
}

/// The intervals of the values of the block's variables while the loops below the parallel one run.
std::vector<arith::IntervalSet> valuesBelow(const PlacedBlock &place, arith::Analyzer &analyzer)
{
    ir::VarMap<arith::IntervalSet> relaxed;
    for (const ir::For *loop : place.loops)
        relaxed[loop->var] = arith::IntervalSet::of({loop->min, loop->extent});
    std::vector<arith::IntervalSet> values;
    for (const ir::Expr &value : place.block->iterValues)
        values.push_back(arith::evalSet(value, relaxed, analyzer));
    return values;
}

/// Whether the block, below other loops than before that run it as often, takes the same values.
bool takesTheSameValues(const PlacedBlock &was, const PlacedBlock &is)
{
    if (!ir::isTrue(was.block->predicate) || !ir::isTrue(is.block->predicate))
        return false;
    arith::Analyzer analyzer;
    const auto isSame = [&](const arith::IntervalSet &a, const arith::IntervalSet &b) {
        return a.isBounded() && b.isBounded() && analyzer.canProveEqual(a.min, b.min)
               && analyzer.canProveEqual(a.max, b.max);
    };
    return std::ranges::equal(valuesBelow(was, analyzer), valuesBelow(is, analyzer), isSame);
}

bool isSameBlock(const ir::Block &a, const ir::Block &b)
{
    return a.body.same(b.body) && a.init.same(b.init)
           && std::ranges::equal(a.iterVars, b.iterVars, {}, &ir::IterVar::var, &ir::IterVar::var);
}

/// Whether each iteration of the loop runs the same blocks over the same part of their domains: only the
/// loops below were cut, joined, exchanged or given another kind.
bool doesTheSame(const PlacedLoop &before, const PlacedLoop &after)
{
    const auto &was = *before.loop.as<ir::For>(), &is = *after.loop.as<ir::For>();
    if (before.around != after.around)
        return false;
    if (before.loop.same(after.loop))
        return true;
    if (was.forKind != is.forKind || was.var != is.var || !ir::structurallyEqual(was.min, is.min)
        || !ir::structurallyEqual(was.extent, is.extent))
        return false;
    const auto known = BlocksBelow::of(was), now = BlocksBelow::of(is);
    if (!known || !now || !std::ranges::equal(*known, *now, [](const auto &a, const auto &b) {
            return a.first == b.first && isSameBlock(*a.second.block, *b.second.block);
        }))
        return false;
    std::vector<StmtId> elsewhere;
    for (const auto &[id, place] : *known) {
        if (!isLeftAlone(place, now->at(id)))
            elsewhere.push_back(id);
    }
    if (elsewhere.empty())
        return true;
    const auto rounds = sharedRounds(*known);
    return rounds && rounds == sharedRounds(*now) && std::ranges::all_of(elsewhere, [&](StmtId id) {
               return takesTheSameValues(known->at(id), now->at(id));
           });
}

/// Whether iterations of the loop, of any parallel loop where it is new, met before a step.
bool metBefore(const ir::PrimFunc &before, const ir::Stmt &loop)
{
    if (!loop)
        return analysis::parallelConflict(before).has_value();
    const auto &known = *loop.as<ir::For>();
    return known.forKind == ir::ForKind::Parallel && analysis::whyNotParallel(before, known).has_value();
}

} // namespace

std::vector<StmtId> blocksInPlace(const analysis::FunctionIndex &index, StmtId outermost)
{
    std::vector<StmtId> found;
    for (const StmtId id : index.all()) {
        const ir::Block *block = index.block(id);
        const bool isInnermost = block && index.childBlocks(id).empty();
        if (isInnermost && index.encloses(outermost, id) && isInPlace(*block))
            found.push_back(id);
    }
    return found;
}

void requireSameOrder(Edit &edit, const std::vector<StmtId> &blocks,
                      const std::vector<const ir::For *> &before, const std::vector<const ir::For *> &after,
                      const ir::PrimFunc &changed)
{
    Meetings meetings = meetingsOf(*edit.index(before.front()->id).function(), before, blocks);
    meetings.merge(meetingsOf(changed, after, blocks));
    const auto deciding = [&](const std::vector<const ir::For *> &loops) {
        std::vector<const ir::For *> found;
        std::ranges::copy_if(loops, std::back_inserter(found),
                             [&](const ir::For *loop) { return meetings.contains(loop->id); });
        return found;
    };
    const std::vector<const ir::For *> first = deciding(before), then = deciding(after);
    const auto [one, other] = std::ranges::mismatch(first, then, {}, &ir::For::id, &ir::For::id);
    if (one == first.end())
        return;
    refuse(diagnostic("schedule.order-of-accesses",
                      "iterations of loops " + named(**one) + " and " + named(**other)
                          + " must stay in order, since they may touch the same element: "
                          + meetings.at((*one)->id))
               .at((*one)->id)
               .at((*other)->id)
               .at(blocks.front())
               .withHint("reorder loops whose iterations keep to elements of their own"));
}

void requireAnyOrder(Edit &edit, StmtId id, const std::vector<StmtId> &loops)
{
    const analysis::FunctionIndex &index = edit.index(id);
    if (loops.empty() || blocksInPlace(index, loops.front()).empty())
        return;
    std::vector<const ir::For *> all;
    for (const StmtId loop : loops)
        all.push_back(index.loop(loop));
    const Meetings meetings = meetingsOf(*index.function(), all, {id});
    if (meetings.empty())
        return;
    refuse(diagnostic("schedule.order-of-accesses",
                      "the iterations of block " + named(*index.block(id))
                          + " must stay in order, since they may touch the same element: "
                          + meetings.begin()->second)
               .at(meetings.begin()->first)
               .at(id));
}

void requireApart(const ir::PrimFunc &before, const ir::PrimFunc &after)
{
    std::optional<LoopPlaces> placesBefore, placesAfter;
    ir::forEachStmt(after.body, [&](const ir::Stmt &s) {
        const auto *loop = s.as<ir::For>();
        if (!loop || loop->forKind != ir::ForKind::Parallel)
            return true;
        if (!placesBefore) {
            placesBefore.emplace(before);
            placesAfter.emplace(after);
        }
        const PlacedLoop *known = placesBefore->find(loop->id);
        if (known && doesTheSame(*known, *placesAfter->find(loop->id)))
            return true;
        auto conflict = analysis::whyNotParallel(after, *loop);
        if (conflict && !metBefore(before, known ? known->loop : ir::Stmt()))
            refuse(std::move(*conflict));
        return true;
    });
}

} // namespace nestwright::schedule
