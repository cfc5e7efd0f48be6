// SPDX-License-Identifier: Apache-2.0
#include "core/interp/field.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace nestwright::interp {

namespace {

constexpr std::int64_t topRank = std::numeric_limits<std::int64_t>::max();

/// The finaliser of Steele, Lea and Flood's SplitMix ("Fast splittable pseudorandom number generators",
/// OOPSLA 2014).
std::uint64_t mixed(std::uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/// The largest finite numbers of the types, which reductions begin with, and infinity behind them.
constexpr auto limits =
    std::to_array<double>({65504.0, 0x1.fep127, std::numeric_limits<float>::max(),
                           std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity()});

bool isLimit(double value) { return std::ranges::contains(limits, std::abs(value)); }

} // namespace

Element fieldPower(Element base, std::uint64_t exponent)
{
    Element result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1)
            result = fieldMultiply(result, base);
        base = fieldMultiply(base, base);
    }
    return result;
}

Element fieldInverse(Element a)
{
    // p - 2 in binary is 59 ones, a zero and a one: powers of 2^k - 1 ones are squared k times and
    // multiplied.
    const auto squared = [](Element x, int times) {
        for (int i = 0; i < times; ++i)
            x = fieldMultiply(x, x);
        return x;
    };
    const Element ones2 = fieldMultiply(squared(a, 1), a);
    const Element ones3 = fieldMultiply(squared(ones2, 1), a);
    const Element ones6 = fieldMultiply(squared(ones3, 3), ones3);
    const Element ones7 = fieldMultiply(squared(ones6, 1), a);
    const Element ones14 = fieldMultiply(squared(ones7, 7), ones7);
    const Element ones28 = fieldMultiply(squared(ones14, 14), ones14);
    const Element ones29 = fieldMultiply(squared(ones28, 1), a);
    const Element ones58 = fieldMultiply(squared(ones29, 29), ones29);
    const Element ones59 = fieldMultiply(squared(ones58, 1), a);
    return fieldMultiply(squared(ones59, 2), a);
}

Element fieldUnsigned(std::uint64_t value) { return value % fieldPrime; }

Element fieldInteger(std::int64_t value)
{
    const auto bits = static_cast<std::uint64_t>(value);
    return value >= 0 ? fieldUnsigned(bits) : fieldNegate(fieldUnsigned(0 - bits));
}

Element fieldPowerOfTwo(std::int64_t exponent)
{
    const std::int64_t turned = ((exponent % 61) + 61) % 61; // 2^61 is 1
    return Element{1} << turned;
}

Element fieldNumber(double value)
{
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    const auto whole = static_cast<std::int64_t>(std::ldexp(fraction, 53));
    return fieldMultiply(fieldInteger(whole), fieldPowerOfTwo(exponent - 53));
}

Field::Field(std::uint64_t seed, std::span<const double> constants, Constants reading)
    : m_key(mixed(seed + 0x9e3779b97f4a7c15ULL))
    , m_reading(reading)
    , m_infinity(mixed(m_key ^ 1) % fieldPrime)
    , m_nan(mixed(m_key ^ 2) % fieldPrime)
{
    rankConstants(constants);
}

/// Positive ones lie evenly between 0 and the limits, so that values fall into all places between them.
void Field::rankConstants(std::span<const double> constants)
{
    std::vector<double> positive;
    for (const double value : constants) {
        const double size = std::abs(value);
        if (size > 0 && !isLimit(size) && std::isfinite(size))
            positive.push_back(size);
    }
    std::ranges::sort(positive);
    const auto repeated = std::ranges::unique(positive);
    positive.erase(repeated.begin(), repeated.end());
    const auto add = [&](double value, std::int64_t rank) {
        const Element element = constant(value);
        m_ranks.emplace_back(element, rank);
        m_ranks.emplace_back(fieldNegate(element), -rank);
    };
    const std::int64_t step = topRank / static_cast<std::int64_t>(positive.size() + 1);
    for (std::size_t i = 0; i < positive.size(); ++i)
        add(positive[i], step * static_cast<std::int64_t>(i + 1));
    for (std::size_t i = 0; i < limits.size(); ++i)
        add(limits[i], topRank - static_cast<std::int64_t>(limits.size() - i));
    std::ranges::sort(m_ranks);
    for (const auto &[element, rank] : m_ranks)
        m_filter[element % filterBits / 64] |= std::uint64_t{1} << (element % 64);
}

Element Field::constant(double value) const
{
    const Element element = std::isnan(value)    ? m_nan
                            : !std::isinf(value) ? fieldNumber(value)
                            : value > 0          ? m_infinity
                                                 : fieldNegate(m_infinity);
    if (roundsConstants())
        m_named.emplace(element, value);
    return element;
}

std::optional<double> Field::named(Element x) const
{
    const auto found = m_named.find(x);
    return found == m_named.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t Field::nameOf(std::string_view function)
{
    std::uint64_t name = 0xcbf29ce484222325ULL;
    for (const char c : function)
        name = mixed(name ^ static_cast<unsigned char>(c));
    return name;
}

Element Field::function(std::uint64_t name, std::initializer_list<Element> args) const
{
    std::uint64_t hash = mixed(m_key ^ name);
    for (const Element arg : args) {
        if (!isElement(arg))
            return unwritten;
        hash = mixed(hash + mixed(arg ^ m_key));
    }
    return hash % fieldPrime;
}

Element Field::power(Element x, Element y) const
{
    constexpr std::uint64_t most = 1024;
    if (!isElement(x) || !isElement(y))
        return unwritten;
    if (y <= most)
        return fieldPower(x, y);
    if (const Element negated = fieldNegate(y); negated <= most)
        return fieldPower(fieldInverse(x), negated);
    static const std::uint64_t name = nameOf("pow");
    return function(name, {x, y});
}

std::int64_t Field::rank(Element x) const
{
    if (x == 0)
        return 0;
    if (m_filter[x % filterBits / 64] >> (x % 64) & 1) {
        const auto found = std::ranges::lower_bound(m_ranks, x, {}, &Ranked::first);
        if (found != m_ranks.end() && found->first == x)
            return found->second;
    }
    const bool isUpper = x > fieldPrime / 2; // of x and -x
    const std::uint64_t hash = mixed((isUpper ? fieldPrime - x : x) ^ m_key);
    const auto size = static_cast<std::int64_t>((hash >> 1) | 1);
    return ((hash & 1) != 0) != isUpper ? size : -size;
}

} // namespace nestwright::interp
