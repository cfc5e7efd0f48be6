// SPDX-License-Identifier: Apache-2.0
#include "core/arith/simplify/canonical_sum.h"

#include "core/arith/lowest_integer.h"
#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <tuple>

namespace nestwright::arith {

void CanonicalSum::add(DigitSplit split, std::int64_t factor)
{
    if (split.scale == 0)
        return;
    overflow |= __builtin_mul_overflow(split.scale, factor, &split.scale) || split.scale == lowestInteger;
    const auto sameIndex = [&](const DigitSplit &other) { return sameExpr(other.index, split.index); };
    auto position = std::ranges::find_if(args, sameIndex);
    for (; position != args.end(); ++position) {
        if (!sameIndex(*position) || split.lower > position->lower)
            break;
        if (split.lower == position->lower && split.upper == position->upper
            && split.rounds(position->rounding)) {
            overflow |= __builtin_add_overflow(position->scale, split.scale, &position->scale)
                        || position->scale == lowestInteger;
            return;
        }
    }
    args.insert(position, std::move(split));
}

void CanonicalSum::add(const CanonicalSum &other, std::int64_t factor)
{
    overflow |= other.overflow;
    for (const DigitSplit &split : other.args)
        add(split, factor);
    addBase(other.base, factor);
}

void CanonicalSum::addBase(std::int64_t value, std::int64_t factor)
{
    std::int64_t product = 0;
    overflow |= __builtin_mul_overflow(value, factor, &product);
    overflow |= __builtin_add_overflow(base, product, &base) || base == lowestInteger;
}

void CanonicalSum::scaleBy(std::int64_t factor)
{
    for (DigitSplit &split : args)
        overflow |= __builtin_mul_overflow(split.scale, factor, &split.scale) || split.scale == lowestInteger;
    overflow |= __builtin_mul_overflow(base, factor, &base) || base == lowestInteger;
}

void CanonicalSum::divideBy(std::int64_t divisor)
{
    for (DigitSplit &split : args)
        split.scale /= divisor;
    base /= divisor;
}

Separated separate(const CanonicalSum &sum, std::int64_t divisor)
{
    Separated result;
    result.divisible.overflow = result.indivisible.overflow = sum.overflow;
    result.divisible.dtype = result.indivisible.dtype = sum.dtype;
    for (const DigitSplit &split : sum.args)
        (split.scale % divisor == 0 ? result.divisible : result.indivisible).args.push_back(split);
    (sum.base % divisor == 0 ? result.divisible : result.indivisible).base = sum.base;
    return result;
}

namespace {

/// Joins `high` with `low` where they are one digit, or two digits next to each other; `high` is then 0.
bool join(DigitSplit &high, DigitSplit &low)
{
    if (!high.rounds(low.rounding))
        return false;
    std::int64_t sum = 0;
    if (high.upper == low.upper && high.lower == low.lower
        && !__builtin_add_overflow(low.scale, high.scale, &sum)) {
        low.scale = sum;
        high.scale = 0;
        return true;
    }
    // (x // (c s)) * s t + ((x // c) % s) * t = (x // c) * t
    std::int64_t product = 0;
    if (high.lower != low.upper || low.scale == 0 || high.scale % low.scale != 0
        || __builtin_mul_overflow(high.scale / low.scale, low.lower, &product) || product != high.lower)
        return false;
    low.upper = high.upper;
    high.scale = 0;
    return true;
}

void joinDigits(std::vector<DigitSplit> &args)
{
    for (std::size_t high = 0; high < args.size(); ++high) {
        for (std::size_t low = high + 1; low < args.size() && args[high].scale != 0; ++low) {
            if (args[high].upper < args[low].lower || !sameExpr(args[high].index, args[low].index))
                break;
            join(args[high], args[low]);
        }
    }
    std::ranges::stable_sort(args, [](const DigitSplit &a, const DigitSplit &b) {
        return std::tuple(a.scale, a.lower, a.upper, a.rounding)
               > std::tuple(b.scale, b.lower, b.upper, b.rounding);
    });
}

} // namespace

ir::Expr toExpr(const DigitSplit &split, std::int64_t factor)
{
    const ir::DataType dtype = split.index.dtype();
    const auto constant = [&](std::int64_t value) { return ir::intImm(value, dtype); };
    const bool down = split.rounding == Rounding::Down;
    if (split.scale == 0)
        return constant(0);
    ir::Expr result = split.index;
    if (split.upper != DigitSplit::unlimited)
        result = ir::binary(down ? ir::BinaryOp::FloorMod : ir::BinaryOp::Mod, result, constant(split.upper));
    if (split.lower != 1)
        result = ir::binary(down ? ir::BinaryOp::FloorDiv : ir::BinaryOp::Div, result, constant(split.lower));
    const std::int64_t scale = split.scale * factor;
    return scale == 1 ? result : result * constant(scale);
}

ir::Expr toExpr(CanonicalSum sum)
{
    const auto constant = [&](std::int64_t value) { return ir::intImm(value, sum.dtype); };
    joinDigits(sum.args);
    ir::Expr result = constant(0);
    for (const DigitSplit &split : sum.args) {
        if (split.scale > 0 || split.scale == lowestInteger)
            result = result + toExpr(split);
    }
    // Nor has the least value of the type.
    const bool isAdded =
        sum.base > 0 || sum.base == lowestInteger || !ir::isConstInt(constant(-sum.base), -sum.base);
    if (isAdded)
        result = result + constant(sum.base);
    for (const DigitSplit &split : sum.args) {
        if (split.scale < 0 && split.scale != lowestInteger)
            result = result - toExpr(split, -1);
    }
    return isAdded || sum.base == 0 ? result : result - constant(-sum.base);
}

} // namespace nestwright::arith
