// SPDX-License-Identifier: Apache-2.0
#include "core/report/escapes.h"

#include "core/support/text/visible.h"

#include <algorithm>

namespace nestwright::report {

std::string htmlText(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        switch (c) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        default: result += c;
        }
    }
    return result;
}

std::string markdownCell(std::string_view text)
{
    constexpr std::string_view marks = "|\\`*_<>[]()!&#~";
    std::string line(text);
    std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    std::string result;
    for (const char c : support::visibleName(line)) {
        if (marks.contains(c))
            result += '\\';
        result += c;
    }
    return result;
}

} // namespace nestwright::report
