// SPDX-License-Identifier: Apache-2.0
/// Boxes of integers: regions of buffers over the ranges of loop variables.
#include "core/arith/int_set.h"
#include "core/arith/iter_map/iter_map.h"

#include "core/arith/knowledge/linear.h"
#include "core/arith/type_range.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <set>

namespace nestwright::arith {

using namespace ir;

namespace {

/// The domains bound in `analyzer`, unless their ends make that impossible.
void bindAll(const Domains &domains, Analyzer &analyzer)
{
    for (const VarRange &domain : domains)
        analyzer.bind(domain.var, domain.range);
}

bool usesRelaxed(const Expr &e, const Domains &relaxed)
{
    VarSet vars;
    for (const VarRange &domain : relaxed)
        vars.insert(domain.var);
    return usesAny(e, vars);
}

/// Innermost variables first: their ends may use the outer ones.
IntervalSet relax(IntervalSet set, const Domains &relaxed, Analyzer &analyzer)
{
    for (const VarRange &domain : std::views::reverse(relaxed)) {
        const VarMap<IntervalSet> one{{domain.var, IntervalSet::of(domain.range)}};
        if (set.isPoint()) {
            set = evalSet(set.min, one, analyzer);
            continue;
        }
        if (set.min)
            set.min = evalSet(set.min, one, analyzer).min;
        if (set.max)
            set.max = evalSet(set.max, one, analyzer).max;
    }
    return set;
}

/// A part of a predicate as moved + rest <= 0, only `moved` with relaxed variables.
struct Bounded {
    Expr moved, rest;
};

std::optional<Bounded> boundedBy(const Expr &literal, const Domains &relaxed, Analyzer &analyzer)
{
    const auto *node = literal.as<Binary>();
    if (!node || node->op < BinaryOp::LT || node->op > BinaryOp::GE || !node->a.dtype().isInt()
        || node->a.dtype().isVector())
        return std::nullopt;
    const bool swapped = node->op == BinaryOp::GT || node->op == BinaryOp::GE;
    const Expr &smaller = swapped ? node->b : node->a;
    const Expr &greater = swapped ? node->a : node->b;
    const int strict = node->op == BinaryOp::LT || node->op == BinaryOp::GT ? 1 : 0;
    const Expr all = smaller - greater + strict;
    VarMap<Expr> none;
    for (const VarRange &domain : relaxed)
        none[domain.var] = intImm(0, domain.var->dtype);
    Bounded result;
    result.rest = analyzer.simplify(substitute(all, none));
    result.moved = analyzer.simplify(all - result.rest);
    return result;
}

/// How far `e` moves with a step of `var`; nothing where that is no constant.
std::optional<std::int64_t> slopeOf(const Expr &e, const Var &var, Analyzer &analyzer)
{
    const VarMap<Expr> next{{var, var + intImm(1, var->dtype)}};
    const Expr step = analyzer.simplify(substitute(e, next) - e);
    const std::int64_t *value = asInt(step);
    return value ? std::optional(*value) : std::nullopt;
}

/// Divisors d for which `e` may be `scale` times `moved` // d.
std::set<std::int64_t> divisorsBetween(const Expr &e, const Expr &moved, std::int64_t scale,
                                       const Domains &relaxed, Analyzer &analyzer)
{
    std::set<std::int64_t> result;
    for (const VarRange &domain : relaxed) {
        const auto slope =
            uses(e, domain.var) && uses(moved, domain.var) ? slopeOf(e, domain.var, analyzer) : std::nullopt;
        const auto whole = slope && *slope != 0 ? slopeOf(moved, domain.var, analyzer) : std::nullopt;
        if (whole && satMul(*whole, scale) % *slope == 0)
            result.insert(std::abs(satMul(*whole, scale) / *slope));
    }
    forEachExpr(e, [&](const Expr &part) {
        const auto *quotient = part.as<Binary>();
        const std::int64_t *by = quotient && isDivision(quotient->op) ? asInt(quotient->b) : nullptr;
        if (by && *by > 0)
            result.insert(*by);
        return true;
    });
    result.erase(0);
    result.erase(1);
    return result;
}

void atMost(IntervalSet &set, const Expr &end, Analyzer &analyzer)
{
    if (set.max)
        set.max = analyzer.simplify(min(set.max, end));
}

void atLeast(IntervalSet &set, const Expr &end, Analyzer &analyzer)
{
    if (set.min)
        set.min = analyzer.simplify(max(set.min, end));
}

/// Narrows `set`, which holds the values of `e`, by the parts of the predicate that bound e, or a sum that e
/// is a quotient of: with e + k < limit for all points where the predicate holds, e is at most limit - k - 1;
/// with x <= limit, x // 4 * 3 is at most limit // 4 * 3.
void narrow(IntervalSet &set, const Expr &e, const std::vector<Expr> &literals, const Domains &relaxed,
            Analyzer &analyzer)
{
    const std::int64_t step = std::max<std::int64_t>(analyzer.modularSet(e).coeff, 1);
    for (const Expr &literal : literals) {
        const auto bounded = boundedBy(literal, relaxed, analyzer);
        if (!bounded)
            continue;
        const auto &[moved, rest] = *bounded;
        if (const Expr apart = analyzer.simplify(e - moved); !usesRelaxed(apart, relaxed))
            atMost(set, apart - rest, analyzer);
        if (const Expr apart = analyzer.simplify(e + moved); !usesRelaxed(apart, relaxed))
            atLeast(set, apart + rest, analyzer);
        if (moved.dtype() != e.dtype())
            continue;
        for (const std::int64_t by : divisorsBetween(e, moved, step, relaxed, analyzer)) {
            const Expr divisor = intImm(by, e.dtype()), scale = intImm(step, e.dtype());
            const Expr above = analyzer.simplify(e - floorDiv(moved, divisor) * scale);
            if (!usesRelaxed(above, relaxed))
                atMost(set, above + floorDiv(-rest, divisor) * scale, analyzer);
            const Expr below = analyzer.simplify(e - floorDiv(-moved, divisor) * scale);
            if (!usesRelaxed(below, relaxed))
                atLeast(set, below + floorDiv(rest, divisor) * scale, analyzer);
        }
    }
}

/// The interval that [min, min + extent) covers without gaps; nothing where that is not known.
std::optional<Range> exactInterval(const Range &range, const IterSum &sum, Analyzer &analyzer)
{
    if (sum.args.empty()) // not range.min, which may name loops of one iteration
        return Range{analyzer.simplify(sum.base), analyzer.simplify(range.extent)};
    const IterSplit &split = sum.args.front();
    // Steps of `scale` leave no gap where the interval at each step is at least as long.
    const bool falls = analyzer.canProveLess(split.scale, 0);
    const Expr step = falls ? -split.scale : split.scale;
    if (!analyzer.canProve(le(step, range.extent)))
        return std::nullopt;
    const Expr reach = (split.extent - 1) * step;
    return Range{analyzer.simplify(falls ? sum.base - reach : sum.base),
                 analyzer.simplify(reach + range.extent)};
}

} // namespace

namespace {

bool fallsWith(const Region &region, const Var &var, Analyzer &analyzer)
{
    return std::ranges::any_of(region, [&](const Range &range) {
        if (!uses(range.min, var))
            return false;
        const VarMap<Expr> next{{var, var + intImm(1, var->dtype)}};
        const Expr step = analyzer.simplify(substitute(range.min, next) - range.min);
        const std::int64_t *value = asInt(step);
        return value && *value < 0;
    });
}

/// The arguments of a relaxation: region, domains of the loops and predicate.
struct Relaxation {
    Region region;
    Domains domains;
    Expr predicate;
};

/// Reverses variables that an index falls with, as iterator maps express only rising ones; nothing where
/// another index rises with one.
std::optional<Relaxation> rising(Relaxation given, Analyzer &analyzer)
{
    for (std::size_t i = 0; i < given.domains.size(); ++i) {
        const VarRange turned = given.domains[i];
        if (!fallsWith(given.region, turned.var, analyzer))
            continue;
        const Range &range = turned.range;
        const VarMap<Expr> fromEnd{{turned.var, range.min + (range.min + range.extent - 1 - turned.var)}};
        for (Range &dimension : given.region)
            dimension = {analyzer.simplify(substitute(dimension.min, fromEnd)),
                         substitute(dimension.extent, fromEnd)};
        for (VarRange &domain : given.domains)
            domain.range = substitute(domain.range, fromEnd);
        if (given.predicate)
            given.predicate = substitute(given.predicate, fromEnd);
        if (fallsWith(given.region, turned.var, analyzer))
            return std::nullopt;
    }
    return given;
}

} // namespace

namespace {

/// Whether the part of `predicate` on loops that `mins` do not use is known to hold in some iteration (the
/// first).
bool holdsSomewhere(const Expr &predicate, const std::vector<Expr> &mins, const Domains &relaxed,
                    Analyzer &analyzer)
{
    VarSet used, unused;
    for (const Expr &min : mins)
        used.merge(variablesOf(min));
    VarMap<Expr> first;
    for (const VarRange &loop : relaxed) {
        if (!used.contains(loop.var)) {
            unused.insert(loop.var);
            first[loop.var] = loop.range.min;
        }
    }
    return std::ranges::all_of(conjunctsOf(predicate), [&](const Expr &literal) {
        return usesAny(literal, used) || !usesAny(literal, unused)
               || analyzer.canProve(substitute(literal, first));
    });
}

} // namespace

std::optional<Region> exactRegionOver(const Region &region, const Domains &relaxed, Analyzer &analyzer,
                                      const Expr &predicate)
{
    const auto risen = rising({region, relaxed, predicate}, analyzer);
    if (!risen)
        return std::nullopt;
    std::vector<Expr> mins;
    for (const Range &range : risen->region) {
        if (usesRelaxed(range.extent, relaxed))
            return std::nullopt;
        mins.push_back(range.min);
    }
    if (predicate && !holdsSomewhere(risen->predicate, mins, risen->domains, analyzer))
        return std::nullopt;
    // Each iterator in one dimension only, so that the box is the product of the intervals.
    const auto detected = [&] {
        return detectIterMap(mins, risen->domains, risen->predicate, IterMapLevel::Surjective, analyzer);
    };
    auto map = detected();
    if (!map && (!predicate || isTrue(predicate))) {
        // (i * 11 + j) // 77 and (i * 11 + j) % 77 share no iterator once it is known that j < 11.
        bindAll(risen->domains, analyzer);
        for (Expr &min : mins)
            min = analyzer.simplify(min);
        map = detected();
    }
    if (!map)
        return std::nullopt;
    Region result;
    for (std::size_t i = 0; i < region.size(); ++i) {
        const auto interval = exactInterval(risen->region[i], map->indices[i], analyzer);
        if (!interval)
            return std::nullopt;
        result.push_back(*interval);
    }
    return result;
}

std::optional<Region> regionOver(const Region &region, const Domains &relaxed, Analyzer &analyzer,
                                 const Expr &predicate)
{
    if (auto exact = exactRegionOver(region, relaxed, analyzer, predicate))
        return exact;
    bindAll(relaxed, analyzer);
    const std::vector<Expr> literals = conjunctsOf(predicate);
    Region result;
    for (const Range &range : region) {
        IntervalSet set = IntervalSet::of(range);
        set = relax(set, relaxed, analyzer);
        if (!literals.empty() && isConstInt(range.extent, 1))
            narrow(set, range.min, literals, relaxed, analyzer);
        const auto box = toRange(set, analyzer);
        if (!box)
            return std::nullopt;
        result.push_back(*box);
    }
    return result;
}

bool holdsAround(const Expr &predicate, const Domains &relaxed, Analyzer &analyzer)
{
    return std::ranges::all_of(conjunctsOf(predicate), [&](const Expr &literal) {
        return usesRelaxed(literal, relaxed) || analyzer.canProve(literal);
    });
}

bool covers(const Region &outer, const Region &inner, Analyzer &analyzer)
{
    NW_ASSERT(outer.size() == inner.size(), "regions of different rank");
    for (std::size_t i = 0; i < outer.size(); ++i) {
        if (!analyzer.canProve(le(outer[i].min, inner[i].min)))
            return false;
        if (!analyzer.canProve(le(inner[i].min + inner[i].extent, outer[i].min + outer[i].extent)))
            return false;
    }
    return true;
}

namespace {

template <class Combine>
Region combine(const Region &a, const Region &b, Analyzer &analyzer, Combine combineIntervals)
{
    NW_ASSERT(a.size() == b.size(), "regions of different rank");
    Region result;
    for (std::size_t i = 0; i < a.size(); ++i)
        result.push_back(combineIntervals(a[i], b[i], analyzer));
    return result;
}

Range between(const Expr &min, const Expr &end, Analyzer &analyzer)
{
    const Expr first = analyzer.simplify(min);
    return {first, analyzer.simplify(end - first)};
}

} // namespace

Region unionOf(const Region &a, const Region &b, Analyzer &analyzer)
{
    return combine(a, b, analyzer, [](const Range &x, const Range &y, Analyzer &prover) {
        return between(min(x.min, y.min), max(x.min + x.extent, y.min + y.extent), prover);
    });
}

Region intersect(const Region &a, const Region &b, Analyzer &analyzer)
{
    return combine(a, b, analyzer, [](const Range &x, const Range &y, Analyzer &prover) {
        for (const auto &[later, earlier] : {std::pair(&x, &y), std::pair(&y, &x)}) {
            if (beyondType(later->min + later->extent, prover)
                && prover.canProve(ge(later->min, earlier->min)))
                return Range{later->min, prover.simplify(min(later->extent,
                                                             earlier->min + earlier->extent - later->min))};
        }
        return between(max(x.min, y.min), min(x.min + x.extent, y.min + y.extent), prover);
    });
}

} // namespace nestwright::arith
