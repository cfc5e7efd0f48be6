// SPDX-License-Identifier: Apache-2.0
/// Digits divided, and inequalities of sums of digits.
#include "core/arith/simplify/canonical.h"

#include "core/arith/simplify/prover.h"
#include "core/ir/build/builder.h"

#include <cstdlib>
#include <numeric>

namespace nestwright::arith {

using namespace ir;

namespace {

Expr remainderOf(const Expr &e, std::int64_t divisor, Rounding rounding)
{
    return ir::binary(rounding == Rounding::Down ? BinaryOp::FloorMod : BinaryOp::Mod, e,
                      intImm(divisor, e.dtype()));
}

/// Whether no remainder of a division by `upper` reaches `limit`, which may be negative like the divisor. A
/// floored remainder has the sign of its divisor, so both must have the same.
bool isShorter(std::int64_t upper, std::int64_t limit, Rounding rounding)
{
    const auto magnitude = [](std::int64_t value) {
        return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    };
    return magnitude(upper) <= magnitude(limit) && (rounding == Rounding::Zero || (upper > 0) == (limit > 0));
}

} // namespace

/// `split` for a division that rounds as is asked; as an index of its own where its digits are taken
/// otherwise.
DigitSplit CanonicalSimplifier::withRounding(DigitSplit split, Rounding rounding)
{
    if (!split.rounds(rounding)) {
        DigitSplit whole;
        whole.index = toExpr(split);
        split = whole;
    }
    split.rounding = rounding;
    return split;
}

DigitSplit CanonicalSimplifier::divideSplit(DigitSplit split, std::int64_t divisor, Rounding rounding)
{
    split = withRounding(std::move(split), rounding);
    if (split.scale % divisor == 0) {
        split.scale /= divisor;
        return split;
    }
    const std::int64_t left = divisor % split.scale == 0 ? divisor / split.scale : 0;
    std::int64_t lower = 0;
    // Dividing by a negative number does not go together with another division.
    if ((left > 0 || (left < 0 && split.lower == 1)) && !__builtin_mul_overflow(split.lower, left, &lower)) {
        if (split.upper != DigitSplit::unlimited && split.upper % lower != 0) {
            if (isShorter(split.upper, lower, rounding))
                return toSplit(intImm(0, split.index.dtype()));
            split.index = remainderOf(split.index, split.upper, rounding);
            split.upper = DigitSplit::unlimited;
        }
        split.scale = 1;
        split.lower = lower;
        return split;
    }
    DigitSplit whole;
    whole.index = toExpr(split);
    whole.lower = divisor;
    whole.rounding = rounding;
    return whole;
}

DigitSplit CanonicalSimplifier::remainderOfSplit(DigitSplit split, std::int64_t divisor, Rounding rounding)
{
    split = withRounding(std::move(split), rounding);
    if (split.scale % divisor == 0) {
        split.scale = 0;
        return split;
    }
    const std::int64_t left = divisor % split.scale == 0 ? divisor / split.scale : 0;
    std::int64_t upper = 0;
    if ((left > 0 || (left < 0 && split.lower == 1)) && !__builtin_mul_overflow(split.lower, left, &upper)) {
        if (split.upper == DigitSplit::unlimited || split.upper == upper) {
            split.upper = upper;
            return split;
        }
        if (split.upper % upper == 0) {
            // A smaller remainder of the index may simplify further.
            DigitSplit updated = toSplit(expr(remainderOf(split.index, upper, rounding)));
            if (split.lower != 1)
                updated = divideSplit(updated, split.lower, rounding);
            m_overflow |= __builtin_mul_overflow(updated.scale, split.scale, &updated.scale);
            return updated;
        }
        if (upper % split.upper == 0 && isShorter(split.upper, upper, rounding))
            return split;
    }
    DigitSplit whole;
    whole.index = toExpr(split);
    whole.upper = divisor;
    whole.rounding = rounding;
    return whole;
}

/// a < b as a sum below 0, divided by the common factor of the scales; null where there is none.
Expr CanonicalSimplifier::lessThanZero(const Binary &node)
{
    const Form form = formOf(node.a - node.b);
    const auto *sum = std::get_if<CanonicalSum>(&form);
    if (!sum || sum->overflow)
        return {};
    std::int64_t divisor = std::abs(sum->base);
    bool isScaled = false;
    for (const DigitSplit &split : sum->args) {
        if (split.scale > 1 || split.scale < -1) {
            isScaled = true;
            divisor = std::gcd(divisor, split.scale);
        }
    }
    if (!isScaled || divisor <= 1)
        return {};
    auto [multiple, extra] = separate(*sum, divisor);
    const Expr value = toExpr(extra);
    const Expr zero = intImm(0, sum->dtype), limit = intImm(divisor, sum->dtype);
    multiple.divideBy(divisor);
    // d D + e < 0 with 0 <= e < d is D < 0.
    if (isProvable(m_knowledge, lt(value, limit)) && isProvable(m_knowledge, ge(value, zero)))
        return rewrite(lt(toExpr(multiple), zero));
    // With e = y % m and d a divisor of m it is D + y % m // d < 0.
    if (extra.args.size() != 1 || extra.base != 0)
        return {};
    const DigitSplit &digit = extra.args.front();
    std::int64_t lower = 0;
    if (digit.scale != 1 || digit.upper == DigitSplit::unlimited || digit.rounding != Rounding::Down
        || __builtin_mul_overflow(divisor, digit.lower, &lower) || digit.upper % lower != 0)
        return {};
    const Expr high =
        floorDiv(floorMod(digit.index, intImm(digit.upper, sum->dtype)), intImm(lower, sum->dtype));
    return rewrite(lt(toExpr(multiple) + high, zero));
}

} // namespace nestwright::arith
