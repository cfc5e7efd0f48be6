// SPDX-License-Identifier: Apache-2.0
#include "core/ops/quantized/narrow_data.h"

#include "core/ops/quantized/narrow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <format>
#include <limits>

namespace nestwright::ops {

namespace {

/// The number that `bits` stand for in a format of `width` bits.
double valueOf(const NarrowFloat &format, int width, unsigned bits)
{
    const unsigned sign = 1U << (width - 1);
    const unsigned ones = (1U << format.mantissaBits) - 1, fraction = bits & ones;
    const auto exponent = static_cast<int>((bits & (sign - 1)) >> format.mantissaBits);
    const double magnitude =
        std::ldexp(exponent == 0 ? fraction : ones + 1 + fraction,
                   format.leastExponent - format.mantissaBits + std::max(0, exponent - 1));
    const bool isNegativeZero = bits == sign;
    if (magnitude > format.greatest ? !format.hasInfinities || fraction != 0
                                    : isNegativeZero && !format.hasNegativeZero)
        return std::numeric_limits<double>::quiet_NaN();
    const double value = magnitude > format.greatest ? std::numeric_limits<double>::infinity() : magnitude;
    return bits >= sign ? -value : value;
}

/// The number that each pattern of bits stands for, where `type` is no integer.
std::vector<double> numbersByBits(ir::DataType type)
{
    std::vector<double> numbers;
    const auto format = narrowFloat(type);
    for (unsigned bits = 0; bits < 1U << type.bits; ++bits) {
        numbers.push_back(format         ? valueOf(*format, type.bits, bits)
                          : bits == 0xff ? std::numeric_limits<double>::quiet_NaN()
                                         : std::ldexp(1, static_cast<int>(bits) - 127));
    }
    return numbers;
}

bool isInteger(ir::DataType type) { return !narrowFloat(type) && !isPowerOfTwo(type); }

std::uint16_t halfOf(double number) { return ir::floatToHalf(static_cast<float>(number)); }

bool isNanHalf(std::uint16_t half) { return (half & 0x7fffU) > 0x7c00U; }

/// The patterns of bits of the numbers that are held.
class Patterns {
public:
    explicit Patterns(ir::DataType type) : m_isPower(isPowerOfTwo(type))
    {
        if (m_isPower)
            return;
        m_byHalf.resize(1 << 16);
        const std::vector<double> numbers = numbersByBits(type);
        std::optional<std::uint8_t> nan;
        for (std::size_t bits = numbers.size(); bits-- > 0;) {
            if (std::isnan(numbers[bits]))
                nan = static_cast<std::uint8_t>(bits);
            else
                m_byHalf[halfOf(numbers[bits])] = static_cast<std::uint8_t>(bits);
        }
        if (!m_byHalf[0x8000]) // a format without -0 has 0 for it
            m_byHalf[0x8000] = m_byHalf[0];
        for (std::size_t half = 0; half < m_byHalf.size(); ++half) {
            if (isNanHalf(static_cast<std::uint16_t>(half)))
                m_byHalf[half] = nan;
        }
    }

