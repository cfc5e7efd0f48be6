// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/preset.h"

#include <charconv>
#include <format>

namespace nestwright::catalog {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

constexpr std::string_view prefix = "op:";

bool isNameChar(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// A cursor over "NAME(KEY=VALUE, …)".
class Reader {
public:
    explicit Reader(std::string_view text) : m_text(text), m_at(prefix.size()) {}

    std::string_view name()
    {
        skipSpaces();
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && isNameChar(m_text[m_at]))
            ++m_at;
        return m_text.substr(begin, m_at - begin);
    }

    /// Text up to the next ',' or ')', without spaces and quotes around it.
    std::string_view value()
    {
        skipSpaces();
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && m_text[m_at] != ',' && m_text[m_at] != ')')
            ++m_at;
        std::string_view found = m_text.substr(begin, m_at - begin);
        while (found.ends_with(' '))
            found.remove_suffix(1);
        if (found.size() >= 2 && (found.front() == '"' || found.front() == '\'')
            && found.back() == found.front())
            found = found.substr(1, found.size() - 2);
        return found;
    }

    bool take(char c)
    {
        skipSpaces();
        if (m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }

    bool atEnd()
    {
        skipSpaces();
        return m_at >= m_text.size();
    }

    support::Diagnostic expected(std::string_view what)
    {
        skipSpaces();
        const std::string found =
            m_at < m_text.size() ? std::format("\"{}\"", m_text[m_at]) : std::string("the end");
        return diagnostic("ops.syntax", std::format("expected {} at column {} of \"{}\", found {}", what,
                                                    m_at + 1, m_text, found))
            .withHint("write op:matmul(M=1024,N=1024,K=1024,dtype=float32)");
    }

private:
    void skipSpaces()
    {
        while (m_at < m_text.size() && m_text[m_at] == ' ')
            ++m_at;
    }

    std::string_view m_text;
    std::size_t m_at;
};

/// A whole number or a type, else nothing.
std::optional<Value> parseValue(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size())
        return Value(number);
    if (const auto dtype = ir::DataType::parse(text))
        return Value(*dtype);
    return std::nullopt;
}

Result<Settings> parseSettings(Reader &reader)
{
    Settings settings;
    if (reader.take(')'))
        return settings;
    do {
        const std::string key(reader.name());
        if (key.empty())
            return fail(reader.expected("the name of a parameter"));
        if (!reader.take('='))
            return fail(reader.expected("\"=\""));
        const std::string_view text = reader.value();
        const std::optional<Value> value = parseValue(text);
        if (!value)
            return fail(
                "ops.bad-value",
                std::format("\"{}\" is given \"{}\", which is neither a whole number nor a type", key, text));
        if (!settings.emplace(key, *value).second)
            return fail("ops.bad-value", std::format("\"{}\" is given twice", key));
    } while (reader.take(','));
    if (!reader.take(')'))
        return fail(reader.expected("\",\" or \")\""));
    return settings;
}

} // namespace

bool isInvocation(std::string_view text) { return text.starts_with(prefix); }

Result<Invocation> parseInvocation(std::string_view text)
{
    if (!isInvocation(text))
        return fail("ops.syntax",
                    std::format("an operator is written op:NAME(…), but \"{}\" was given", text));
    Reader reader(text);
    const std::string_view name = reader.name();
    if (name.empty())
        return fail(reader.expected("the name of an operator"));
    const Result<const Preset *> preset = findPreset(name);
    if (!preset)
        return fail(preset.error());
    Settings settings;
    if (reader.take('(')) {
        Result<Settings> given = parseSettings(reader);
        if (!given)
            return fail(given.error());
        settings = std::move(*given);
    }
    if (!reader.atEnd())
        return fail(reader.expected("the end"));
    Result<Values> values = completeValues(**preset, settings);
    if (!values)
        return fail(values.error());
    return Invocation{*preset, *values};
}

} // namespace nestwright::catalog
