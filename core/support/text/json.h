// SPDX-License-Identifier: Apache-2.0
/// JSON whose integers are read as they are written: a file from a stranger may say 1e300 where a size is
/// wanted.
#pragma once

#include "core/support/text/json_fwd.h"

#include <nlohmann/json.hpp>

#include <concepts>
#include <utility>

namespace nestwright::support {

/// The library's conversions, which turn fractions into integers and cut integers to fit, with those two
/// refused.
template <class T, class Enabled> struct ExactNumbers : nlohmann::adl_serializer<T, Enabled> {};

template <std::integral T>
    requires(!std::same_as<T, bool>)
struct ExactNumbers<T, void> : nlohmann::adl_serializer<T, void> {
    /// Throws the library's type_error for anything but an integer, its out_of_range for one that T does not
    /// hold.
    template <class J> static void from_json(const J &json, T &value)
    {
        if (!json.is_number_integer())
            throw J::type_error::create(302, "expected an integer, found " + json.dump(), &json);
        const auto take = [&](auto number) {
            if (!std::in_range<T>(number))
                throw J::out_of_range::create(406, "the number " + json.dump() + " is too large", &json);
            value = static_cast<T>(number);
        };
        if (json.is_number_unsigned())
            take(json.template get_ref<const typename J::number_unsigned_t &>());
        else
            take(json.template get_ref<const typename J::number_integer_t &>());
    }
};

} // namespace nestwright::support
