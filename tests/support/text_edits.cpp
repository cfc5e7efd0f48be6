// SPDX-License-Identifier: Apache-2.0
#include "tests/support/text_edits.h"

#include <cctype>

namespace nestwright::tests {

namespace {

std::size_t anyOf(Random &random, std::size_t count)
{
    return count == 0 ? 0 : static_cast<std::size_t>(random.below(static_cast<std::int64_t>(count)));
}

} // namespace

std::vector<std::string> tokensOf(std::string_view text)
{
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        const auto isWord = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
        };
        if (isWord(text[i]))
            while (end < text.size() && isWord(text[end]))
                ++end;
        else if (text[i] == ' ')
            while (end < text.size() && text[end] == ' ')
                ++end;
        tokens.emplace_back(text.substr(i, end - i));
        i = end;
    }
    return tokens;
}

std::string joined(const std::vector<std::string> &tokens)
{
    std::string text;
    for (const std::string &token : tokens)
        text += token;
    return text;
}

void editToken(std::vector<std::string> &tokens, const std::vector<std::string> &pool, Random &random)
{
    static const std::vector<std::string> special{"0",
                                                  "-1",
                                                  "2147483648",
                                                  "9223372036854775807",
                                                  "18446744073709551615",
                                                  "1.5",
                                                  "\"x\"",
                                                  "None",
                                                  "True",
                                                  "()",
                                                  "[]",
                                                  "{}",
                                                  "1:2",
                                                  "::2",
                                                  "T.int64",
                                                  "T.handle()",
                                                  "T.Let",
                                                  "vi",
                                                  "A",
                                                  "T.Ramp(0, 1, 4)",
                                                  "T.Broadcast(1, 4)",
                                                  "(",
                                                  ")",
                                                  ":",
                                                  "\n",
                                                  "    ",
                                                  "T.block",
                                                  "T.init",
                                                  "T.float32(\"nan\")",
                                                  "T.bool",
                                                  "float",
                                                  "i",
                                                  "A[0:1, 0:8:2]",
                                                  "T.Let(y, where={y: 1})",
                                                  "T.axis.opaque(4, i)",
                                                  "with T.LetStmt(3) as z:\n",
                                                  "A.access_ptr(\"r\")",
                                                  "T.launch_thread(\"threadIdx.x\", 4)",
                                                  "T.match_buffer(A[0:4, 0:4], (4, 4), offset_factor=1)",
                                                  "[i, j]",
                                                  "not",
                                                  ".astype(\"int64\")",
                                                  "T.where",
                                                  "T.Cast(\"int8\", vi)",
                                                  "T.grid(4, 4)",
                                                  "and",
                                                  "**",
                                                  "lambda x: x",
                                                  "T.alloc_buffer"};
    if (tokens.empty())
        return;
    const std::size_t at = anyOf(random, tokens.size());
    switch (random.below(6)) {
    case 0: tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), std::string(tokens[at])); break;
    case 2: std::swap(tokens[at], tokens[anyOf(random, tokens.size())]); break;
    case 3: tokens[at] = random.pick(pool); break;
    case 4: tokens[at] = random.pick(special); break;
    default: tokens[at] = std::string(tokens[anyOf(random, tokens.size())]); break;
    }
}

void editLine(std::string &text, Random &random)
{
    std::vector<std::string> lines;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
        lines.push_back(text.substr(start, end - start));
        start = end;
    }
    const std::size_t at = anyOf(random, lines.size()), other = anyOf(random, lines.size());
    switch (random.below(3)) {
    case 0: lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(other), std::string(lines[at])); break;
    default: std::swap(lines[at], lines[other]); break;
    }
    text = joined(lines);
}

std::string withOtherWords(const std::string &text, const std::vector<std::string> &pool, Random &random)
{
    std::vector<std::string> tokens = tokensOf(text);
    const auto anyWord = [&random](const std::vector<std::string> &of) {
        for (;;) {
            const std::size_t at = anyOf(random, of.size());
            if (std::isalnum(static_cast<unsigned char>(of[at].front())))
                return at;
        }
    };
    for (std::int64_t n = random.between(1, 2); n > 0; --n)
        tokens[anyWord(tokens)] = pool[anyWord(pool)];
    return joined(tokens);
}

std::string edited(std::string text, const std::vector<std::string> &pool, Random &random)
{
    if (random.below(3) == 0)
        editLine(text, random);
    std::vector<std::string> tokens = tokensOf(text);
    for (std::int64_t n = random.below(3); n > 0; --n)
        editToken(tokens, pool, random);
    return joined(tokens);
}

} // namespace nestwright::tests
