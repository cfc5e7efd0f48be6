// SPDX-License-Identifier: Apache-2.0
#include "core/arith/iter_map.h"

#include "core/arith/iter_map_detector.h"
#include "core/arith/same_expr.h"
#include "core/ir/builder.h"
#include "core/ir/substitute.h"

#include <algorithm>

namespace nestwright::arith {

using namespace ir;

void IterMapDetector::use(std::vector<Use> &uses, const IterSplit &split)
{
    for (Use &known : uses) {
        if (known.mark == split.source) {
            known.splits.push_back(split);
            return;
        }
    }
    uses.push_back({split.source, {split}});
}

/// Whether the splits of one iterator are digits next to each other, each used once.
bool IterMapDetector::checkMark(Use &usesOfMark)
{
    Expr expected = intImm(1, usesOfMark.mark->extent.dtype());
    std::vector<IterSplit> &left = usesOfMark.splits;
    while (!left.empty()) {
        auto next = std::ranges::find_if(left, [&](const IterSplit &split) {
            return m_analyzer.canProveEqual(split.lowerFactor, expected) && !isConstInt(split.extent, 1);
        });
        if (next == left.end())
            next = std::ranges::find_if(left,
                                        [&](const IterSplit &split) { return isConstInt(split.extent, 1); });
        if (next == left.end() && m_level == IterMapLevel::Surjective) {
            // Digits may be left out; the next one used has to begin further up.
            next = std::ranges::min_element(left, {}, [](const IterSplit &split) {
                const std::int64_t *lower = asInt(split.lowerFactor);
                return lower ? *lower : ConstIntBound::posInf;
            });
            if (!divides(next->lowerFactor, expected)
                || !m_analyzer.canProve(le(expected, next->lowerFactor)))
                next = left.end();
        }
        if (next == left.end()) {
            fail("an iterator is used twice or only in part");
            return false;
        }
        if (!isConstInt(next->extent, 1))
            expected = m_analyzer.simplify(next->lowerFactor * next->extent);
        left.erase(next);
    }
    const Expr &extent = usesOfMark.mark->extent;
    const bool complete = m_level == IterMapLevel::Bijective ? m_analyzer.canProveEqual(expected, extent)
                                                             : divides(extent, expected);
    if (!complete)
        fail("an iterator is used only in part");
    return complete;
}

namespace {

void variablesBelow(const IterMark &mark, std::vector<Var> &vars)
{
    if (mark.var)
        vars.push_back(mark.var);
    for (const IterSplit &split : mark.sum.args)
        variablesBelow(*split.source, vars);
}

} // namespace

/// A sum that the predicate bounds is used as one, or its variables not at all.
bool IterMapDetector::checkConstraints(const std::vector<Use> &done)
{
    std::vector<Var> used;
    for (const Use &entry : done)
        variablesBelow(*entry.mark, used);
    for (const Constrained &constrained : m_constrained) {
        const auto isIt = [&](const Use &entry) { return entry.mark == constrained.mark; };
        std::vector<Var> tied;
        variablesBelow(*constrained.mark, tied);
        if (std::ranges::any_of(done, isIt) || std::ranges::find_first_of(tied, used) == tied.end())
            continue;
        fail("the predicate ties together loop variables that the bindings use apart");
        return false;
    }
    return true;
}

bool IterMapDetector::check(const std::vector<IterSum> &sums)
{
    if (m_level == IterMapLevel::NoCheck)
        return true;
    std::vector<Use> uses;
    for (const IterSum &sum : sums) {
        for (const IterSplit &split : sum.args)
            use(uses, split);
    }
    // A fused iterator uses those it is made of: completely, whatever digits of it are used themselves. An
    // iterator is looked at when all that may use it have been.
    std::vector<Use> done;
    while (!uses.empty()) {
        const auto isPart = [&](const IterMarkPtr &mark, const IterMark &whole, const auto &self) -> bool {
            return std::ranges::any_of(whole.sum.args, [&](const IterSplit &split) {
                return split.source == mark || self(mark, *split.source, self);
            });
        };
        const auto next = std::ranges::find_if(uses, [&](const Use &candidate) {
            return std::ranges::none_of(
                uses, [&](const Use &other) { return isPart(candidate.mark, *other.mark, isPart); });
        });
        Use current = std::move(*next);
        uses.erase(next);
        if (!current.mark->var) {
            for (const IterSplit &split : current.mark->sum.args)
                use(uses, split);
        }
        if (!checkMark(current))
            return false;
        done.push_back(std::move(current));
    }
    if (!checkConstraints(done))
        return false;
    const auto isUsed = [&](const IterMarkPtr &mark) {
        return std::ranges::any_of(done, [&](const Use &entry) { return entry.mark == mark; });
    };
    if (m_level != IterMapLevel::Bijective)
        return true;
    for (const Var &var : m_inputs) {
        const IterSum &iter = m_iters[var];
        if (!iter.args.empty() && !isConstInt(iter.args.front().extent, 1)
            && !isUsed(iter.args.front().source)) {
            fail("the loop variable '" + var.name() + "' is not used");
            return false;
        }
    }
    return true;
}

support::Result<IterMap> detectIterMap(std::span<const Expr> bindings, const Domains &domains,
                                       const Expr &predicate, IterMapLevel level, Analyzer &analyzer,
                                       bool simplifyTrivialIterators)
{
    IterMapDetector detector(domains, level, analyzer, simplifyTrivialIterators);
    if (!detector.failed())
        detector.constrain(predicate);
    if (detector.failed())
        return support::fail("arith.not-affine", "the bindings are not affine: " + detector.reason());
    IterMap result;
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        auto sum = detector.detect(bindings[i]);
        if (!sum)
            return support::fail("arith.not-affine",
                                 "binding " + std::to_string(i) + " is not affine: " + detector.reason());
        result.indices.push_back(std::move(*sum));
    }
    if (!detector.check(result.indices))
        return support::fail("arith.not-affine", "the bindings are no one-to-one map: " + detector.reason());
    return result;
}

