// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/random.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace nestwright::schedule {

Random::Random(std::int64_t seed) : m_state(seed % modulus)
{
    if (m_state < 0)
        m_state += modulus;
    if (m_state == 0)
        m_state = 1;
}

Random::result_type Random::operator()()
{
    m_state = m_state * 48271 % modulus;
    return static_cast<result_type>(m_state);
}

std::int32_t Random::between(std::int32_t min, std::int32_t max)
{
    if (min + 1 == max)
        return min;
    return std::uniform_int_distribution<std::int32_t>(min, max - 1)(*this);
}

std::size_t Random::weighted(std::span<const double> weights)
{
    return std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(*this);
}

std::vector<std::int32_t> Random::different(std::int32_t end, std::int32_t count)
{
    if (count == 1)
        return {between(0, end)};
    if (count == 2) {
        const std::int32_t first = between(0, end), second = between(0, end - 1);
        return {first, second + (second >= first)};
    }
    std::vector<std::int32_t> order(static_cast<std::size_t>(end));
    std::iota(order.begin(), order.end(), 0);
    for (std::int32_t i = 0; i < count; ++i)
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(between(i, end))]);
    order.resize(static_cast<std::size_t>(count));
    return order;
}

namespace {

struct PrimePower {
    std::int64_t prime;
    std::int32_t power;
};

std::vector<PrimePower> factorized(std::int64_t n)
{
    std::vector<PrimePower> factors;
    for (std::int64_t prime = 2; prime <= n / prime; ++prime) {
        std::int32_t power = 0;
        for (; n % prime == 0; n /= prime)
            ++power;
        if (power > 0)
            factors.push_back({prime, power});
    }
    if (n > 1)
        factors.push_back({n, 1});
    return factors;
}

std::int64_t power(std::int64_t base, std::int32_t exponent)
{
    std::int64_t result = 1;
    for (std::int32_t i = 0; i < exponent; ++i)
        result *= base;
    return result;
}

/// Exponents, one per part, that add up to `sum`: all such with the same probability.
std::vector<std::int32_t> composition(Random &random, std::int32_t sum, std::int32_t parts)
{
    const std::int32_t end = sum + parts - 1;
    std::vector<std::int32_t> bars = random.different(end, parts - 1);
    std::ranges::sort(bars);
    bars.push_back(end);
    std::vector<std::int32_t> exponents;
    std::int32_t last = -1;
    for (const std::int32_t bar : bars) {
        exponents.push_back(bar - last - 1);
        last = bar;
    }
    return exponents;
}

} // namespace

std::vector<std::int64_t> perfectTile(Random &random, std::int64_t extent, std::int64_t parts)
{
    std::vector<std::int64_t> tile(static_cast<std::size_t>(parts), 1);
    if (parts == 1)
        tile[0] = extent;
    if (parts == 1 || extent == 1)
        return tile;
    constexpr std::int64_t largestSmallPrime = 65535; // TVM's table of primes ends here
    const auto count = static_cast<std::int32_t>(parts);
    for (const auto &[prime, exponent] : factorized(extent)) {
        if (prime > largestSmallPrime || (count > 2 && exponent == 1)) {
            tile[static_cast<std::size_t>(random.between(0, count))] *= prime;
        } else if (count == 2) {
            const std::int32_t first = random.between(0, exponent + 1);
            tile[0] *= power(prime, first);
            tile[1] *= power(prime, exponent - first);
        } else {
            const std::vector<std::int32_t> exponents = composition(random, exponent, count);
            for (std::size_t i = 0; i < tile.size(); ++i)
                tile[i] *= power(prime, exponents[i]);
        }
    }
    return tile;
}

} // namespace nestwright::schedule
