// SPDX-License-Identifier: Apache-2.0
/// Numbers as Python computes them: integers are exact, and refused beyond 64 bits, where Python goes on.
#pragma once

#include "core/script/python/fault.h"

#include <compare>
#include <optional>
#include <string_view>
#include <variant>

namespace nestwright::script::py {

using Number = std::variant<bool, std::int64_t, double>;

/// Bools count as integers; nothing for a float.
std::optional<std::int64_t> integerOf(const Number &number);
double realOf(const Number &number);
bool isTrue(const Number &number);

Checked<Number> arithmetic(BinaryOp op, const Number &a, const Number &b);
/// `-a`, `+a`, `~a`
Checked<Number> signedNumber(UnaryOp op, const Number &a);

/// Exact also between integers and floats.
std::partial_ordering order(const Number &a, const Number &b);
/// Whether `a op b` where a and b are in this order; `op` is one of == != < <= > >=.
bool holds(CompareOp op, std::partial_ordering order);

std::string_view spelling(BinaryOp op);
std::string_view spelling(CompareOp op);

} // namespace nestwright::script::py
