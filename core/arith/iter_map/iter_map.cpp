// SPDX-License-Identifier: Apache-2.0
#include "core/arith/iter_map/iter_map.h"

#include "core/arith/iter_map/iter_map_detector.h"
#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <cmath>

namespace nestwright::arith {

using namespace ir;

support::Result<IterMap> detectWithConstraints(std::span<const Expr> bindings, const Domains &domains,
                                               const Expr &predicate, IterMapLevel level, Analyzer &analyzer,
                                               bool simplifyTrivialIterators, bool absorbs)
{
    Domains constrained = domains;
    auto constraints = boundConstraints(predicate, constrained);
    if (!constraints)
        return support::fail("arith.not-affine",
                             "the bindings are not affine: a part of the predicate does not "
                             "bound a sum of the loop variables");
    if (absorbs)
        foldIntoRanges(*constraints, constrained);
    IterMapDetector detector(constrained, level, analyzer, simplifyTrivialIterators);
    for (const IterConstraint &constraint : *constraints)
        detector.constrain(constraint);
    if (detector.failed())
        return support::fail("arith.not-affine", "the bindings are not affine: " + detector.reason());
    if (!detector.constraintsNest())
        return support::fail(
            "arith.not-affine",
            "the bindings are not affine: parts of the predicate tie loop variables together crosswise");
    IterMap result;
    const bool mayPad = level != IterMapLevel::Bijective;
    for (int round = 0; round == 0 || (round == 1 && mayPad && detector.needsPadding()); ++round) {
        result.indices.clear();
        for (std::size_t i = 0; i < bindings.size(); ++i) {
            auto sum = detector.detect(bindings[i], mayPad && round == 0);
            if (!sum)
                return support::fail("arith.not-affine",
                                     "binding " + std::to_string(i) + " is not affine: " + detector.reason());
            result.indices.push_back(std::move(*sum));
        }
    }
    if (!detector.check(result.indices))
        return support::fail("arith.not-affine", "the bindings are no one-to-one map: " + detector.reason());
    result.paddingPredicate = detector.paddingPredicate();
    return result;
}

bool leavesType(const Expr &e, const Domains &domains)
{
    double most = 1; // of a sum of products of what it consists of, roughly
    bool isKnown = e.dtype().isIndex();
    forEachExpr(e, [&](const Expr &part) {
        const auto count = [&](const Expr &number) {
            const std::int64_t *value = asInt(number);
            most *= value ? 1 + std::abs(static_cast<double>(*value)) : 1;
            return value != nullptr;
        };
        if (const Var var = Var::from(part)) {
            const auto domain = std::ranges::find(domains, var, &VarRange::var);
            isKnown =
                isKnown && domain != domains.end() && count(domain->range.min) && count(domain->range.extent);
        }
        count(part);
        return isKnown;
    });
    const double end = std::ldexp(1.0, e.dtype().bits - 1);
    if (!isKnown || most < end)
        return false;
    Analyzer analyzer;
    for (const VarRange &domain : domains)
        analyzer.bind(domain.var, domain.range);
    const ConstIntBound bound = analyzer.constBound(e);
    return static_cast<double>(bound.max) >= end || static_cast<double>(bound.min) < -end;
}

support::Result<IterMap> detectIterMap(std::span<const Expr> bindings, const Domains &domains,
                                       const Expr &predicate, IterMapLevel level, Analyzer &analyzer,
                                       bool simplifyTrivialIterators)
{
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        if (leavesType(bindings[i], domains))
            return support::fail("arith.not-affine",
                                 "binding " + std::to_string(i) + " is not affine: its type "
                                     + bindings[i].dtype().str() + " does not hold all of its values");
    }
    auto map = detectWithConstraints(bindings, domains, predicate, level, analyzer, simplifyTrivialIterators);
    // A bound on one loop beside loops of one iteration ties nothing together: it may be taken as that loop's
    // range.
    const bool hasUnits = std::ranges::any_of(
        domains, [](const VarRange &domain) { return isConstInt(domain.range.extent, 1); });
    if (!map && predicate && hasUnits) {
        if (auto other = detectWithConstraints(bindings, domains, predicate, level, analyzer,
                                               simplifyTrivialIterators, true))
            return other;
    }
    return map;
}

IterSum normalizeToIterSum(const Expr &e, const Domains &domains, Analyzer &analyzer)
{
    return IterMapDetector(domains, IterMapLevel::NoCheck, analyzer, true).normalSum(e);
}

namespace {

/// Turns normal forms back into expressions.
class Converter {
public:
    explicit Converter(Analyzer &analyzer) : m_analyzer(analyzer) {}

    Expr sum(const IterSum &sum)
    {
        Expr result = intImm(0, sum.base.dtype());
        for (const IterSplit &part : sum.args)
            result = result + split(part);
        return result + sum.base;
    }

    Expr split(const IterSplit &split)
    {
        const IterMark &mark = *split.source;
        const Expr source = mark.var ? mark.var - mark.start : sum(mark.sum);
        const Expr all = mark.extent, digits = split.lowerFactor * split.extent;
        if (isConstInt(split.lowerFactor, 1) && m_analyzer.canProveEqual(split.extent, all))
            return source * split.scale;
        if (m_analyzer.canProveEqual(digits, all)) {
            // The highest digit of several that has one value is 0; a loop of one iteration keeps its name.
            if (isConstInt(split.extent, 1) && !isConstInt(all, 1))
                return intImm(0, split.extent.dtype());
            return floorDiv(source, split.lowerFactor) * split.scale;
        }
        const Expr below = m_analyzer.normalForm(split.extent * split.lowerFactor);
        return floorDiv(floorMod(source, below), split.lowerFactor) * split.scale;
    }

private:
    Analyzer &m_analyzer;
};

} // namespace

Expr toExpr(const IterSum &sum)
{
    Analyzer analyzer;
    return Converter(analyzer).sum(sum);
}

Expr toExpr(const IterSplit &split)
{
    Analyzer analyzer;
    return Converter(analyzer).split(split);
}

std::vector<Expr> iterMapSimplify(std::span<const Expr> exprs, const Domains &domains, const Expr &predicate,
                                  IterMapLevel level, Analyzer &analyzer, bool simplifyTrivialIterators)
{
    auto map = detectIterMap(exprs, domains, predicate, level, analyzer, simplifyTrivialIterators);
    // A map for all iterations is one for those that the predicate leaves.
    if (!map && predicate && !isTrue(predicate) && level != IterMapLevel::Bijective)
        map = detectIterMap(exprs, domains, {}, level, analyzer, simplifyTrivialIterators);
    std::vector<Expr> result(exprs.begin(), exprs.end());
    if (!map)
        return result;
    Converter converter(analyzer);
    for (std::size_t i = 0; i < exprs.size(); ++i) {
        const Expr normal = cast(exprs[i].dtype(), converter.sum(map->indices[i]));
        if (!sameExpr(normal, exprs[i]))
            result[i] = normal;
    }
    return result;
}

} // namespace nestwright::arith
