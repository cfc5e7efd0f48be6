// SPDX-License-Identifier: Apache-2.0
#include "core/backend/c/c_directives.h"

#include <algorithm>
#include <array>
#include <format>
#include <optional>
#include <vector>

namespace nestwright::backend {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// A line as the preprocessor sees it: spliced, with a blank in place of each comment.
struct LogicalLine {
    int number = 1; ///< of its first line, from 1
    std::string text;
};

/// Takes a text apart as translation phases 2 and 3 of C11 do.
class LineSplitter {
public:
    explicit LineSplitter(std::string_view text) : m_text(text) {}

    std::vector<LogicalLine> lines()
    {
        while (const auto c = next()) {
            if (m_inBlockComment) {
                m_inBlockComment = !(*c == '*' && take('/'));
            } else if (*c == '\n') {
                endLine();
            } else if (m_quote) {
                add(*c);
                if (*c == '\\')
                    add(next().value_or(' '));
                else if (*c == *m_quote)
                    m_quote.reset();
            } else if (m_inLineComment) {
                continue;
            } else if (*c == '/' && take('*')) {
                m_inBlockComment = true;
                add(' ');
            } else if (*c == '/' && take('/')) {
                m_inLineComment = true;
            } else {
                if (*c == '"' || *c == '\'')
                    m_quote = c;
                add(*c);
            }
        }
        endLine();
        return std::move(m_lines);
    }

private:
    /// Past lines that a backslash joins, with blanks behind it too: compilers take those as well.
    void skipSplices()
    {
        while (m_at < m_text.size() && m_text[m_at] == '\\') {
            std::size_t end = m_at + 1;
            while (end < m_text.size() && std::string_view(" \t\r\v\f").contains(m_text[end]))
                ++end;
            if (end == m_text.size() || m_text[end] != '\n')
                return;
            m_at = end + 1;
            ++m_number;
        }
    }
    std::optional<char> next()
    {
        skipSplices();
        if (m_at == m_text.size())
            return {};
        const char c = m_text[m_at++];
        m_number += c == '\n';
        return c == '\r' ? '\n' : c; // which ends a line for some compilers
    }
    bool take(char wanted)
    {
        skipSplices();
        const bool isThere = m_at < m_text.size() && m_text[m_at] == wanted;
        m_at += isThere;
        return isThere;
    }
    void add(char c) { m_line.text += c; }
    void endLine()
    {
        m_lines.push_back(std::exchange(m_line, {.number = m_number, .text = {}}));
        m_quote.reset();
        m_inLineComment = false;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_number = 1;
    LogicalLine m_line;
    std::vector<LogicalLine> m_lines;
    std::optional<char> m_quote;
    bool m_inBlockComment = false, m_inLineComment = false;
};

std::string_view withoutBlanks(std::string_view text)
{
    constexpr std::string_view blanks = " \t\v\f\r";
    const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// The word at the beginning of `text`, which is taken off.
std::string_view takeWord(std::string_view &text)
{
    text = withoutBlanks(text);
    const auto isPart = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    const auto end = std::ranges::find_if_not(text, isPart);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(word.size());
    return word;
}

/// Text of a directive after its '#'; nothing for other lines.
std::optional<std::string_view> directiveOf(std::string_view line)
{
    const std::string_view text = withoutBlanks(line);
    for (const std::string_view mark : {"#", "%:"}) {
        if (text.starts_with(mark))
            return text.substr(mark.size());
    }
    return {};
}

/// "stdint.h" of "<stdint.h>"; empty of other forms.
std::string_view systemHeader(std::string_view operand)
{
    operand = withoutBlanks(operand);
    return operand.size() > 2 && operand.starts_with('<') && operand.ends_with('>')
               ? operand.substr(1, operand.size() - 2)
               : std::string_view();
}

bool isHarmlessPragma(std::string_view operand)
{
    constexpr std::array families{std::string_view("omp"), std::string_view("STDC"),
                                  std::string_view("unroll"), std::string_view("clang")};
    constexpr std::array ofGcc{
        std::string_view("ivdep"),       std::string_view("unroll"),     std::string_view("optimize"),
        std::string_view("target"),      std::string_view("diagnostic"), std::string_view("push_options"),
        std::string_view("pop_options"), std::string_view("novector"),   std::string_view("reset_options")};
    const std::string_view family = takeWord(operand);
    return std::ranges::contains(families, family)
           || (family == "GCC" && std::ranges::contains(ofGcc, takeWord(operand)));
}

/// Reason why a directive is forbidden; empty if it is allowed.
std::string faultOf(std::string_view directive, const std::set<std::string> &headers)
{
    constexpr std::array plain{
        std::string_view(""),      std::string_view("define"), std::string_view("undef"),
        std::string_view("if"),    std::string_view("ifdef"),  std::string_view("ifndef"),
        std::string_view("elif"),  std::string_view("else"),   std::string_view("endif"),
        std::string_view("error"), std::string_view("warning")};
    std::string_view operand = directive;
    const std::string_view name = takeWord(operand);
    if (name == "include") {
        const std::string_view header = systemHeader(operand);
        if (!header.empty() && headers.contains(std::string(header)))
            return {};
        return std::format("#include {} takes in a file that the generated code does not",
                           withoutBlanks(operand));
    }
    if (name == "pragma" && isHarmlessPragma(operand))
        return {};
    return std::ranges::contains(plain, name) && (!name.empty() || withoutBlanks(operand).empty())
               ? std::string()
               : std::format("#{} may not stand in edited code", withoutBlanks(directive));
}

std::string listOf(const std::set<std::string> &headers)
{
    std::string text;
    for (const std::string &header : headers)
        text += (text.empty() ? "<" : ", <") + header + '>';
    return text;
}

} // namespace

std::set<std::string> headersOf(std::string_view text)
{
    std::set<std::string> headers;
    for (const LogicalLine &line : LineSplitter(text).lines()) {
        auto directive = directiveOf(line.text);
        if (directive && takeWord(*directive) == "include") {
            if (const std::string_view header = systemHeader(*directive); !header.empty())
                headers.emplace(header);
        }
    }
    return headers;
}

Result<void> checkDirectives(std::string_view text, const std::set<std::string> &headers,
                             const std::string &fileName)
{
    const auto refused = [&](std::string fault, int line) {
        return fail(diagnostic("edited.include", std::move(fault))
                        .at(fileName, line, 1)
                        .withHint("it may have macros, conditions, pragmas and " + listOf(headers)));
    };
    for (std::size_t at = text.find("??"); at != std::string_view::npos; at = text.find("??", at + 1)) {
        if (at + 2 < text.size() && std::string_view("=/'()!<>-").contains(text[at + 2]))
            return refused("trigraphs may not stand in edited code",
                           static_cast<int>(std::ranges::count(text.substr(0, at), '\n')) + 1);
    }
    for (const LogicalLine &line : LineSplitter(text).lines()) {
        const auto directive = directiveOf(line.text);
        if (!directive)
            continue;
        if (std::string fault = faultOf(*directive, headers); !fault.empty())
            return refused(std::move(fault), line.number);
    }
    return {};
}

support::Result<void> cCheckText(const EditedCode &code, const Source &generated)
{
    return checkDirectives(code.text, headersOf(generated.text), code.name);
}

} // namespace nestwright::backend
