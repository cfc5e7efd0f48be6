// SPDX-License-Identifier: Apache-2.0
#include "core/arith/iter_map/iter_map_detector.h"

#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/fold.h"

#include <algorithm>

namespace nestwright::arith {

using namespace ir;

namespace {

Expr zeroLike(const Expr &e) { return intImm(0, e.dtype()); }

} // namespace

bool sameDigits(const IterSplit &a, const IterSplit &b)
{
    return a.source == b.source && sameExpr(a.lowerFactor, b.lowerFactor) && sameExpr(a.extent, b.extent);
}

void addTo(IterSum &sum, const IterSum &other, int sign)
{
    for (IterSplit split : other.args) {
        const auto same = std::ranges::find_if(
            sum.args, [&](const IterSplit &candidate) { return sameDigits(candidate, split); });
        if (same == sum.args.end()) {
            if (sign < 0)
                split.scale = zeroLike(split.scale) - split.scale;
            sum.args.push_back(std::move(split));
            continue;
        }
        same->scale = sign < 0 ? same->scale - split.scale : same->scale + split.scale;
        if (isConstInt(same->scale, 0))
            sum.args.erase(same);
    }
    sum.base = sign < 0 ? sum.base - other.base : sum.base + other.base;
}

IterMapDetector::IterMapDetector(const Domains &domains, IterMapLevel level, Analyzer &analyzer,
                                 bool simplifyTrivial)
    : m_analyzer(analyzer)
    , m_level(level)
    , m_paddingPredicate(boolImm(false))
{
    for (const VarRange &domain : domains) {
        const DataType dtype = domain.var->dtype;
        const Expr min = cast(dtype, domain.range.min), extent = cast(dtype, domain.range.extent);
        const Expr one = intImm(1, dtype);
        if (simplifyTrivial && isConstInt(extent, 1)) {
            m_iters[domain.var] = IterSum{{}, min};
            continue;
        }
        const auto mark = std::make_shared<const IterMark>(IterMark{domain.var, min, {}, extent});
        m_iters[domain.var] = IterSum{{IterSplit{mark, one, extent, one}}, min};
        m_inputs.push_back(mark);
    }
    for (const VarRange &domain : domains) {
        if (usesIterator(domain.range.min) || usesIterator(domain.range.extent))
            fail("the range of the loop variable '" + domain.var.name() + "' depends on another one");
    }
}

std::nullopt_t IterMapDetector::fail(std::string reason)
{
    if (m_reason.empty())
        m_reason = std::move(reason);
    return std::nullopt;
}

bool IterMapDetector::divides(const Expr &a, const Expr &divisor) const
{
    const std::int64_t *value = asInt(a), *number = asInt(divisor);
    if (number && *number == 0)
        return false;
    if (value && number)
        return *value % *number == 0;
    return m_analyzer.canProveEqual(a, divisor) || m_analyzer.canProve(eq(floorMod(a, divisor), zeroLike(a)));
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

IterMapDetector::Value IterMapDetector::rewrite(const Expr &e)
{
    if (e.as<VarNode>()) {
        const auto found = m_iters.find(Var::from(e));
        return found == m_iters.end() ? Value(e) : Value(found->second);
    }
    const auto *node = e.as<Binary>();
    if (node && node->dtype.isIndex()
        && (node->op <= BinaryOp::Mul || node->op == BinaryOp::FloorDiv || node->op == BinaryOp::FloorMod))
        return rewriteBinary(*node, e);
    // Index arithmetic does not overflow, so a widening cast may go to the terms.
    const auto *widening = e.as<Cast>();
    if (widening && widening->dtype.isIndex() && widening->value.dtype().isIndex()
        && widening->dtype.bits > widening->value.dtype().bits) {
        Value value = rewrite(widening->value);
        auto *sum = std::get_if<IterSum>(&value);
        if (!sum)
            return e;
        for (IterSplit &split : sum->args)
            split.scale = cast(e.dtype(), split.scale);
        sum->base = cast(e.dtype(), sum->base);
        return value;
    }
    if (usesIterator(e))
        fail("it is no sum, product with a number, quotient or remainder of loop variables");
    return e;
}

IterMapDetector::Value IterMapDetector::rewriteBinary(const Binary &node, const Expr &original)
{
    Value a = rewrite(node.a), b = rewrite(node.b);
    const auto *exprA = std::get_if<Expr>(&a), *exprB = std::get_if<Expr>(&b);
    if (exprA && exprB) {
        // The image of a loop of one iteration may be a number now.
        const Expr now = binary(node.op, *exprA, *exprB);
        const auto *kept = now.as<Binary>();
        const bool isSame = kept && kept->op == node.op && kept->a.same(node.a) && kept->b.same(node.b);
        return isSame ? original : now;
    }
    if (node.op == BinaryOp::FloorDiv || node.op == BinaryOp::FloorMod)
        return quotient(node, original, std::move(a), b);
    if (node.op == BinaryOp::Mul) {
        if (!exprA && !exprB) {
            fail("it multiplies loop variables with each other");
            return original;
        }
        Expr factor = exprA ? *exprA : *exprB;
        if (isConstInt(factor, 0))
            return factor;
        IterSum sum = std::get<IterSum>(exprA ? b : a);
        for (IterSplit &split : sum.args)
            split.scale = split.scale * factor;
        sum.base = sum.base * factor;
        return sum;
    }
    const auto asSum = [](const Value &value) {
        const auto *e = std::get_if<Expr>(&value);
        return e ? IterSum{{}, *e} : std::get<IterSum>(value);
    };
    IterSum sum = asSum(a);
    addTo(sum, asSum(b), node.op == BinaryOp::Add ? 1 : -1);
    return sum;
}

IterMapDetector::Value IterMapDetector::quotient(const Binary &node, const Expr &original, Value a,
                                                 const Value &b)
{
    const auto *divisor = std::get_if<Expr>(&b);
    if (!divisor) {
        fail("it divides by a loop variable");
        return original;
    }
    const bool isRemainder = node.op == BinaryOp::FloorMod;
    const auto *constant = std::get_if<Expr>(&a);
    if (constant)
        return original;
    if (isConstInt(*divisor, 1))
        return isRemainder ? Value(zeroLike(*divisor)) : a;
    const IterSum &sum = std::get<IterSum>(a);
    if (sum.args.empty())
        return IterSum{{}, binary(node.op, sum.base, *divisor)};
    const auto whole = dividend(sum);
    if (!whole)
        return original;
    if (isRemainder) {
        auto result = remainder(whole->args.front(), whole->base, *divisor);
        return result ? std::move(*result) : Value(original);
    }
    auto result = divide(whole->args.front(), whole->base, *divisor);
    return result ? Value(std::move(*result)) : Value(original);
}

/// The sum as one split.
std::optional<IterSum> IterMapDetector::dividend(const IterSum &sum)
{
    if (sum.args.size() == 1)
        return sum;
    auto fused = fuse(sum, false);
    if (!fused)
        return fail("its iterators leave gaps or overlap where their sum is divided");
    return fused->sum;
}

bool IterMapDetector::isTopmost(const IterSplit &split) const
{
    return m_analyzer.canProve(ge(split.lowerFactor * split.extent, split.source->extent));
}

IterSplit IterMapDetector::withoutCut(const IterSplit &split, const Expr &base, const Expr &divisor)
{
    if (isTopmost(split) || (divides(split.extent, divisor) && divides(base, divisor)))
        return split;
    const Expr one = intImm(1, split.extent.dtype());
    auto part = std::ranges::find_if(
        m_parts, [&](const IterMarkPtr &mark) { return sameDigits(mark->sum.args.front(), split); });
    if (part == m_parts.end()) {
        IterSplit digits = split;
        digits.scale = one;
        m_parts.push_back(std::make_shared<const IterMark>(
            IterMark{{}, {}, IterSum{{digits}, zeroLike(split.extent)}, split.extent}));
        part = m_parts.end() - 1;
    }
    return {*part, one, split.extent, split.scale};
}

std::optional<IterSum> IterMapDetector::divide(IterSplit split, Expr base, Expr divisor)
{
    if (!isConstInt(split.scale, 1)) {
        if (divides(split.scale, divisor) && divides(base, divisor)) {
            split.scale = floorDiv(split.scale, divisor);
            return IterSum{{split}, floorDiv(base, divisor)};
        }
        if (!divides(divisor, split.scale) || !divides(base, split.scale))
            return fail("its divisor and the scale of an iterator have no common measure");
        base = floorDiv(base, split.scale);
        divisor = floorDiv(divisor, split.scale);
        split.scale = intImm(1, divisor.dtype());
    }
    const auto padded = pad(withoutCut(split, base, divisor), base, divisor);
    if (!padded)
        return std::nullopt;
    const IterSplit &digits = padded->split;
    const auto quotientOf = [&](bool roundsUp) {
        const std::int64_t *count = asInt(digits.extent), *by = asInt(divisor);
        if (roundsUp && count && by && *by > 0)
            return intImm(ceilDiv(*count, *by), divisor.dtype());
        const Expr last = roundsUp ? digits.extent + divisor - intImm(1, divisor.dtype()) : digits.extent;
        return m_analyzer.simplify(floorDiv(last, divisor));
    };
    IterSplit result = digits;
    if (divides(digits.extent, divisor)) {
        result.lowerFactor = digits.lowerFactor * divisor;
        result.extent = quotientOf(false);
    } else if (isConstInt(digits.lowerFactor, 1)
               && m_analyzer.canProveEqual(digits.extent, digits.source->extent)) {
        result.lowerFactor = divisor;
        result.extent = quotientOf(true);
    } else {
        // The remainder of the source is an iterator of its own, which the divisor does not divide.
        const IterMark mark{{}, {}, IterSum{{digits}, zeroLike(divisor)}, digits.extent};
        result = {std::make_shared<const IterMark>(mark), divisor, quotientOf(true),
                  intImm(1, divisor.dtype())};
    }
    return IterSum{{result}, m_analyzer.simplify(floorDiv(base - padded->left, divisor))};
}

std::optional<IterMapDetector::Value> IterMapDetector::remainder(const IterSplit &split, Expr base,
                                                                 Expr divisor)
{
    if (!isConstInt(split.scale, 1)) {
        if (divides(split.scale, divisor) && divides(base, divisor))
            return zeroLike(divisor);
        if (!divides(divisor, split.scale) || !divides(base, split.scale))
            return fail("its divisor and the scale of an iterator have no common measure");
        divisor = floorDiv(divisor, split.scale);
        base = floorDiv(base, split.scale);
    }
    // A whole iterator that is shorter is padded all the same: its quotient may be used beside it.
    const bool isBelow = isConstInt(base, 0) && m_analyzer.canProve(ge(divisor, split.extent));
    if (isBelow && !isTopmost(split))
        return IterSum{{split}, zeroLike(divisor)};
    auto padded = pad(withoutCut(split, base, divisor), base, divisor);
    if (!padded)
        return std::nullopt;
    padded->split.extent = divisor;
    return IterSum{{padded->split}, zeroLike(divisor)};
}

std::optional<IterSum> IterMapDetector::detect(const Expr &e, bool mayPad)
{
    m_mayPad = mayPad;
    const Value value = rewrite(e);
    m_mayPad = false;
    if (failed())
        return std::nullopt;
    const auto *sum = std::get_if<IterSum>(&value);
    if (!sum)
        return IterSum{{}, std::get<Expr>(value)};
    if (sum->args.empty())
        return *sum;
    auto fused = fuse(*sum, false);
    if (!fused)
        return fail("its iterators leave gaps or overlap");
    return fused->sum;
}

void IterMapDetector::use(std::vector<Use> &uses, const IterSum &sum) const
{
    for (const IterSplit &split : sum.args) {
        auto known = std::ranges::find(uses, split.source, &Use::mark);
        if (known != uses.end()) {
            known->splits.push_back(split);
            continue;
        }
        uses.push_back({split.source, {split}});
        use(uses, split.source->sum);
    }
}

bool IterMapDetector::check(const std::vector<IterSum> &sums)
{
    std::vector<Use> uses;
    for (const IterSum &sum : sums)
        use(uses, sum);
    if (!std::ranges::all_of(uses, [&](const Use &entry) { return checkMark(entry); }))
        return false;
    if (m_level == IterMapLevel::NoCheck)
        return true;
    if (!constraintsCount(uses))
        return false;
    if (m_level != IterMapLevel::Bijective)
        return true;
    for (const IterMarkPtr &input : m_inputs) {
        if (std::ranges::find(uses, input, &Use::mark) == uses.end() && !isConstInt(input->extent, 1)) {
            fail("the loop variable '" + input->var.name() + "' is not used");
            return false;
        }
    }
    return true;
}

} // namespace nestwright::arith
