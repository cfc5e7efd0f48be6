// SPDX-License-Identifier: Apache-2.0
#include "core/course/plain.h"

#include <algorithm>
#include <regex>

namespace nestwright::course {

namespace {

constexpr std::string_view codeFence = "```", codeIndentation = "    ";

/// Bytes that continue a character of UTF-8 take no column.
std::size_t columnsOf(std::string_view word)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(word, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string withoutMarks(const std::string &paragraph)
{
    static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))");
    static const std::regex emphasis(R"(\*{1,2}([^*]+)\*{1,2})");
    static const std::regex code(R"(`([^`]*)`)");
    // Code may hold stars: it is taken last.
    const std::string words = std::regex_replace(paragraph, link, "$1");
    return std::regex_replace(std::regex_replace(words, emphasis, "$1"), code, "$1");
}

std::string wrapped(std::string_view text, std::size_t width)
{
    std::string lines;
    std::size_t column = 0;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, std::min(text.find(' '), text.size()));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (word.empty())
            continue;
        const std::size_t columns = columnsOf(word);
        const bool fits = width == 0 || column + 1 + columns <= width;
        if (!lines.empty())
            lines += fits ? ' ' : '\n';
        column = (fits && !lines.empty() ? column + 1 : 0) + columns;
        lines += word;
    }
    return lines;
}

} // namespace

std::string plain(std::string_view markdown, std::size_t width)
{
    std::string text, paragraph;
    bool isCode = false;
    const auto endParagraph = [&] {
        if (!paragraph.empty())
            text += (text.empty() ? "" : "\n\n") + wrapped(withoutMarks(paragraph), width);
        paragraph.clear();
    };
    while (!markdown.empty()) {
        const std::string_view line = markdown.substr(0, std::min(markdown.find('\n'), markdown.size()));
        markdown.remove_prefix(std::min(markdown.size(), line.size() + 1));
        if (line.starts_with(codeFence)) {
            endParagraph();
            isCode = !isCode;
            if (isCode)
                text += '\n';
        } else if (isCode) {
            text += '\n' + std::string(codeIndentation) + std::string(line);
        } else if (line.empty()) {
            endParagraph();
        } else {
            paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
        }
    }
    endParagraph();
    return text;
}

} // namespace nestwright::course
