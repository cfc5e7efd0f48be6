// SPDX-License-Identifier: Apache-2.0
/// What a predicate says of the iterators.
#include "core/arith/iter_map_detector.h"

#include "core/ir/builder.h"
#include "core/ir/walk.h"

#include <algorithm>

namespace nestwright::arith {

using namespace ir;

namespace {

void literalsOf(const Expr &e, std::vector<Expr> &literals)
{
    if (const auto *node = e.as<Binary>(); node && node->op == BinaryOp::And) {
        literalsOf(node->a, literals);
        return literalsOf(node->b, literals);
    }
    if (const auto *node = e.as<Call>(); node && node->name == "likely")
        return literalsOf(node->args.front(), literals);
    if (!isTrue(e))
        literals.push_back(e);
}

} // namespace

void IterMapDetector::constrain(const Expr &predicate)
{
    if (!predicate)
        return;
    std::vector<Expr> literals;
    literalsOf(predicate, literals);
    std::vector<Bound> bounds;
    for (const Expr &literal : literals) {
        if (collect(literal, bounds)
            || m_level == IterMapLevel::NoCheck) // there, an over-approximation is asked for
            continue;
        fail("a part of the predicate does not bound a sum of the loop variables");
        return;
    }
    // Sums of few variables first: the greater ones are made of them, so each is rewritten when its turn has
    // come.
    std::ranges::stable_sort(bounds, {}, [](const Bound &bound) {
        std::size_t count = 0;
        for (const Expr &literal : bound.literals)
            count = std::max(count, variablesOf(literal).size());
        return count;
    });
    for (const Bound &outdated : bounds) {
        std::vector<Bound> current;
        for (const Expr &literal : outdated.literals)
            collect(literal, current);
        for (const Bound &bound : current) {
            if (applyBound(bound))
                continue;
            if (m_level != IterMapLevel::NoCheck)
                return;
            m_reason.clear();
        }
    }
}

/// `collectBounds` of the literal as it is written, so that it speaks of the same sums as the bindings; else
/// simplified.
bool IterMapDetector::collect(const Expr &literal, std::vector<Bound> &bounds)
{
    const bool known = collectBounds(literal, literal, bounds)
                       || collectBounds(m_analyzer.simplify(literal), literal, bounds);
    m_reason.clear();
    return known;
}

/// Adds what `literal` says, a form of `origin`; false when it is no bound of a sum of iterators.
bool IterMapDetector::collectBounds(const Expr &literal, const Expr &origin, std::vector<Bound> &bounds)
{
    if (isTrue(literal))
        return true;
    const auto *node = literal.as<Binary>();
    if (!node || !isComparison(node->op) || !node->a.dtype().isInt())
        return false;
    auto difference = rewrite(node->a);
    const auto other = difference ? rewrite(node->b) : std::nullopt;
    if (!other)
        return false;
    addTo(*difference, *other, -1);
    std::vector<IterSplit> args = std::move(difference->args);
    if (args.empty())
        return true; // says nothing of the iterators
    // Σ args op -base
    Expr limit = m_analyzer.simplify(-difference->base);
    const bool negative = std::ranges::all_of(
        args, [&](const IterSplit &split) { return m_analyzer.constBound(split.scale).max < 0; });
    BinaryOp op = node->op;
    if (negative) {
        limit = m_analyzer.simplify(-limit);
        for (IterSplit &split : args)
            split.scale = m_analyzer.simplify(-split.scale);
        const auto mirrored = [](BinaryOp from) {
            switch (from) {
            case BinaryOp::LT: return BinaryOp::GT;
            case BinaryOp::LE: return BinaryOp::GE;
            case BinaryOp::GT: return BinaryOp::LT;
            case BinaryOp::GE: return BinaryOp::LE;
            default: return from;
            }
        };
        op = mirrored(op);
    }
    switch (op) {
    case BinaryOp::LT:
        addBound(bounds, std::move(args), origin, {}, m_analyzer.simplify(limit - 1));
        return true;
    case BinaryOp::LE: addBound(bounds, std::move(args), origin, {}, limit); return true;
    case BinaryOp::GT:
        addBound(bounds, std::move(args), origin, m_analyzer.simplify(limit + 1), {});
        return true;
    case BinaryOp::GE: addBound(bounds, std::move(args), origin, limit, {}); return true;
    case BinaryOp::EQ: addBound(bounds, std::move(args), origin, limit, limit); return true;
    default: return false;
    }
}

/// Joined with a bound of the same sum, if there is one.
void IterMapDetector::addBound(std::vector<Bound> &bounds, std::vector<IterSplit> args, const Expr &origin,
                               const Expr &lower, const Expr &upper)
{
    const auto contains = [&](const std::vector<IterSplit> &list, const IterSplit &split) {
        return std::ranges::any_of(list, [&](const IterSplit &other) {
            return sameDigits(other, split, m_analyzer) && m_analyzer.canProveEqual(other.scale, split.scale);
        });
    };
    for (Bound &bound : bounds) {
        if (bound.args.size() != args.size() || !std::ranges::all_of(args, [&](const IterSplit &split) {
                return contains(bound.args, split);
            }))
            continue;
        if (lower)
            bound.lower = bound.lower ? m_analyzer.simplify(max(bound.lower, lower)) : lower;
        if (upper)
            bound.upper = bound.upper ? m_analyzer.simplify(min(bound.upper, upper)) : upper;
        bound.literals.push_back(origin);
        return;
    }
    bounds.push_back({std::move(args), lower, upper, {origin}});
}

/// Makes the bounded sum an iterator of its own.
bool IterMapDetector::applyBound(const Bound &bound)
{
    IterSum sum{bound.args, intImm(0, bound.args.front().scale.dtype())};
    joinDigits(sum.args);
    applyConstraints(sum);
    const auto fused = fuse(sum);
    if (!fused)
        return false;
    const IterSplit &split = fused->args.front();
    // scale * digits + base in [lower, upper]
    const Expr zero = intImm(0, split.extent.dtype());
    const Expr last = m_analyzer.simplify(split.extent - 1);
    Expr lower = zero, upper = last;
    if (bound.upper) {
        const Expr limit = m_analyzer.simplify(floorDiv(bound.upper - fused->base, split.scale));
        upper = m_analyzer.simplify(min(limit, last));
    }
    if (bound.lower) {
        const Expr limit =
            m_analyzer.simplify(floorDiv(bound.lower - fused->base + split.scale - 1, split.scale));
        lower = m_analyzer.simplify(max(limit, zero));
    }
    if (m_analyzer.canProveEqual(lower, zero) && m_analyzer.canProveEqual(upper, last))
        return true;
    const Expr extent = m_analyzer.simplify(upper - lower + 1);
    const IterMark &source = *split.source;
    const bool isWhole =
        isConstInt(split.lowerFactor, 1) && m_analyzer.canProveEqual(split.extent, source.extent);
    const Expr one = intImm(1, extent.dtype());
    IterMark mark{{}, {}, IterSum{{split}, zero}, extent};
    mark.sum.args.front().scale = one;
    if (!source.var && isWhole)
        mark.sum = source.sum;
    mark.sum.base = m_analyzer.simplify(mark.sum.base - lower);
    for (IterSplit &part : sum.args)
        part.scale = m_analyzer.simplify(floorDiv(part.scale, split.scale));
    m_constrained.push_back({std::move(sum.args), std::make_shared<const IterMark>(mark), lower});
    return true;
}

} // namespace nestwright::arith
