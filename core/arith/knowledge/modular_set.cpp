// SPDX-License-Identifier: Apache-2.0
#include "core/arith/knowledge/modular_set.h"

#include "core/arith/lowest_integer.h"
#include "core/ir/build/builder.h"

#include <numeric>

namespace nestwright::arith {

namespace {

std::int64_t gcdOf(std::int64_t a, std::int64_t b)
{
    return a == lowestInteger || b == lowestInteger ? 1 : std::gcd(a, b);
}

/// False when the result does not fit.
bool multiply(std::int64_t a, std::int64_t b, std::int64_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

} // namespace

ModularSet makeModular(std::int64_t coeff, std::int64_t base)
{
    // It has no opposite, so it is of no use here.
    if (coeff == lowestInteger || (coeff == 0 && base == lowestInteger))
        return ModularSet::anything();
    const std::int64_t positive = coeff < 0 ? -coeff : coeff;
    return {positive, positive == 0 ? base : ir::floorMod(base, positive)};
}

ModularSet intersect(ModularSet a, ModularSet b)
{
    if (a.isConst() || b.coeff == 1)
        return a;
    if (b.isConst() || a.coeff == 1)
        return b;
    // Chinese remainder theorem: walk through a's values until one fits b; the moduli are small in practice.
    const std::int64_t shared = gcdOf(a.coeff, b.coeff);
    std::int64_t least = 0;
    if ((a.base - b.base) % shared != 0 || !multiply(a.coeff / shared, b.coeff, &least)
        || least > (1LL << 40))
        return a.coeff >= b.coeff ? a : b;
    const std::int64_t steps = b.coeff / shared;
    if (steps > 4096)
        return a.coeff >= b.coeff ? a : b;
    std::int64_t value = a.base;
    for (std::int64_t i = 0; i < steps && value % b.coeff != b.base; ++i)
        value += a.coeff;
    return makeModular(least, value);
}

ModularSet hull(ModularSet a, ModularSet b)
{
    const std::int64_t coeff = gcdOf(a.coeff, b.coeff);
    if (coeff == 0)
        return a.base == b.base ? a : ModularSet::anything();
    const std::int64_t first = ir::floorMod(a.base, coeff), second = ir::floorMod(b.base, coeff);
    return makeModular(first == second ? coeff : gcdOf(gcdOf(first, second), coeff), first);
}

ModularSet operator+(ModularSet a, ModularSet b)
{
    std::int64_t base = 0;
    if (__builtin_add_overflow(a.base, b.base, &base))
        return ModularSet::anything();
    return makeModular(gcdOf(a.coeff, b.coeff), base);
}

ModularSet operator-(ModularSet a, ModularSet b)
{
    std::int64_t base = 0;
    if (__builtin_sub_overflow(a.base, b.base, &base))
        return ModularSet::anything();
    return makeModular(gcdOf(a.coeff, b.coeff), base);
}

ModularSet operator*(ModularSet a, ModularSet b)
{
    // (p n + r)(q m + s) = pq nm + ps n + rq m + rs
    std::int64_t pq = 0, ps = 0, rq = 0, rs = 0;
    if (!multiply(a.coeff, b.coeff, &pq) || !multiply(a.coeff, b.base, &ps) || !multiply(a.base, b.coeff, &rq)
        || !multiply(a.base, b.base, &rs))
        return ModularSet::anything();
    return makeModular(gcdOf(pq, gcdOf(ps, rq)), rs);
}

ModularSet divModular(ModularSet a, ModularSet b, bool roundsDown)
{
    if (!b.isConst() || b.base == 0 || b.base == lowestInteger || a.coeff % b.base != 0)
        return ModularSet::anything();
    if (a.base == 0)
        return makeModular(a.coeff / b.base, 0);
    if (a.base > 0 && b.base > 0 && roundsDown)
        return makeModular(a.coeff / b.base, a.base / b.base);
    return ModularSet::anything();
}

ModularSet restModular(ModularSet a, ModularSet b, bool roundsDown)
{
    if (!b.isConst() || b.base == 0 || b.base == lowestInteger)
        return ModularSet::anything();
    const std::int64_t coeff = gcdOf(a.coeff, b.base);
    return a.base % coeff == 0 || (a.base > 0 && roundsDown) ? makeModular(coeff, a.base % coeff)
                                                             : ModularSet::anything();
}

} // namespace nestwright::arith
