// SPDX-License-Identifier: Apache-2.0
/// Plain values of Python, beside which each reader has those of its domain.
#pragma once

#include "core/script/python/numbers.h"

#include <optional>

namespace nestwright::script::py {

/// `None`.
struct None {};

/// A plain value, or one of the domain.
template <class... Domain>
using ValueOf = std::variant<None, bool, std::int64_t, double, std::string, Domain...>;

/// The number that a value of any such variant is.
template <class... Types> std::optional<Number> numberOf(const std::variant<Types...> &value)
{
    return std::visit(
        [](const auto &held) -> std::optional<Number> {
            using Held = std::remove_cvref_t<decltype(held)>;
            if constexpr (std::same_as<Held, bool> || std::same_as<Held, std::int64_t>
                          || std::same_as<Held, double>)
                return Number(held);
            else
                return std::nullopt;
        },
        value);
}

/// Whether a plain value counts as true; nothing for values of the domain.
template <class... Domain> std::optional<bool> truthOf(const ValueOf<Domain...> &value)
{
    if (std::holds_alternative<None>(value))
        return false;
    if (const auto *text = std::get_if<std::string>(&value))
        return !text->empty();
    const std::optional<Number> number = numberOf(value);
    return number ? std::optional(isTrue(*number)) : std::nullopt;
}

} // namespace nestwright::script::py
