// SPDX-License-Identifier: Apache-2.0
#include "core/ops/narrow_data.h"

#include "core/ops/narrow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <format>
#include <limits>

namespace nestwright::ops {

namespace {

/// The number that `bits` stand for in a format of eight.
double valueOf(const NarrowFloat &format, unsigned bits)
{
    const unsigned ones = (1U << format.mantissaBits) - 1, fraction = bits & ones;
    const auto exponent = static_cast<int>((bits & 0x7fU) >> format.mantissaBits);
    const double magnitude =
        std::ldexp(exponent == 0 ? fraction : ones + 1 + fraction,
                   format.leastExponent - format.mantissaBits + std::max(0, exponent - 1));
    const bool isNegativeZero = bits == 0x80;
    if (magnitude > format.greatest ? !format.hasInfinities || fraction != 0
                                    : isNegativeZero && !format.hasNegativeZero)
        return std::numeric_limits<double>::quiet_NaN();
    const double value = magnitude > format.greatest ? std::numeric_limits<double>::infinity() : magnitude;
    return bits >= 0x80 ? -value : value;
}

/// The halves of all 256 bit patterns.
std::array<std::uint16_t, 256> halvesOf(const NarrowFloat &format)
{
    std::array<std::uint16_t, 256> halves{};
    for (unsigned bits = 0; bits < halves.size(); ++bits)
        halves[bits] = ir::floatToHalf(static_cast<float>(valueOf(format, bits)));
    return halves;
}

bool isNan(std::uint16_t half) { return (half & 0x7fffU) > 0x7c00U; }

/// For each half the bit pattern of the same number, or none. A format without -0 has 0 for it.
std::vector<std::optional<std::uint8_t>> patternsOf(const NarrowFloat &format)
{
    std::vector<std::optional<std::uint8_t>> patterns(1 << 16);
    const auto halves = halvesOf(format);
    std::optional<std::uint8_t> nan;
    for (std::size_t bits = halves.size(); bits-- > 0;) {
        if (isNan(halves[bits]))
            nan = static_cast<std::uint8_t>(bits);
        else
            patterns[halves[bits]] = static_cast<std::uint8_t>(bits);
    }
    if (!patterns[0x8000])
        patterns[0x8000] = patterns[0];
    for (std::size_t half = 0; half < patterns.size(); ++half) {
        if (isNan(static_cast<std::uint16_t>(half)))
            patterns[half] = nan;
    }
    return patterns;
}

} // namespace

std::int64_t packedBytes(ir::DataType type, std::int64_t elements)
{
    return type.bits == 4 ? (elements + 1) / 2 : elements * type.bytes();
}

void unpack(std::span<const std::byte> bytes, ir::DataType type, ir::NdArray &held)
{
    if (const auto format = narrowFloat(type)) {
        const auto halves = halvesOf(*format);
        std::ranges::transform(bytes, held.data<std::uint16_t>(),
                               [&](std::byte bits) { return halves[std::to_integer<std::size_t>(bits)]; });
        return;
    }
    const int sign = held.dtype().isInt() ? 8 : 0;
    for (std::int64_t i = 0; i < held.size(); ++i) {
        const int both = std::to_integer<int>(bytes[static_cast<std::size_t>(i / 2)]);
        const int bits = (i % 2 == 0 ? both : both >> 4) & 15;
        held.data<std::uint8_t>()[i] = static_cast<std::uint8_t>((bits ^ sign) - sign);
    }
}

std::vector<std::byte> packed(const ir::NdArray &held, ir::DataType type)
{
    std::vector<std::byte> bytes(static_cast<std::size_t>(packedBytes(type, held.size())));
    if (const auto format = narrowFloat(type)) {
        const auto patterns = patternsOf(*format);
        std::ranges::transform(
            std::span(held.data<std::uint16_t>(), bytes.size()), bytes.begin(),
            [&](std::uint16_t half) { return static_cast<std::byte>(patterns[half].value_or(0)); });
        return bytes;
    }
    for (std::int64_t i = 0; i < held.size(); ++i) {
        const int bits = held.data<std::uint8_t>()[i] & 15;
        bytes[static_cast<std::size_t>(i / 2)] |= static_cast<std::byte>(i % 2 == 0 ? bits : bits << 4);
    }
    return bytes;
}

std::optional<std::int64_t> firstBeyond(const ir::NdArray &held, ir::DataType type)
{
    if (const auto format = narrowFloat(type)) {
        const auto patterns = patternsOf(*format);
        const std::span halves(held.data<std::uint16_t>(), static_cast<std::size_t>(held.size()));
        const auto found =
            std::ranges::find_if(halves, [&](std::uint16_t half) { return !patterns[half].has_value(); });
        return found == halves.end() ? std::nullopt : std::optional<std::int64_t>(found - halves.begin());
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
    const auto format = narrowFloat(type);
    const auto [least, greatest] = format ? IntegerRange{} : integerRange(type);
    std::vector<double> numbers;
    for (unsigned bits = 0; format && bits < 256; ++bits) {
        if (const double value = valueOf(*format, bits); std::isfinite(value))
            numbers.push_back(value);
    }
    std::ranges::sort(numbers);
    for (std::int64_t i = 0; i < held.size(); ++i) {
        const double value = held.at(i);
        if (!format) {
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
    const auto [least, greatest] = integerRange(type);
    return std::format("whole numbers from {} to {}", least, greatest);
}

} // namespace nestwright::ops
