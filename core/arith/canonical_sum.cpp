// SPDX-License-Identifier: Apache-2.0
#include "core/arith/canonical_sum.h"

#include "core/arith/same_expr.h"

#include <algorithm>

namespace nestwright::arith {

namespace {

/// -2^63 has no opposite; it counts as too large, so that scales and bases can be negated and divided freely.
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

} // namespace

void CanonicalSum::add(Split split, std::int64_t factor)
{
    overflow |= __builtin_mul_overflow(split.scale, factor, &split.scale) || split.scale == lowest;
    if (split.scale == 0 || overflow)
        return;
    const auto sameIndex = [&](const Split &other) { return sameExpr(other.index, split.index); };
    auto position = std::find_if(args.begin(), args.end(), sameIndex);
    for (; position != args.end() && sameIndex(*position); ++position) {
        if (position->lower == split.lower && position->upper == split.upper) {
            overflow |= __builtin_add_overflow(position->scale, split.scale, &position->scale)
                        || position->scale == lowest;
            if (position->scale == 0)
                args.erase(position);
            return;
        }
        if (position->lower < split.lower)
            break;
    }
    args.insert(position, std::move(split));
}

void CanonicalSum::add(const CanonicalSum &other, std::int64_t factor)
{
    overflow |= other.overflow;
    for (const Split &split : other.args)
        add(split, factor);
    addBase(other.base, factor);
}

void CanonicalSum::addBase(std::int64_t value, std::int64_t factor)
{
    std::int64_t product = 0;
    overflow |= __builtin_mul_overflow(value, factor, &product);
    overflow |= __builtin_add_overflow(base, product, &base) || base == lowest;
}

void CanonicalSum::scaleBy(std::int64_t factor)
{
    if (factor == 0) {
        args.clear();
        base = 0;
        return;
    }
    for (Split &split : args)
        overflow |= __builtin_mul_overflow(split.scale, factor, &split.scale) || split.scale == lowest;
    overflow |= __builtin_mul_overflow(base, factor, &base) || base == lowest;
}

void CanonicalSum::divideBy(std::int64_t divisor)
{
    for (Split &split : args)
        split.scale /= divisor;
    base /= divisor;
}

namespace {

/// Puts two digits of one index into `low`, when they are one; `high` is the one with the greater lower
/// factor.
bool join(const Split &high, Split &low)
{
    std::int64_t product = 0;
    // (x // b) * (s * b / a) + ((x % b) // a) * s = (x // a) * s
    if (high.lower == low.upper && high.scale % low.scale == 0
        && !__builtin_mul_overflow(high.scale / low.scale, low.lower, &product) && product == high.lower) {
        low.upper = high.upper;
        return true;
    }
    // (x // a) * s - (x // b) * (s * b / a) = ((x % b) // a) * s
    if (high.upper == low.upper && high.lower > low.lower && high.lower % low.lower == 0
        && !__builtin_mul_overflow(low.scale, high.lower / low.lower, &product) && high.scale == -product) {
        low.upper = high.lower;
        return true;
    }
    return false;
}

} // namespace

void CanonicalSum::combine()
{
    for (std::size_t high = 0; high + 1 < args.size();) {
        bool joined = false;
        for (std::size_t low = high + 1; low < args.size() && !joined; ++low) {
            if (!sameExpr(args[high].index, args[low].index))
                break;
            joined = args[high].scale != 0 && join(args[high], args[low]);
        }
        if (joined) {
            args.erase(args.begin() + static_cast<std::ptrdiff_t>(high));
            high = high > 0 ? high - 1 : 0; // the joined digit may join the one before
        } else {
            ++high;
        }
    }
    std::ranges::stable_sort(args, [](const Split &a, const Split &b) {
        return std::tuple(a.scale, a.lower, a.upper) > std::tuple(b.scale, b.lower, b.upper);
    });
}

Separated separate(const CanonicalSum &sum, std::int64_t divisor)
{
    Separated result;
    result.divisible.overflow = sum.overflow;
    for (const Split &split : sum.args)
        (split.scale % divisor == 0 ? result.divisible : result.rest).args.push_back(split);
    (sum.base % divisor == 0 ? result.divisible : result.rest).base = sum.base;
    return result;
}

} // namespace nestwright::arith
