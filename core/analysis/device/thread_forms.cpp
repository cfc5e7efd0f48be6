// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/device/thread_forms.h"

#include "core/analysis/access/combinations.h"
#include "core/analysis/access/element_filter.h"
#include "core/analysis/access/integer_code.h"
#include "core/arith/iter_map/iter_map.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/node/equality.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace nestwright::analysis {

using ir::Expr;
using ir::Var;

namespace {

constexpr std::int64_t mostElements = std::int64_t{1} << 20;

/// The elements of one thread, which lie alike from the first for all of them.
struct Tile {
    Expr first;           ///< from the axes
    Expr offset;          ///< from the loops alone
    arith::Domains loops; ///< that move the offset
    arith::Domains rounds;
};

std::optional<Tile> tileOf(const ThreadAccess &access, arith::Analyzer &analyzer)
{
    Tile result;
    ir::VarMap<Expr> start;
    ir::VarSet moving;
    for (const arith::VarRange &loop : access.loops) {
        const bool isMoving = ir::uses(access.index, loop.var);
        (isMoving ? result.loops : result.rounds).push_back(loop);
        if (isMoving) {
            start[loop.var] = loop.range.min;
            moving.insert(loop.var);
        }
        analyzer.bind(loop.var, loop.range);
    }
    result.first = analyzer.simplify(ir::substitute(access.index, start));
    result.offset = analyzer.simplify(access.index - result.first);
    const ir::VarSet used = ir::variablesOf(result.offset);
    const bool isAlike = std::ranges::all_of(used, [&](const Var &var) { return moving.contains(var); });
    return isAlike ? std::optional(std::move(result)) : std::nullopt;
}

/// The offsets of a tile at which the conditions hold; nothing where there are too many.
std::optional<std::unordered_set<std::int64_t>>
offsetsOf(const Tile &tile, const std::vector<Expr> &conditions, arith::Analyzer &analyzer)
{
    auto code = IntegerCode::of(tile.offset, variablesOf(tile.loops));
    auto combinations = Combinations::of(tile.loops, mostElements);
    auto filter = ElementFilter::of(conditions, tile.loops, tile.rounds, mostElements, analyzer);
    if (!code || !combinations || !filter)
        return std::nullopt;
    std::unordered_set<std::int64_t> result;
    for (; !combinations->isOver(); combinations->next()) {
        if (!filter->allows(combinations->values()))
            continue;
        const auto offset = code->eval(combinations->values());
        if (!offset)
            return std::nullopt;
        result.insert(*offset);
    }
    return result;
}

bool isOnLoopsAlone(const Expr &condition, const arith::Domains &loops)
{
    const std::vector<Var> vars = variablesOf(loops);
    return std::ranges::all_of(ir::variablesOf(condition),
                               [&](const Var &var) { return std::ranges::contains(vars, var); });
}

bool usesLoop(const Expr &condition, const arith::Domains &loops)
{
    return std::ranges::any_of(loops,
                               [&](const arith::VarRange &loop) { return ir::uses(condition, loop.var); });
}

/// The iterators of an index whose digits do not overlap, each with a factor of 1; nothing where they may.
std::optional<std::vector<Expr>> digitsOf(const Expr &index, const arith::Domains &domains,
                                          arith::Analyzer &analyzer)
{
    arith::IterSum sum = arith::normalizeToIterSum(index, domains, analyzer);
    if (usesLoop(sum.base, domains))
        return std::nullopt;
    std::vector<std::pair<std::int64_t, arith::IterSplit>> splits;
    for (const arith::IterSplit &split : sum.args) {
        const std::int64_t *scale = ir::asInt(split.scale), *extent = ir::asInt(split.extent);
        if (!scale || *scale <= 0 || !extent || *extent > mostElements)
            return std::nullopt;
        splits.emplace_back(*scale, split);
    }
    std::ranges::sort(splits, {}, [](const auto &entry) { return entry.first; });
    std::vector<Expr> result;
    std::int64_t reach = 0; // of the digits below
    for (auto &[scale, split] : splits) {
        if (scale <= reach)
            return std::nullopt;
        reach += (*ir::asInt(split.extent) - 1) * scale;
        if (reach > std::int64_t{1} << 50)
            return std::nullopt;
        split.scale = ir::intImm(1, split.scale.dtype());
        result.push_back(arith::toExpr(split));
    }
    return result;
}

/// The loops that an access depends on.
arith::Domains usedLoops(const ThreadAccess &access)
{
    arith::Domains result = access.loops;
    std::erase_if(result, [&](const arith::VarRange &loop) {
        return !ir::uses(access.index, loop.var)
               && !(access.condition && ir::uses(access.condition, loop.var))
               && std::ranges::none_of(access.loops, [&](const arith::VarRange &inner) {
                      return ir::uses(inner.range.min, loop.var) || ir::uses(inner.range.extent, loop.var);
                  });
    });
    return result;
}

/// Whether the write is the read loop by loop, under no further condition: of any extents.
bool isSameForm(const ThreadAccess &read, const ThreadAccess &write, arith::Analyzer &analyzer)
{
    const arith::Domains ofRead = usedLoops(read), ofWrite = usedLoops(write);
    const bool run = std::ranges::all_of(write.loops, [&](const arith::VarRange &loop) {
        const std::int64_t *extent = ir::asInt(loop.range.extent);
        return (extent && *extent > 0) || std::ranges::contains(ofWrite, loop.var, &arith::VarRange::var);
    });
    if (!run || ofRead.size() != ofWrite.size())
        return false;
    ir::VarMap<Expr> same;
    for (std::size_t i = 0; i < ofRead.size(); ++i) {
        const ir::Range range = ir::substitute(ofWrite[i].range, same);
        if (ofRead[i].var.dtype() != ofWrite[i].var.dtype()
            || !ir::structurallyEqual(range.min, ofRead[i].range.min)
            || !ir::structurallyEqual(range.extent, ofRead[i].range.extent))
            return false;
        same[ofWrite[i].var] = ofRead[i].var;
    }
    const std::vector<Expr> known = ir::conjunctsOf(read.condition);
    return ir::isConstInt(analyzer.simplify(read.index - ir::substitute(write.index, same)), 0)
           && std::ranges::all_of(ir::conjunctsOf(write.condition), [&](const Expr &term) {
                  const Expr here = ir::substitute(term, same);
                  return analyzer.canProve(here) || std::ranges::any_of(known, [&](const Expr &other) {
                             return ir::structurallyEqual(here, other);
                         });
              });
}

} // namespace

