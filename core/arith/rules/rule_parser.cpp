// SPDX-License-Identifier: Apache-2.0
/// Compiles the text of rules.
#include "core/arith/rules/rule_parser.h"

#include "core/support/errors/errors.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <utility>

namespace nestwright::arith {

using ir::BinaryOp;
using Kind = PatternNode::Kind;

namespace {

struct Level {
    std::string_view spelling;
    BinaryOp op;
    int precedence;
};
// Longer spellings before their beginnings.
constexpr Level levels[] = {
    {"||", BinaryOp::Or, 1},      {"&&", BinaryOp::And, 2}, {"==", BinaryOp::EQ, 3},
    {"!=", BinaryOp::NE, 3},      {"<=", BinaryOp::LE, 3},  {">=", BinaryOp::GE, 3},
    {"<", BinaryOp::LT, 3},       {">", BinaryOp::GT, 3},   {"+", BinaryOp::Add, 4},
    {"-", BinaryOp::Sub, 4},      {"*", BinaryOp::Mul, 5},  {"/", BinaryOp::FloorDiv, 5},
    {"%", BinaryOp::FloorMod, 5},
};

struct NamedFunction {
    std::string_view name;
    Kind kind;
    BinaryOp op;
    int arity;
};
constexpr NamedFunction namedFunctions[] = {
    {"min", Kind::Binary, BinaryOp::Min, 2},  {"max", Kind::Binary, BinaryOp::Max, 2},
    {"tdiv", Kind::Binary, BinaryOp::Div, 2}, {"tmod", Kind::Binary, BinaryOp::Mod, 2},
    {"select", Kind::Select, {}, 3},
};

class Parser {
public:
    Parser(std::string_view text, Rule &rule) : m_rest(text), m_text(text), m_rule(rule) {}

    void parseRule()
    {
        m_rule.allTypes = take("any ");
        do
            m_rule.forms.push_back(binary(1));
        while (take(";"));
        m_rule.resimplifies = take("=>");
        if (!m_rule.resimplifies)
            expect("->");
        m_rule.to = binary(1);
        if (take("if"))
            m_rule.condition = binary(1);
        skipSpace();
        NW_ASSERT(m_rest.empty(), "rule has a tail: " + std::string(m_text));
    }

private:
    int binary(int precedence)
    {
        if (precedence > 5)
            return unary();
        int left = binary(precedence + 1);
        for (bool found = true; found;) {
            found = false;
            for (const Level &level : levels) {
                if (level.precedence != precedence || startsWith("->") || startsWith("=>")
                    || !take(level.spelling))
                    continue;
                const int right = binary(precedence + 1);
                left =
                    node({Kind::Binary, level.op, at(left).computed && at(right).computed, 0, {left, right}});
                found = true;
                break;
            }
        }
        return left;
    }

    int unary()
    {
        if (take("!")) {
            const int operand = unary();
            return node({Kind::Not, {}, at(operand).computed, 0, {operand}});
        }
        if (take("-")) {
            const int zero = number(0);
            const int operand = unary();
            return node({Kind::Binary, BinaryOp::Sub, at(operand).computed, 0, {zero, operand}});
        }
        if (take("(")) {
            const int inner = binary(1);
            expect(")");
            return inner;
        }
        return atom();
    }

    int atom()
    {
        skipSpace();
        NW_ASSERT(!m_rest.empty(), "rule ends early: " + std::string(m_text));
        if (m_rest.front() >= '0' && m_rest.front() <= '9') {
            std::int64_t value = 0;
            const auto end = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), value).ptr;
            m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
            return number(value);
        }
        std::size_t length = 0;
        while (length < m_rest.size() && std::isalnum(static_cast<unsigned char>(m_rest[length])))
            ++length;
        const std::string_view name = m_rest.substr(0, length);
        m_rest.remove_prefix(length);
        if (name.size() == 2 && name[0] == 'c' && name[1] >= '1' && name[1] <= '9')
            return node({Kind::Constant, {}, true, name[1] - '0', {}});
        if (name.size() == 1 && ruleLetters.contains(name[0]))
            return node({Kind::Any, {}, false, static_cast<std::int64_t>(ruleLetters.find(name[0])), {}});
        return function(name);
    }

    int function(std::string_view name)
    {
        for (const NamedFunction &entry : namedFunctions) {
            if (entry.name != name)
                continue;
            PatternNode result{entry.kind, entry.op, true, 0, {}};
            expect("(");
            for (int i = 0; i < entry.arity; ++i) {
                if (i > 0)
                    expect(",");
                const int argument = binary(1);
                result.child[static_cast<std::size_t>(i)] = argument;
                result.computed = result.computed && at(argument).computed;
            }
            expect(")");
            return node(result);
        }
        support::internalError(__FILE__, __LINE__, "function",
                               "unknown name in rule: " + std::string(m_text));
    }

    int number(std::int64_t value) { return node({Kind::Number, {}, true, value, {}}); }
    int node(PatternNode made)
    {
        m_rule.nodes.push_back(made);
        return static_cast<int>(m_rule.nodes.size()) - 1;
    }
    const PatternNode &at(int index) const { return m_rule.at(index); }

    void skipSpace()
    {
        while (!m_rest.empty() && m_rest.front() == ' ')
            m_rest.remove_prefix(1);
    }
    bool startsWith(std::string_view token)
    {
        skipSpace();
        return m_rest.starts_with(token);
    }
    bool take(std::string_view token)
    {
        if (!startsWith(token))
            return false;
        m_rest.remove_prefix(token.size());
        return true;
    }
    void expect(std::string_view token)
    {
        const bool found = take(token);
        NW_ASSERT(found, "expected '" + std::string(token) + "' in rule: " + std::string(m_text));
    }

    std::string_view m_rest, m_text;
    Rule &m_rule;
};

} // namespace

Rule parseRule(std::string_view text)
{
    Rule rule;
    rule.text = text;
    Parser(text, rule).parseRule();
    return rule;
}

std::string_view spelling(BinaryOp op)
{
    for (const Level &level : levels) {
        if (level.op == op)
            return level.spelling;
    }
    return std::ranges::find_if(
               namedFunctions,
               [&](const NamedFunction &entry) { return entry.kind == Kind::Binary && entry.op == op; })
        ->name;
}

} // namespace nestwright::arith
