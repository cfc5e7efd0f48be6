// SPDX-License-Identifier: Apache-2.0
#include "core/arith/iter_map/subspace.h"

#include "core/arith/iter_map/iter_map_detector.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"

#include <algorithm>
#include <optional>
#include <ranges>

namespace nestwright::arith {

using namespace ir;

namespace {

enum class Side { Outer, Inner, Mixed };

/// outer * inner.extent + inner; a side that is one split keeps it, so that a sum can use it as it is.
struct Division {
    struct Part {
        std::optional<IterSplit> split; ///< the only part of `value`, if there is just one
        IterSum value;
        Expr extent;
    };
    Part outer, inner;
    Side side = Side::Mixed;
};

Division::Part nothing(DataType dtype) { return {{}, IterSum{{}, intImm(0, dtype)}, intImm(1, dtype)}; }

Division::Part part(const IterSplit &split, const Expr &extent)
{
    return {split, IterSum{{split}, intImm(0, split.scale.dtype())}, extent};
}

Division onOneSide(Side side, Division::Part own)
{
    const DataType dtype = own.value.base.dtype();
    Division result{nothing(dtype), nothing(dtype), side};
    (side == Side::Inner ? result.inner : result.outer) = std::move(own);
    return result;
}

IterSplit wholeSplit(const IterMark &mark)
{
    const Expr one = intImm(1, mark.extent.dtype());
    return {std::make_shared<const IterMark>(mark), one, mark.extent, one};
}

IterMark fusedMark(IterSum sum, const Expr &extent) { return {{}, {}, std::move(sum), extent}; }

IterSplit asSplit(const Division::Part &part)
{
    return part.split ? *part.split : wholeSplit(fusedMark(part.value, part.extent));
}

/// The fused iterator of `parts` (innermost first), whose scales are made to follow one another.
Division::Part fused(std::vector<IterSplit> parts, const Expr &base)
{
    Expr extent = intImm(1, base.dtype());
    for (IterSplit &split : parts) {
        split.scale = extent;
        extent = extent * split.extent;
    }
    std::ranges::reverse(parts);
    return {{}, IterSum{std::move(parts), base}, extent};
}

/// The sum of `parts` (innermost first), whose values may overlap.
Division::Part added(std::vector<IterSplit> parts, const Expr &base)
{
    const Expr one = intImm(1, base.dtype());
    Expr extent = one;
    for (const IterSplit &split : parts)
        extent = extent + (split.extent - one) * split.scale;
    std::ranges::reverse(parts);
    return {{}, IterSum{std::move(parts), base}, extent};
}

class Divider {
public:
    Divider(const IterMap &map, std::span<const Var> inner, Analyzer &analyzer)
        : m_inner(inner)
        , m_analyzer(analyzer)
    {
        for (const IterSum &sum : map.indices)
            collect(sum);
    }

    /// `sum` in [base, base + extent); without an extent nothing bounds it beyond its iterators.
    std::optional<Division> divide(const IterSum &sum, const Expr &extent);
    Expr predicate(Side side) const { return side == Side::Outer ? m_outerPredicate : m_innerPredicate; }

private:
    struct Uses {
        IterMarkPtr mark;
        std::vector<IterSplit> splits;
    };

    void collect(const IterSum &sum);
    const std::vector<IterSplit> &splitsOf(const IterMarkPtr &mark) const;
    std::optional<Division> divide(const IterSplit &split);
    std::optional<Division> divideFused(const IterSplit &split);
    std::optional<Division> divideSum(const IterSum &sum, const Expr &extent);
    Division bounded(Side side, Division::Part whole, const Expr &extent);
    bool isWhole(const IterSplit &split);
    bool mayExceed(const IterSplit &split, const Expr &base, const Expr &extent);
    bool isInner(const Var &var) const { return std::ranges::find(m_inner, var) != m_inner.end(); }

