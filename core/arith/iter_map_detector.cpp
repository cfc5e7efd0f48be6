// SPDX-License-Identifier: Apache-2.0
#include "core/arith/iter_map_detector.h"

#include "core/arith/same_expr.h"
#include "core/ir/builder.h"
#include "core/ir/walk.h"

#include <algorithm>

namespace nestwright::arith {

using namespace ir;

bool sameDigits(const IterSplit &a, const IterSplit &b, Analyzer &analyzer)
{
    return a.source == b.source && analyzer.canProveEqual(a.lowerFactor, b.lowerFactor)
           && analyzer.canProveEqual(a.extent, b.extent);
}

IterMapDetector::IterMapDetector(const Domains &domains, IterMapLevel level, Analyzer &analyzer,
                                 bool simplifyTrivial)
    : m_analyzer(analyzer)
    , m_level(level)
{
    for (const VarRange &domain : domains) {
        const DataType dtype = domain.var->dtype;
        const Expr min = analyzer.simplify(cast(dtype, domain.range.min));
        const Expr extent = analyzer.simplify(cast(dtype, domain.range.extent));
        if (usesIterator(min) || usesIterator(extent)) {
            fail("the range of the loop variable '" + domain.var.name() + "' depends on another one");
            return;
        }
        if (simplifyTrivial && isConstInt(extent, 1)) {
            m_iters[domain.var] = IterSum{{}, min};
            continue;
        }
        // Bound as an interval even if it has one value, so that its name stays in what is simplified.
        if (isConstInt(extent, 1))
            analyzer.bind(domain.var, analyzer.constBound(min));
        else
            analyzer.bind(domain.var, Range{min, extent});
        const Expr one = intImm(1, dtype);
        const auto mark = std::make_shared<const IterMark>(IterMark{domain.var, min, {}, extent});
        m_iters[domain.var] = IterSum{{IterSplit{mark, one, extent, one}}, min};
        m_inputs.push_back(domain.var);
    }
}

std::nullopt_t IterMapDetector::fail(std::string reason)
{
    if (m_reason.empty())
        m_reason = std::move(reason);
    return std::nullopt;
}

bool IterMapDetector::divides(const Expr &a, const Expr &divisor)
{
    const std::int64_t *value = asInt(a), *number = asInt(divisor);
    if (value && number)
        return *number != 0 && *value % *number == 0;
    return isConstInt(divisor, 1) || isConstInt(m_analyzer.simplify(floorMod(a, divisor)), 0);
}

bool IterMapDetector::usesIterator(const Expr &e) const
{
    bool found = false;
    forEachExpr(e, [&](const Expr &part) {
        found = found || (part.as<VarNode>() && m_iters.contains(Var::from(part)));
        return !found;
    });
    return found;
}

void IterMapDetector::addTo(IterSum &sum, const IterSum &other, int sign)
{
    for (IterSplit split : other.args) {
        if (sign < 0)
            split.scale = m_analyzer.simplify(-split.scale);
        const auto same = std::ranges::find_if(
            sum.args, [&](const IterSplit &candidate) { return sameDigits(candidate, split, m_analyzer); });
        if (same == sum.args.end()) {
            sum.args.push_back(std::move(split));
            continue;
        }
        same->scale = m_analyzer.simplify(same->scale + split.scale);
        if (isConstInt(same->scale, 0))
            sum.args.erase(same);
    }
    sum.base = m_analyzer.simplify(sign < 0 ? sum.base - other.base : sum.base + other.base);
}

std::optional<IterSum> IterMapDetector::rewrite(const Expr &e)
{
    if (e.as<VarNode>()) {
        const auto found = m_iters.find(Var::from(e));
        return found == m_iters.end() ? IterSum{{}, e} : found->second;
    }
    if (!usesIterator(e))
        return IterSum{{}, e};
    if (const auto *node = e.as<Binary>())
        return rewriteBinary(*node);
    if (const auto *node = e.as<Cast>(); node && node->dtype.isInt() && node->value.dtype().isInt()
                                         && node->dtype.bits >= node->value.dtype().bits) {
        auto sum = rewrite(node->value);
        if (!sum)
            return std::nullopt;
        for (IterSplit &split : sum->args)
            split.scale = cast(node->dtype, split.scale);
        sum->base = cast(node->dtype, sum->base);
        return sum;
    }
    return fail("it is no sum, product with a number, quotient or rest of loop variables");
}

std::optional<IterSum> IterMapDetector::rewriteBinary(const Binary &node)
{
    auto a = rewrite(node.a);
    auto b = a ? rewrite(node.b) : std::nullopt;
    if (!b)
        return std::nullopt;
    switch (node.op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: addTo(*a, *b, node.op == BinaryOp::Add ? 1 : -1); return a;
    case BinaryOp::Mul:
        if (a->args.empty())
            std::swap(a, b);
        if (!b->args.empty())
            return fail("it multiplies loop variables with each other");
        if (isConstInt(b->base, 0))
            return IterSum{{}, b->base};
        for (IterSplit &split : a->args)
            split.scale = m_analyzer.simplify(split.scale * b->base);
        a->base = m_analyzer.simplify(a->base * b->base);
        return a;
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
        if (!b->args.empty())
            return fail("it divides by a loop variable");
        return node.op == BinaryOp::FloorDiv ? divide(*a, b->base) : rest(*a, b->base);
    default: return fail("it uses '" + std::string(spelling(node.op)) + "' on loop variables");
    }
}

Expr IterMapDetector::reduceScale(IterSplit &split, Expr &base, const Expr &divisor)
{
    if (isConstInt(split.scale, 1))
        return divisor;
    if (!divides(divisor, split.scale)) {
        fail("its divisor and the scale of an iterator have no common measure");
        return {};
    }
    const Expr left = m_analyzer.simplify(floorDiv(divisor, split.scale));
    base = m_analyzer.simplify(floorDiv(base, split.scale));
    split.scale = intImm(1, split.scale.dtype());
    return left;
}

/// The sum as one split, for dividing it: a single one stays as it is, without the constraints on it.
std::optional<IterSum> IterMapDetector::dividend(const IterSum &sum)
{
    return sum.args.size() == 1 ? sum : fuse(sum);
}

std::optional<IterSum> IterMapDetector::divide(const IterSum &sum, const Expr &divisor)
{
    if (sum.args.empty())
        return IterSum{{}, m_analyzer.simplify(floorDiv(sum.base, divisor))};
    if (std::ranges::all_of(sum.args,
                            [&](const IterSplit &split) { return divides(split.scale, divisor); })) {
        IterSum result = sum;
        for (IterSplit &split : result.args)
            split.scale = m_analyzer.simplify(floorDiv(split.scale, divisor));
        result.base = m_analyzer.simplify(floorDiv(sum.base, divisor));
        return result;
    }
    auto fused = dividend(sum);
    if (!fused)
        return std::nullopt;
    IterSplit split = fused->args.front();
    Expr base = fused->base;
    const Expr left = reduceScale(split, base, divisor);
    if (!left)
        return std::nullopt;
    if (!divides(base, left))
        return fail("an offset keeps it from being divided evenly");
    base = m_analyzer.simplify(floorDiv(base, left));
    if (m_analyzer.canProve(le(split.extent, left)))
        return IterSum{{}, base};
    const bool isMultiple = divides(split.extent, left);
    if (!isMultiple && m_level != IterMapLevel::NoCheck) {
        IterSum constrained = sum;
        applyConstraints(constrained);
        if (sum.args.size() == 1 && constrained.args.front().source != sum.args.front().source)
            return divide(constrained, divisor);
        return fail("it divides an iterator whose extent is no multiple of the divisor");
    }
    split.lowerFactor = m_analyzer.simplify(split.lowerFactor * left);
    split.extent = m_analyzer.simplify(floorDiv(isMultiple ? split.extent : split.extent + left - 1, left));
    return IterSum{{split}, base};
}

std::optional<IterSum> IterMapDetector::rest(const IterSum &sum, const Expr &divisor)
{
    IterSum remaining{{}, sum.base};
    for (const IterSplit &split : sum.args) {
        if (!divides(split.scale, divisor))
            remaining.args.push_back(split);
    }
    // Leaving the multiples out would take the sum apart that a quotient keeps together.
    if (!remaining.args.empty())
        remaining = sum;
    else
        return IterSum{{}, m_analyzer.simplify(floorMod(sum.base, divisor))};
    auto fused = dividend(remaining);
    if (!fused)
        return std::nullopt;
    IterSplit split = fused->args.front();
    Expr base = fused->base;
    const Expr scale = split.scale;
    const Expr lowDigit = m_analyzer.simplify(floorMod(base, scale));
    const Expr left = reduceScale(split, base, divisor);
    if (!left)
        return std::nullopt;
    if (!divides(base, left)) {
        // (x + base) % n is x + base where that stays below n.
        if (m_analyzer.canProve(logicalAnd(ge(base, 0), le(base + split.extent, left)))) {
            split.scale = scale;
            return IterSum{{split}, m_analyzer.simplify(base * scale + lowDigit)};
        }
        return fail("an offset keeps it from being divided evenly");
    }
    if (!m_analyzer.canProve(le(split.extent, left))) {
        const bool isTop = m_analyzer.canProveEqual(split.lowerFactor * split.extent, split.source->extent);
        if (!divides(split.extent, left) && !(m_level == IterMapLevel::NoCheck && isTop)) {
            IterSum constrained = sum;
            applyConstraints(constrained);
            if (sum.args.size() == 1 && constrained.args.front().source != sum.args.front().source)
                return rest(constrained, divisor);
            return fail("it takes the rest of an iterator whose extent is no multiple of the divisor");
        }
        split.extent = left;
    }
    split.scale = scale;
    return IterSum{{split}, lowDigit};
}

void IterMapDetector::applyConstraints(IterSum &sum)
{
    for (const Constrained &constrained : m_constrained) {
        Expr factor;
        std::vector<std::size_t> found;
        for (const IterSplit &part : constrained.args) {
            for (std::size_t i = 0; i < sum.args.size(); ++i) {
                if (!sameDigits(sum.args[i], part, m_analyzer) || !divides(sum.args[i].scale, part.scale))
                    continue;
                const Expr quotient = m_analyzer.simplify(floorDiv(sum.args[i].scale, part.scale));
                if (factor && !m_analyzer.canProveEqual(factor, quotient))
                    continue;
                factor = quotient;
                found.push_back(i);
                break;
            }
        }
        if (found.size() != constrained.args.size())
            continue;
        std::ranges::sort(found, std::greater{});
        for (const std::size_t i : found)
            sum.args.erase(sum.args.begin() + static_cast<std::ptrdiff_t>(i));
        sum.args.insert(sum.args.begin() + static_cast<std::ptrdiff_t>(found.back()),
                        {constrained.mark, intImm(1, factor.dtype()), constrained.mark->extent, factor});
        sum.base = m_analyzer.simplify(sum.base + factor * constrained.lower);
    }
}

/// A split whose steps are no longer than what is covered so far, so that no gap opens; `end()` when there is
/// none.
std::vector<IterSplit>::iterator IterMapDetector::overlapping(std::vector<IterSplit> &splits,
                                                              const Expr &unit, const Expr &covered)
{
    return std::ranges::find_if(splits, [&](const IterSplit &split) {
        return divides(split.scale, unit)
               && m_analyzer.canProve(logicalAnd(le(1, split.scale), le(split.scale, covered)));
    });
}

std::optional<IterSum> IterMapDetector::fuse(IterSum sum)
{
    joinDigits(sum.args);
    applyConstraints(sum);
    if (sum.args.size() < 2)
        return sum;
    // Chain the splits: each begins where the ones below it end. Splits of one value fit anywhere.
    std::vector<IterSplit> left = sum.args, chain;
    const auto least = std::ranges::min_element(left, {}, [](const IterSplit &split) {
        const std::int64_t *scale = asInt(split.scale);
        return std::pair(scale ? *scale : ConstIntBound::posInf, isConstInt(split.extent, 1) ? 0 : 1);
    });
    const Expr unit = least->scale;
    Expr expected = unit;
    while (!left.empty()) {
        auto next =
            std::ranges::find_if(left, [&](const IterSplit &split) { return isConstInt(split.extent, 1); });
        if (next == left.end()) {
            next = std::ranges::find_if(left, [&](const IterSplit &split) {
                return m_analyzer.canProveEqual(split.scale, expected);
            });
        }
        if (next == left.end() && m_level != IterMapLevel::Bijective)
            next = overlapping(left, unit, expected);
        if (next == left.end())
            return fail("its iterators leave gaps or overlap");
        // [0, expected) moved by 0, scale, …; that is scale * extent where the scale is what was expected
        if (!isConstInt(next->extent, 1))
            expected = m_analyzer.simplify(expected + next->scale * (next->extent - 1));
        chain.push_back(*next);
        left.erase(next);
    }
    // Greatest scale first; what is equal stays in the order of the sum.
    const bool isNumeric =
        std::ranges::all_of(chain, [](const IterSplit &split) { return asInt(split.scale); });
    if (isNumeric)
        chain = sum.args;
    else
        std::ranges::reverse(chain);
    std::ranges::stable_sort(chain, std::ranges::greater{}, [](const IterSplit &split) {
        const std::int64_t *scale = asInt(split.scale);
        return scale ? *scale : ConstIntBound::posInf;
    });
    if (m_analyzer.constBound(unit).min <= 0)
        return fail("an iterator has a scale that is not positive");
    for (IterSplit &split : chain)
        split.scale = m_analyzer.simplify(floorDiv(split.scale, unit));
    const Expr extent = m_analyzer.simplify(floorDiv(expected, unit));
    for (const IterMarkPtr &known : m_fused) {
        const auto equal = [&](const IterSplit &a, const IterSplit &b) {
            return sameDigits(a, b, m_analyzer) && m_analyzer.canProveEqual(a.scale, b.scale);
        };
        if (std::ranges::equal(known->sum.args, chain, equal))
            return IterSum{{{known, intImm(1, unit.dtype()), known->extent, unit}}, sum.base};
    }
    IterMark mark{{}, {}, IterSum{std::move(chain), intImm(0, unit.dtype())}, extent};
    m_fused.push_back(std::make_shared<const IterMark>(std::move(mark)));
    return IterSum{{{m_fused.back(), intImm(1, unit.dtype()), extent, unit}}, sum.base};
}

/// Two digits of one iterator that stand next to each other are one: (x // 4) * 4 + x % 4 = x.
void IterMapDetector::joinDigits(std::vector<IterSplit> &splits)
{
    for (std::size_t high = 0; high < splits.size(); ++high) {
        for (std::size_t low = 0; low < splits.size(); ++low) {
            if (high == low || splits[high].source != splits[low].source)
                continue;
            const IterSplit &upper = splits[high];
            IterSplit &lower = splits[low];
            if (!m_analyzer.canProveEqual(lower.lowerFactor * lower.extent, upper.lowerFactor)
                || !m_analyzer.canProveEqual(lower.scale * lower.extent, upper.scale))
                continue;
            lower.extent = m_analyzer.simplify(lower.extent * upper.extent);
            splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(high));
            return joinDigits(splits);
        }
    }
}

std::optional<IterSum> IterMapDetector::detect(const Expr &e)
{
    // As it is written first: a quotient of a sum of loops stays one, which keeps the bindings of fused loops
    // apart.
    auto result = detectAsWritten(e);
    if (!result) {
        const Expr simplified = m_analyzer.simplify(e);
        if (!sameExpr(simplified, e)) {
            m_reason.clear();
            result = detectAsWritten(simplified);
        }
    }
    return result;
}

std::optional<IterSum> IterMapDetector::detectAsWritten(const Expr &e)
{
    auto sum = rewrite(e);
    if (!sum)
        return std::nullopt;
    auto fused = fuse(std::move(*sum));
    if (fused && !fused->args.empty() && m_analyzer.constBound(fused->args.front().scale).min <= 0)
        return fail("an iterator has a scale that is not positive");
    return fused;
}

} // namespace nestwright::arith