    /// Bits of element `i`; nothing where it is no number of the type.
    std::optional<std::uint8_t> of(const ir::NdArray &held, std::int64_t i) const
    {
        if (!m_isPower)
            return m_byHalf[held.data<std::uint16_t>()[i]];
        int exponent = 0;
        const float value = held.data<float>()[i];
        if (std::isnan(value))
            return std::uint8_t{0xff};
        const bool isPower = std::frexp(value, &exponent) == 0.5F && exponent > -127 && exponent < 129;
        return isPower ? std::optional(static_cast<std::uint8_t>(exponent + 126)) : std::nullopt;
    }

private:
    bool m_isPower;
    std::vector<std::optional<std::uint8_t>> m_byHalf;
};

/// Position of an element: its byte, and the position of its lowest bit there.
struct BitPlace {
    std::size_t byte;
    int shift;
};

BitPlace placeOf(std::int64_t element, ir::DataType type)
{
    const std::int64_t inByte = 8 / type.bits;
    return {static_cast<std::size_t>(element / inByte), static_cast<int>(element % inByte) * type.bits};
}

} // namespace

std::int64_t packedBytes(ir::DataType type, std::int64_t elements)
{
    if (!type.isNarrow())
        return elements * type.bytes();
    const std::int64_t inByte = 8 / type.bits;
    return (elements + inByte - 1) / inByte;
}

void unpack(std::span<const std::byte> bytes, ir::DataType type, ir::NdArray &held)
{
    const int mask = (1 << type.bits) - 1;
    const auto each = [&](auto *elements, const auto &valueOf) {
        for (std::int64_t i = 0; i < held.size(); ++i) {
            const BitPlace place = placeOf(i, type);
            elements[i] = valueOf(std::to_integer<int>(bytes[place.byte]) >> place.shift & mask);
        }
    };
    if (isInteger(type)) {
        const int sign = held.dtype().isInt() ? 1 << (type.bits - 1) : 0;
        each(held.data<std::uint8_t>(),
             [&](int bits) { return static_cast<std::uint8_t>((bits ^ sign) - sign); });
        return;
    }
    const std::vector<double> numbers = numbersByBits(type);
    if (isPowerOfTwo(type)) {
        each(held.data<float>(),
             [&](int bits) { return static_cast<float>(numbers[static_cast<std::size_t>(bits)]); });
        return;
    }
    std::vector<std::uint16_t> halves;
    std::ranges::transform(numbers, std::back_inserter(halves), &halfOf);
    each(held.data<std::uint16_t>(), [&](int bits) { return halves[static_cast<std::size_t>(bits)]; });
}

std::vector<std::byte> packed(const ir::NdArray &held, ir::DataType type)
{
    std::vector<std::byte> bytes(static_cast<std::size_t>(packedBytes(type, held.size())));
    const auto put = [&](std::int64_t i, unsigned bits) {
        const BitPlace place = placeOf(i, type);
        bytes[place.byte] |= static_cast<std::byte>(bits << place.shift);
    };
    if (isInteger(type)) {
        const unsigned mask = (1U << type.bits) - 1;
        for (std::int64_t i = 0; i < held.size(); ++i)
            put(i, held.data<std::uint8_t>()[i] & mask);
        return bytes;
    }
    const Patterns patterns(type);
    for (std::int64_t i = 0; i < held.size(); ++i)
        put(i, patterns.of(held, i).value_or(0));
    return bytes;
}

std::optional<std::int64_t> firstBeyond(const ir::NdArray &held, ir::DataType type)
{
    if (!isInteger(type)) {
        const Patterns patterns(type);
        for (std::int64_t i = 0; i < held.size(); ++i) {
            if (!patterns.of(held, i))
                return i;
        }
        return std::nullopt;
    }
    const auto [least, greatest] = integerRange(type);
    for (std::int64_t i = 0; i < held.size(); ++i) {
        if (held.at(i) < least || held.at(i) > greatest)
            return i;
    }
    return std::nullopt;
}

void roundTo(ir::NdArray &held, ir::DataType type)
{
    const bool isWhole = isInteger(type);
    const auto [least, greatest] = isWhole ? integerRange(type) : IntegerRange{};
    std::vector<double> numbers = isWhole ? std::vector<double>() : numbersByBits(type);
    std::erase_if(numbers, [](double number) { return !std::isfinite(number); });
    std::ranges::sort(numbers);
    for (std::int64_t i = 0; i < held.size(); ++i) {
        const double value = held.at(i);
        if (isWhole) {
            held.set(i, std::clamp(value, least, greatest));
        } else if (std::isfinite(value)) {
            const auto above = std::ranges::lower_bound(numbers, value);
            const double up = above == numbers.end() ? numbers.back() : *above;
            const double down = above == numbers.begin() ? numbers.front() : *std::prev(above);
            held.set(i, value - down < up - value ? down : up);
        }
    }
}

std::string numbersOf(ir::DataType type)
{
    if (const auto format = narrowFloat(type))
        return std::format("numbers of {} mantissa bits from {} to {}", format->mantissaBits,
                           -format->greatest, format->greatest);
    if (isPowerOfTwo(type))
        return "powers of two from 2^-127 to 2^127";
    const auto [least, greatest] = integerRange(type);
    return std::format("whole numbers from {} to {}", least, greatest);
}

} // namespace nestwright::ops
