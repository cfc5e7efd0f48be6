// SPDX-License-Identifier: Apache-2.0
/// A text as an argument of a template: `plain<"exp">`.
#pragma once

#include <algorithm>
#include <cstddef>

namespace nestwright::support {

template <std::size_t N> struct FixedText {
    char text[N]{};
    constexpr FixedText(const char (&given)[N]) { std::copy_n(given, N, text); }
};

} // namespace nestwright::support
