// SPDX-License-Identifier: Apache-2.0
/// Whether the digits of an iterator that are used fit together, and iterators padded to a multiple.
#include "core/arith/iter_map/iter_map_detector.h"

#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <numeric>

namespace nestwright::arith {

using namespace ir;

/// The digits, each used once, from the lowest up: without gaps where the map is to be bijective.
bool IterMapDetector::checkMark(const Use &uses)
{
    const auto refuse = [&](const char *reason) {
        fail(reason);
        return false;
    };
    std::vector<IterSplit> left = uses.splits;
    std::erase_if(left, [](const IterSplit &split) { return isConstInt(split.extent, 1); }); // always 0
    Expr expected = intImm(1, uses.mark->extent.dtype());
    while (!left.empty()) {
        auto next = std::ranges::find_if(left, [&](const IterSplit &split) {
            return m_analyzer.canProveEqual(split.lowerFactor, expected);
        });
        if (next == left.end() && m_level != IterMapLevel::Bijective
            && std::ranges::all_of(
                left, [&](const IterSplit &split) { return divides(split.lowerFactor, expected); })) {
            // Digits may be left out; the lowest of the others is next.
            next = left.begin();
            for (auto other = left.begin(); other != left.end(); ++other) {
                if (divides(next->lowerFactor, other->lowerFactor))
                    next = other;
            }
        }
        if (next == left.end())
            return refuse("an iterator is used twice or only in part");
        expected = next->lowerFactor * next->extent;
        left.erase(next);
    }
    const Expr &extent = uses.mark->extent;
    const auto padding = std::ranges::find(m_paddings, uses.mark, &Padding::padded);
    const bool isWhole = m_analyzer.canProveEqual(expected, extent);
    const bool isPart = isWhole || divides(extent, expected);
    if (m_level == IterMapLevel::Bijective)
        return isWhole || refuse("an iterator is used only in part");
    if (padding == m_paddings.end())
        return isPart || refuse("an iterator is used only in part");
    if (m_level == IterMapLevel::NoCheck)
        return true;
    const Expr before = padding->mark->extent;
    if (!isPart)
        return refuse("an iterator is used only in part");
    if (!isWhole)
        return m_analyzer.canProve(ge(before, expected)) || refuse("an iterator ends before its digits do");
    if (uses.splits.size() != 1)
        return refuse("an iterator that a divisor does not divide is used in several ways");
    // All values of the digits occur: the last one begins before the iterator ends.
    const IterSplit &digits = uses.splits.front();
    const Expr one = intImm(1, before.dtype());
    return m_analyzer.canProveEqual(padding->factor, digits.lowerFactor)
           || m_analyzer.canProve(gt(before, digits.lowerFactor * (digits.extent - one)))
           || refuse("an iterator ends before its digits do");
}

namespace {

void variablesBelow(const IterMark &mark, VarSet &vars)
{
    if (mark.var)
        vars.insert(mark.var);
    for (const IterSplit &split : mark.sum.args)
        variablesBelow(*split.source, vars);
}

} // namespace

/// A sum that the predicate bounds is used as one, or its variables not at all: else claims about their
/// values would not hold.
bool IterMapDetector::constraintsCount(const std::vector<Use> &uses)
{
    VarSet used;
    for (const Use &entry : uses)
        variablesBelow(*entry.mark, used);
    for (const std::size_t index : m_constrained) {
        const IterMarkPtr &mark = m_fused[index].mark;
        VarSet tied;
        variablesBelow(*mark, tied);
        if (std::ranges::find(uses, mark, &Use::mark) != uses.end()
            || std::ranges::none_of(tied, [&](const Var &var) { return used.contains(var); }))
            continue;
        fail("the predicate ties together loop variables that the bindings use apart");
        return false;
    }
    return true;
}

namespace {

/// A common multiple; the least one where both are constants.
Expr commonMultiple(const Expr &a, const Expr &b, Analyzer &analyzer)
{
    struct Parts {
        Expr symbol;
        std::int64_t factor = 1;
    };
    const auto partsOf = [](const Expr &e) {
        if (const std::int64_t *value = asInt(e))
            return Parts{intImm(1, e.dtype()), *value};
        const auto *product = e.as<Binary>();
        const std::int64_t *factor = product && product->op == BinaryOp::Mul ? asInt(product->b) : nullptr;
        return factor ? Parts{product->a, *factor} : Parts{e, 1};
    };
    const Parts x = partsOf(a), y = partsOf(b);
    const Expr factor = intImm(std::lcm(x.factor, y.factor), b.dtype());
    const auto isMultiple = [&](const Expr &of, const Expr &by) {
        return analyzer.canProveEqual(floorMod(of, by), intImm(0, of.dtype()));
    };
    if (analyzer.canProveEqual(x.symbol, y.symbol) || isMultiple(x.symbol, y.symbol))
        return x.symbol * factor;
    return isMultiple(y.symbol, x.symbol) ? y.symbol * factor : x.symbol * y.symbol * factor;
}

} // namespace

/// `split` + `base` taken to begin and end at multiples of `divisor`.
std::optional<IterMapDetector::Padded> IterMapDetector::pad(const IterSplit &split, const Expr &base,
                                                            const Expr &divisor)
{
    const Expr zero = intImm(0, divisor.dtype());
    const Expr left = m_analyzer.simplify(floorMod(base, divisor));
    const Expr end = left + split.extent;
    const Expr right = divides(end, divisor) ? zero : m_analyzer.simplify(floorMod(zero - end, divisor));
    if (m_mayPad)
        return padFirst(split, left, right, divisor);
    constexpr const char *inTwoWays = "an iterator would have to be padded in two ways";
    const auto known = std::ranges::find(m_paddings, split.source, &Padding::mark);
    if (known == m_paddings.end()
        || (isConstInt(known->left, 0) && divides(split.source->extent, known->factor)))
        return isConstInt(left, 0) ? std::optional(Padded{split, left}) : fail(inTwoWays);
    if (!divides(known->factor, split.lowerFactor) || !divides(known->factor, divisor)
        || !divides(known->left, split.lowerFactor))
        return fail(inTwoWays);
    const Expr ownLeft = m_analyzer.simplify(floorDiv(known->left, split.lowerFactor));
    if (!divides(m_analyzer.simplify(base - ownLeft), divisor))
        return fail(inTwoWays);
    if (!known->padded)
        makePadded(*known);
    Padded result{split, ownLeft};
    result.split.source = known->padded;
    result.split.extent = floorDiv(known->padded->extent, split.lowerFactor);
    return result;
}

/// Padding of a split in the first round, which collects the divisors of all splits of its source.
std::optional<IterMapDetector::Padded> IterMapDetector::padFirst(const IterSplit &split, const Expr &left,
                                                                 const Expr &right, const Expr &divisor)
{
    auto known = std::ranges::find(m_paddings, split.source, &Padding::mark);
    if (known == m_paddings.end()) {
        const Expr zero = intImm(0, divisor.dtype());
        m_paddings.push_back({split.source, intImm(1, divisor.dtype()), zero, zero, {}});
        known = m_paddings.end() - 1;
    }
    known->factor = commonMultiple(known->factor, divisor * split.lowerFactor, m_analyzer);
    if (isConstInt(left, 0) && isConstInt(right, 0))
        return Padded{split, left};
    m_needsPadding = true;
    known->left = max(known->left, left * split.lowerFactor);
    Padded result{split, left};
    result.split.extent = m_analyzer.simplify(left + split.extent + right);
    return result;
}

/// The iterator with the padding that all its uses need.
bool IterMapDetector::makePadded(Padding &padding)
{
    const DataType dtype = padding.mark->extent.dtype();
    const Expr zero = intImm(0, dtype), one = intImm(1, dtype);
    const Expr end = padding.mark->extent + padding.left;
    padding.right = divides(end, padding.factor) ? zero : floorMod(zero - end, padding.factor);
    const IterSum source{{{padding.mark, one, padding.mark->extent, one}}, padding.left};
    const IterMark mark{{}, {}, source, m_analyzer.simplify(end + padding.right)};
    padding.padded = std::make_shared<const IterMark>(mark);
    const Expr value = toExpr(source);
    const Expr high = floorDiv(value, padding.factor), low = floorMod(value, padding.factor);
    const Expr before = logicalAnd(ne(padding.left, zero), logicalAnd(eq(high, zero), lt(low, padding.left)));
    const Expr behind =
        logicalAnd(ne(padding.right, zero), logicalAnd(eq(high, floorDiv(end, padding.factor)),
                                                       ge(low, floorMod(end, padding.factor))));
    m_paddingPredicate = logicalOr(m_paddingPredicate, logicalOr(before, behind));
    return true;
}

} // namespace nestwright::arith
