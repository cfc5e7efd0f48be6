// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/file/size_expression.h"

#include "core/ir/build/builder.h"
#include "core/ops/table/shapes.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <format>

namespace nestwright::graph::onnx {

namespace {

using ir::Expr;
using Named = std::function<Expr(const std::string &)>;

constexpr std::size_t longestExpression = 500, deepestExpression = 50;

/// Sums of products of integers, names, max(a, b), min(a, b) and floor(a), as exporters print them with
/// SymPy; divisions are rounded down.
class SizeParser {
public:
    SizeParser(const std::string &text, const Named &named) : m_text(text), m_named(named) {}

    /// Nothing where the text has another form.
    std::optional<Expr> run()
    {
        if (m_text.size() > longestExpression)
            return std::nullopt;
        const std::optional<Expr> value = sum();
        skipSpace();
        return m_at == m_text.size() ? value : std::nullopt;
    }

private:
    void skipSpace()
    {
        while (m_at < m_text.size() && m_text[m_at] == ' ')
            ++m_at;
    }
    bool take(std::string_view token)
    {
        skipSpace();
        if (m_text.compare(m_at, token.size(), token) != 0)
            return false;
        m_at += token.size();
        return true;
    }

    std::optional<Expr> sum()
    {
        if (++m_depth > deepestExpression)
            return std::nullopt;
        std::optional<Expr> value = term();
        while (value) {
            const bool isAdded = take("+");
            if (!isAdded && !take("- ")) // "batch-size" is a name
                break;
            const std::optional<Expr> other = term();
            if (!other)
                return std::nullopt;
            value = isAdded ? ops::added(*value, *other) : ops::dimension(*value - *other);
        }
        --m_depth;
        return value;
    }

    std::optional<Expr> term()
    {
        std::optional<Expr> value = factor();
        while (value) {
            const bool isProduct = take("*"), isQuotient = !isProduct && (take("//") || take("/"));
            if (!isProduct && !isQuotient && !take("%"))
                break;
            const std::optional<Expr> other = factor();
            if (!other)
                return std::nullopt;
            if (!isProduct && ir::isConstInt(*other, 0))
                throw support::UserError(support::diagnostic(
                    "onnx.shape", std::format("the dimension \"{}\" divides by zero", m_text)));
            value = isProduct    ? ops::multiplied(*value, *other)
                    : isQuotient ? ops::dimension(ir::floorDiv(*value, *other))
                                 : ops::dimension(ir::floorMod(*value, *other));
        }
        return value;
    }

    std::optional<Expr> factor()
    {
        if (take("("))
            return closed(sum());
        skipSpace();
        const std::size_t begin = m_at;
        while (m_at < m_text.size()
               && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '_'
                   || m_text[m_at] == '.'))
            ++m_at;
        const std::string word = m_text.substr(begin, m_at - begin);
        if (word.empty())
            return std::nullopt;
        if (std::isdigit(static_cast<unsigned char>(word[0])))
            return number(word);
        if (!take("("))
            return m_named(word);
        return call(word);
    }

    static std::optional<Expr> number(const std::string &word)
    {
        std::int64_t value = 0;
        const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
        if (read.ptr != word.data() + word.size() || read.ec != std::errc())
            return std::nullopt;
        return ops::dimension(value);
    }

    std::optional<Expr> call(std::string name)
    {
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        const std::optional<Expr> first = sum();
        if (name == "floor")
            return closed(first);
        if (!first || (name != "max" && name != "min") || !take(","))
            return std::nullopt;
        const std::optional<Expr> second = closed(sum());
        if (!second)
            return std::nullopt;
        return ops::dimension(name == "max" ? ir::max(*first, *second) : ir::min(*first, *second));
    }

    std::optional<Expr> closed(std::optional<Expr> value)
    {
        return value && take(")") ? value : std::nullopt;
    }

    const std::string &m_text;
    const Named &m_named;
    std::size_t m_at = 0, m_depth = 0;
};

/// The names in the text, each once; empty where it is a single name, or has another form.
std::vector<std::string> namesIn(const std::string &text)
{
    std::vector<std::string> names;
    const Named named = [&](const std::string &name) -> Expr {
        if (!std::ranges::contains(names, name))
            names.push_back(name);
        return ir::Var(name, ir::DataType::int32());
    };
    if (!SizeParser(text, named).run() || (names.size() == 1 && names[0] == text))
        return {};
    return names;
}

} // namespace

SizeExpressions::SizeExpressions(std::span<const OnnxValue> inputs)
{
    for (const OnnxValue &input : inputs) {
        for (const auto &dim : input.shape) {
            if (const auto *name = std::get_if<std::string>(&dim))
                m_names.insert(*name);
        }
    }
}

std::vector<std::string> SizeExpressions::namesOf(const std::string &dimension) const
{
    std::vector<std::string> names = namesIn(dimension);
    const bool isExpression =
        std::ranges::any_of(names, [&](const std::string &name) { return m_names.contains(name); });
    return isExpression ? names : std::vector{dimension};
}

std::optional<Expr> SizeExpressions::valueOf(const std::string &dimension, const Named &named) const
{
    if (const std::vector<std::string> names = namesOf(dimension); names.size() == 1 && names[0] == dimension)
        return std::nullopt;
    return SizeParser(dimension, named).run();
}

} // namespace nestwright::graph::onnx
