// SPDX-License-Identifier: Apache-2.0
/// Partial knowledge of the order of two numbers.
#pragma once

#include <cstdint>

namespace nestwright::arith {

/// A set of the possible outcomes less, equal, greater; the intersection of two sets is allowed by both.
enum class Order : std::uint8_t {
    Impossible = 0,
    Equal = 1,
    Less = 2,
    LessEqual = 3,
    Greater = 4,
    GreaterEqual = 5,
    NotEqual = 6,
    Unknown = 7,
};

inline Order operator&(Order a, Order b)
{
    return static_cast<Order>(static_cast<std::uint8_t>(a) & static_cast<std::uint8_t>(b));
}

/// The order of b and a, given that of a and b.
inline Order reversed(Order order)
{
    const auto bits = static_cast<std::uint8_t>(order);
    return static_cast<Order>((bits & 1) | ((bits & 2) << 1) | ((bits & 4) >> 1));
}

/// Whether only one outcome is left.
inline bool isDecided(Order order)
{
    return order == Order::Equal || order == Order::Less || order == Order::Greater;
}

} // namespace nestwright::arith
