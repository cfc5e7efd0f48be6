// SPDX-License-Identifier: Apache-2.0
/// Doubles on their way to a float of 16 bits.
#pragma once

#include <bit>
#include <cstdint>

namespace nestwright::ir {

/// `value` as a float between whose neighbours it lies: an odd last bit stands for the digits cut off, so
/// that rounding the float to 16 bits rounds `value` once (S. Boldo and G. Melquiond, "When double rounding
/// is odd", 2004).
inline float roundedToOdd(double value)
{
    const auto nearest = static_cast<float>(value);
    const auto back = static_cast<double>(nearest);
    if (value != value || back == value)
        return nearest;
    const std::uint32_t isBeyond = value < 0 ? back < value : back > value;
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(nearest) - isBeyond) | 1U);
}

} // namespace nestwright::ir