    std::span<const Var> m_inner;
    Analyzer &m_analyzer;
    std::vector<Uses> m_uses;
    Expr m_outerPredicate = boolImm(true), m_innerPredicate = boolImm(true);
};

void Divider::collect(const IterSum &sum)
{
    for (const IterSplit &split : sum.args) {
        auto known = std::ranges::find(m_uses, split.source, &Uses::mark);
        if (known == m_uses.end()) {
            m_uses.push_back({split.source, {split}});
            collect(split.source->sum);
        } else {
            known->splits.push_back(split);
        }
    }
}

const std::vector<IterSplit> &Divider::splitsOf(const IterMarkPtr &mark) const
{
    return std::ranges::find(m_uses, mark, &Uses::mark)->splits;
}

std::optional<Division> Divider::divide(const IterSum &sum, const Expr &extent)
{
    const DataType dtype = sum.base.dtype();
    if (sum.args.size() > 1)
        return divideSum(sum, extent);
    if (sum.args.empty()) {
        Division result{nothing(dtype), nothing(dtype)};
        result.inner.value.base = sum.base;
        return result;
    }
    if (!isConstInt(sum.args.front().scale, 1))
        return std::nullopt;
    auto result = divide(sum.args.front());
    if (result && !isConstInt(sum.base, 0)) {
        result->inner.split.reset();
        result->inner.value.base = result->inner.value.base + sum.base;
    }
    if (!result || !extent || !mayExceed(sum.args.front(), sum.base, extent))
        return result;
    if (result->side == Side::Mixed)
        return std::nullopt;
    const bool isOuter = result->side == Side::Outer;
    if (isOuter)
        result->outer.value.base = result->outer.value.base + sum.base;
    return bounded(result->side, isOuter ? result->outer : result->inner, extent);
}

/// Whether it is all of its source, and not a digit of it.
bool Divider::isWhole(const IterSplit &split)
{
    return isConstInt(split.lowerFactor, 1) && m_analyzer.canProveEqual(split.extent, split.source->extent);
}

bool Divider::mayExceed(const IterSplit &split, const Expr &base, const Expr &extent)
{
    return !m_analyzer.canProve(le(split.extent + base, extent))
           || !m_analyzer.canProve(ge(base, intImm(0, base.dtype())));
}

/// The side has all of a sum that the predicate cuts off: it says so of the values.
Division Divider::bounded(Side side, Division::Part whole, const Expr &extent)
{
    Expr &predicate = side == Side::Outer ? m_outerPredicate : m_innerPredicate;
    const Expr value = toExpr(whole.value);
    if (!m_analyzer.canProve(ge(whole.value.base, intImm(0, value.dtype()))))
        predicate = logicalAnd(predicate, ge(value, intImm(0, value.dtype())));
    predicate = logicalAnd(predicate, lt(value, extent));
    whole.split.reset();
    whole.extent = extent;
    return onOneSide(side, std::move(whole));
}

/// Divides a sum: it divides where splits of outer loops are followed by splits of inner ones.
std::optional<Division> Divider::divideSum(const IterSum &sum, const Expr &markExtent)
{
    const DataType dtype = sum.base.dtype();
    std::vector<IterSplit> outer, inner;
    Expr extent = intImm(1, dtype);
    bool hasUnitScale = false, isFused = true;
    for (const IterSplit &split : std::views::reverse(sum.args)) {
        hasUnitScale |= isConstInt(split.scale, 1);
        const auto division = divide(split);
        if (!division || division->side == Side::Mixed || (division->side == Side::Inner && !outer.empty()))
            return std::nullopt;
        const bool isInnerPart = division->side == Side::Inner;
        IterSplit own = asSplit(isInnerPart ? division->inner : division->outer);
        own.scale = split.scale;
        isFused &= m_analyzer.canProveEqual(own.scale, extent);
        extent = extent * own.extent;
        (isInnerPart ? inner : outer).push_back(std::move(own));
    }
    if (!hasUnitScale)
        return std::nullopt;
    const bool isOneSided = inner.empty() || outer.empty();
    if (isFused && !isOneSided) {
        // An extent cut off by the predicate cannot be outer * extent + inner.
        if (!markExtent || !m_analyzer.canProveEqual(extent, markExtent))
            return std::nullopt;
        return Division{fused(std::move(outer), intImm(0, dtype)), fused(std::move(inner), sum.base)};
    }
    if (!isOneSided)
        return std::nullopt;
    const Side side = inner.empty() ? Side::Outer : Side::Inner;
    std::vector<IterSplit> &parts = inner.empty() ? outer : inner;
    Division::Part own = isFused ? fused(std::move(parts), sum.base) : added(std::move(parts), sum.base);
    if (markExtent && m_analyzer.canProveEqual(own.extent, markExtent))
        return onOneSide(side, std::move(own));
    return markExtent ? std::optional(bounded(side, std::move(own), markExtent)) : std::nullopt;
}

std::optional<Division> Divider::divide(const IterSplit &split)
{
    const IterMark &mark = *split.source;
    if (!mark.var)
        return divideFused(split);
    if (!isConstInt(mark.start, 0))
        return std::nullopt;
    return onOneSide(isInner(mark.var) ? Side::Inner : Side::Outer, part(split, split.extent));
}

/// source = outer * extent(inner) + inner: its digits have to be those of outer followed by those of inner.
std::optional<Division> Divider::divideFused(const IterSplit &split)
{
    auto division = divide(split.source->sum, split.source->extent);
    std::vector<IterSplit> left = splitsOf(split.source);
    if (!division || (left.size() == 1 && isWhole(split)))
        return division;
    if (division->side != Side::Mixed) {
        const Division::Part &side = division->side == Side::Outer ? division->outer : division->inner;
        IterSplit own = split;
        own.source = std::make_shared<const IterMark>(fusedMark(side.value, split.source->extent));
        return onOneSide(division->side, part(own, split.extent));
    }
    // A digit of extent 1 comes before another one with the same lower factor.
    std::ranges::stable_partition(left, [](const IterSplit &digit) { return isConstInt(digit.extent, 1); });
    const Expr one = intImm(1, split.scale.dtype());
    bool isBeyondInner = false;
    Expr expected = one, outerStart;
    std::optional<Division> result;
    while (!left.empty()) {
        const auto next = std::ranges::find_if(left, [&](const IterSplit &candidate) {
            return m_analyzer.canProveEqual(candidate.lowerFactor, expected);
        });
        if (next == left.end())
            return std::nullopt;
        if (isBeyondInner && !outerStart)
            outerStart = next->lowerFactor;
        const bool isThis = m_analyzer.canProveEqual(next->lowerFactor, split.lowerFactor)
                            && m_analyzer.canProveEqual(next->extent, split.extent);
        if (isThis && !result) {
            const Division::Part &side = isBeyondInner ? division->outer : division->inner;
            IterSplit own = split;
            own.source = std::make_shared<const IterMark>(fusedMark(side.value, side.extent));
            if (isBeyondInner)
                own.lowerFactor = floorDiv(split.lowerFactor, outerStart);
            result = onOneSide(isBeyondInner ? Side::Outer : Side::Inner, part(own, split.extent));
        }
        expected = expected * next->extent;
        left.erase(next);
        isBeyondInner |= m_analyzer.canProveEqual(expected, division->inner.extent);
    }
    return isBeyondInner ? result : std::nullopt;
}

/// The terms of `predicate` that do not follow from `known` and the loops' ranges.
std::vector<Expr> termsBesides(const Expr &known, const Expr &predicate, const Domains &domains)
{
    Analyzer analyzer;
    for (const VarRange &domain : domains)
        analyzer.bind(domain.var, domain.range);
    std::vector<Expr> terms = conjunctsOf(predicate);
    const Assumption assumption = analyzer.assume(known);
    std::erase_if(terms, [&](const Expr &term) { return analyzer.canProve(term); });
    return terms;
}

} // namespace

support::Result<Subspaces> subspaceDivide(std::span<const Expr> bindings, const Domains &domains,
                                          std::span<const Var> inner, const Expr &predicate,
                                          IterMapLevel level, Analyzer &analyzer,
                                          bool simplifyTrivialIterators)
{
    const auto map =
        detectWithConstraints(bindings, domains, predicate, level, analyzer, simplifyTrivialIterators);
    if (!map)
        return std::unexpected(map.error());
    Divider divider(*map, inner, analyzer);
    Subspaces result;
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        auto division = divider.divide(map->indices[i], {});
        if (!division)
            return support::fail("arith.no-subspace",
                                 "binding " + std::to_string(i)
                                     + " mixes outer and inner loops, or a condition ties them together");
        result.bindings.push_back({{std::move(division->outer.value), division->outer.extent},
                                   {std::move(division->inner.value), division->inner.extent}});
    }
    result.outerPredicate = divider.predicate(Side::Outer);
    result.innerPredicate = divider.predicate(Side::Inner);
    VarSet innerVars(inner.begin(), inner.end()), outerVars;
    for (const VarRange &domain : domains) {
        if (!innerVars.contains(domain.var))
            outerVars.insert(domain.var);
    }
    const Expr known = logicalAnd(result.outerPredicate, result.innerPredicate);
    for (const Expr &term : termsBesides(known, predicate, domains)) {
        const bool usesInner = usesAny(term, innerVars);
        if (usesInner && usesAny(term, outerVars))
            return support::fail("arith.no-subspace", "a condition ties together outer and inner loops");
        Expr &side = usesInner ? result.innerPredicate : result.outerPredicate;
        side = logicalAnd(side, term);
    }
    return result;
}

} // namespace nestwright::arith
