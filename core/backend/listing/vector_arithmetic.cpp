// SPDX-License-Identifier: Apache-2.0
#include "core/backend/listing/vector_arithmetic.h"

#include "core/backend/listing/listing.h"

#include <algorithm>

namespace nestwright::backend {

std::optional<AssemblyWords> wordsOf(std::string_view line)
{
    line = trimmed(line);
    const std::size_t end = line.find_first_of(" \t");
    if (end == std::string_view::npos)
        return std::nullopt;
    return AssemblyWords{line.substr(0, end), trimmed(line.substr(end))};
}

bool takePrefix(std::string_view &text, std::string_view prefix)
{
    if (!text.starts_with(prefix))
        return false;
    text.remove_prefix(prefix.size());
    return true;
}

bool takeOneOf(std::string_view &text, std::span<const std::string_view> words)
{
    return std::ranges::any_of(words, [&](std::string_view word) { return takePrefix(text, word); });
}

std::string_view takeDigits(std::string_view &text)
{
    const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
    text.remove_prefix(digits.size());
    return digits;
}

} // namespace nestwright::backend
