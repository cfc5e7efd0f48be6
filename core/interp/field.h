// SPDX-License-Identifier: Apache-2.0
/// Arithmetic of the prime field of 2^61 - 1, and a random reading of floating-point programs in it: sums and
/// products are exact there, so that equal values mean equal formulas.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nestwright::interp {

/// An element of the field: below `fieldPrime`. Seen as the bits of a double it is a finite number, so that
/// memory filled with NaN holds none.
using Element = std::uint64_t;
inline constexpr Element fieldPrime = (Element{1} << 61) - 1;
/// Stands for an element read from memory that nobody wrote, or computed from such an element.
inline constexpr Element unwritten = ~Element{0};
constexpr bool isElement(Element x) { return x < fieldPrime; }

constexpr Element fieldAdd(Element a, Element b)
{
    const Element sum = a + b;
    return sum >= fieldPrime ? sum - fieldPrime : sum;
}
constexpr Element fieldNegate(Element a) { return a == 0 ? 0 : fieldPrime - a; }
constexpr Element fieldSubtract(Element a, Element b) { return a >= b ? a - b : a + (fieldPrime - b); }
constexpr Element fieldMultiply(Element a, Element b)
{
    const auto product = static_cast<unsigned __int128>(a) * b; // 2^61 is 1
    const Element sum = (static_cast<Element>(product) & fieldPrime) + static_cast<Element>(product >> 61);
    return sum >= fieldPrime ? sum - fieldPrime : sum;
}
Element fieldPower(Element base, std::uint64_t exponent);
/// Inverse by Fermat: the power of p - 2. The inverse of 0 is 0.
Element fieldInverse(Element a);
Element fieldInteger(std::int64_t value);
Element fieldUnsigned(std::uint64_t value);
/// 2^exponent.
Element fieldPowerOfTwo(std::int64_t exponent);
/// A finite number, exactly: floating-point numbers are integers times powers of two.
Element fieldNumber(double value);

/// One random reading of floating-point values as elements: what functions give, and which value is the
/// larger one. Two programs that are read alike may be compared.
///
/// The order of values is total and turns around with the sign: a < b exactly where -b < -a, so that abs(x),
/// max(x, -x) and select(x >= 0, x, -x) are the same. Numbers that the programs name keep their order among
/// each other; the limits of types and infinities lie at its ends; all other values lie anywhere.
class Field {
public:
    /// Results of operators on two numbers that programs name.
    enum class Constants : std::uint8_t {
        Exact,   ///< their exact sum, product …
        Rounded, ///< the number to which it is rounded, as where a compiler computes it beforehand
    };

    /// `constants`: numbers that the programs to be read name, in any order.
    Field(std::uint64_t seed, std::span<const double> constants, Constants reading = Constants::Exact);

    bool roundsConstants() const { return m_reading == Constants::Rounded; }
    /// A number of a program; infinities and NaN are elements of their own.
    Element constant(double value) const;
    /// The number of a program that an element stands for; nothing where constants are exact.
    std::optional<double> named(Element x) const;
    /// The value of a function that nothing is known of but its name and arguments.
    Element function(std::uint64_t name, std::initializer_list<Element> args) const;
    static std::uint64_t nameOf(std::string_view function);
    /// x^y: a product where y is a whole number.
    Element power(Element x, Element y) const;

    /// Ascends with the order of values; that of 0 is 0.
    std::int64_t rank(Element x) const;
    bool less(Element a, Element b) const { return rank(a) < rank(b); }
    Element magnitude(Element x) const { return rank(x) < 0 ? fieldNegate(x) : x; }
    bool isInfinite(Element x) const { return x == m_infinity || x == fieldNegate(m_infinity); }
    /// NaN itself: what is computed of it is an element like others.
    bool isNan(Element x) const { return x == m_nan; }

private:
    using Ranked = std::pair<Element, std::int64_t>;
    static constexpr std::size_t filterBits = 1024;

    void rankConstants(std::span<const double> constants);

    std::uint64_t m_key;
    Constants m_reading;
    Element m_infinity, m_nan;
    mutable std::unordered_map<Element, double> m_named;   ///< where they are rounded
    std::vector<Ranked> m_ranks;                           ///< of named numbers, by element
    std::array<std::uint64_t, filterBits / 64> m_filter{}; ///< by low bits, whether one of them has these
};

} // namespace nestwright::interp