bool writesWhatItReads(const ThreadAccess &read, const ThreadAccess &write, arith::Analyzer &analyzer)
{
    if (isSameForm(read, write, analyzer))
        return true;
    const auto ofRead = tileOf(read, analyzer), ofWrite = tileOf(write, analyzer);
    if (!ofRead || !ofWrite)
        return false;
    const Expr distance = analyzer.simplify(ofRead->first - ofWrite->first);
    const std::int64_t *shift = ir::asInt(distance);
    if (!shift)
        return false;
    const std::vector<Expr> known = ir::conjunctsOf(read.condition);
    std::vector<Expr> onLoops;
    for (const Expr &condition : ir::conjunctsOf(write.condition)) {
        if (isOnLoopsAlone(condition, write.loops)) {
            onLoops.push_back(condition);
            continue;
        }
        const auto isIt = [&](const Expr &other) { return ir::structurallyEqual(condition, other); };
        if (usesLoop(condition, write.loops)
            || (std::ranges::none_of(known, isIt) && !analyzer.canProve(condition)))
            return false;
    }
    const bool isCounted = std::ranges::all_of(onLoops, [&](const Expr &condition) {
        return IntegerCode::of(analyzer.simplify(condition), variablesOf(write.loops)).has_value();
    });
    const auto written = isCounted ? offsetsOf(*ofWrite, onLoops, analyzer) : std::nullopt;
    const auto needed = written ? offsetsOf(*ofRead, known, analyzer) : std::nullopt;
    return needed && std::ranges::all_of(*needed, [&](std::int64_t offset) {
               return written->contains(offset + *shift);
           });
}

bool onlyOneThreadTouchesEach(const ThreadAccess &a, const ThreadAccess &b, const arith::Domains &axes,
                              arith::Analyzer &analyzer)
{
    const auto moving = [](const ThreadAccess &access) {
        arith::Domains result = access.loops;
        std::erase_if(result, [&](const arith::VarRange &loop) { return !ir::uses(access.index, loop.var); });
        return result;
    };
    const arith::Domains ofA = moving(a), ofB = moving(b);
    if (ofA.size() != ofB.size())
        return false;
    ir::VarMap<Expr> same;
    arith::Domains domains = axes;
    for (std::size_t i = 0; i < ofA.size(); ++i) {
        if (ofA[i].var.dtype() != ofB[i].var.dtype()
            || !ir::structurallyEqual(ofA[i].range.min, ofB[i].range.min)
            || !ir::structurallyEqual(ofA[i].range.extent, ofB[i].range.extent))
            return false;
        same[ofB[i].var] = ofA[i].var;
        domains.push_back(ofA[i]);
    }
    const Expr between = analyzer.simplify(a.index - ir::substitute(b.index, same));
    if (!ir::isConstInt(between, 0))
        return false;
    const auto digits = digitsOf(analyzer.simplify(a.index), domains, analyzer);
    return digits
           && arith::detectIterMap(*digits, domains, {}, arith::IterMapLevel::Bijective, analyzer)
                  .has_value();
}

} // namespace nestwright::analysis
