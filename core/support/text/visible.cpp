// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/visible.h"

#include <algorithm>
#include <cstdint>
#include <format>

namespace nestwright::support {

namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0; ///< 0: no UTF-8 here
};

/// Bytes of a character that begins so; 0 where none does.
std::size_t lengthOf(unsigned char first)
{
    return first < 0x80                    ? 1
           : first >= 0xC2 && first < 0xE0 ? 2
           : first >= 0xE0 && first < 0xF0 ? 3
           : first >= 0xF0 && first < 0xF5 ? 4
                                           : 0;
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

Character firstOf(std::string_view text)
{
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = lengthOf(first);
    if (length == 0 || length > text.size() || !std::ranges::all_of(text.substr(1, length - 1), continues))
        return {};
    std::uint32_t code = length == 1 ? first : first & (0x7FU >> length);
    for (const char c : text.substr(1, length - 1))
        code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
    const bool isShortest = length < 3 || code >= (length == 3 ? 0x800U : 0x10000U);
    const bool isCharacter = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    return isShortest && isCharacter ? Character{code, length} : Character{};
}

/// Controls of terminals, and marks of Unicode that change the order or the lines of what stands around them.
bool isHidden(std::uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E || code == 0x200F
           || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string shown(std::string_view text, bool keepsLines)
{
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const Character next = firstOf(text);
        const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
        if (next.bytes == 0)
            result += std::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
        else if (isHidden(next.code) && !(keepsLines && (next.code == '\n' || next.code == '\t')))
            result += std::format("\\u{:04x}", next.code);
        else
            result += text.substr(0, bytes);
        text.remove_prefix(bytes);
    }
    return result;
}

} // namespace

std::string visible(std::string_view text) { return shown(text, true); }

std::string visibleName(std::string_view name) { return shown(name, false); }

std::size_t begunCharacter(std::string_view text)
{
    for (std::size_t behind = 1; behind <= std::min<std::size_t>(3, text.size()); ++behind) {
        const char c = text[text.size() - behind];
        if (!continues(c))
            return lengthOf(static_cast<unsigned char>(c)) > behind ? behind : 0;
    }
    return 0;
}

} // namespace nestwright::support