namespace {

bool isWhole(const IterSplit &split)
{
    const std::int64_t *extent = asInt(split.extent), *all = asInt(split.source->extent);
    return isConstInt(split.lowerFactor, 1)
           && (split.extent.same(split.source->extent) || (extent && all && *extent == *all));
}

/// Whether nothing of the source lies above the split's digits.
bool isTop(const IterSplit &split)
{
    const std::int64_t *lower = asInt(split.lowerFactor), *extent = asInt(split.extent);
    const std::int64_t *all = asInt(split.source->extent);
    if (lower && extent && all)
        return *extent >= (*all + *lower - 1) / *lower;
    return simplify(split.lowerFactor * split.extent - split.source->extent).as<IntImm>() != nullptr
           && isConstInt(simplify(split.lowerFactor * split.extent - split.source->extent), 0);
}

/// Value of the iterator, split into a term and a constant part: a loop variable less its start.
struct Parts {
    Expr term, base;
};

Parts partsOf(const IterMark &mark)
{
    if (mark.var)
        return {mark.var, simplify(-mark.start)};
    Parts result{{}, mark.sum.base};
    for (const IterSplit &split : mark.sum.args) {
        const Expr value = toExpr(split);
        result.term = result.term ? result.term + value : value;
    }
    return result;
}

Expr joined(const Expr &term, const Expr &base)
{
    const std::int64_t *number = asInt(base);
    return number && *number < 0 ? term - intImm(-*number, base.dtype()) : term + base;
}

/// Adds `split` to result + base.
void append(Expr &result, Expr &base, const IterSplit &split)
{
    const Parts parts = partsOf(*split.source);
    Expr value = parts.term;
    if (isWhole(split)) {
        base = simplify(base + parts.base * split.scale);
    } else {
        value = joined(parts.term, parts.base);
        if (!isTop(split))
            value = floorMod(value, simplify(split.lowerFactor * split.extent));
        value = floorDiv(value, split.lowerFactor);
    }
    value = value * split.scale;
    result = result ? result + value : value;
}

} // namespace

Expr toExpr(const IterSum &sum)
{
    Expr result, base = sum.base;
    for (const IterSplit &split : sum.args)
        append(result, base, split);
    return result ? joined(result, base) : base;
}

Expr toExpr(const IterSplit &split) { return toExpr(IterSum{{split}, intImm(0, split.scale.dtype())}); }

std::vector<Expr> iterMapSimplify(std::span<const Expr> exprs, const Domains &domains, const Expr &predicate,
                                  IterMapLevel level, Analyzer &analyzer, bool simplifyTrivialIterators)
{
    std::vector<Expr> result;
    if (const auto map =
            detectIterMap(exprs, domains, predicate, level, analyzer, simplifyTrivialIterators)) {
        for (std::size_t i = 0; i < exprs.size(); ++i) {
            const Expr normal = cast(exprs[i].dtype(), toExpr(map->indices[i]));
            result.push_back(sameExpr(normal, exprs[i]) ? exprs[i] : normal);
        }
        return result;
    }
    VarMap<Expr> trivial;
    for (const VarRange &domain : domains) {
        if (simplifyTrivialIterators && isConstInt(analyzer.simplify(domain.range.extent), 1))
            trivial[domain.var] = cast(domain.var->dtype, domain.range.min);
    }
    for (const Expr &e : exprs)
        result.push_back(analyzer.simplify(substitute(e, trivial)));
    return result;
}

} // namespace nestwright::arith
