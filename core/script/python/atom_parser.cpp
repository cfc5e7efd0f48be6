// SPDX-License-Identifier: Apache-2.0
// Atoms, which stand between the operators: names, literals, calls, subscripts, lists, dictionaries,
// comprehensions.
#include "core/script/python/expr_parser.h"

namespace nestwright::script::py {

Expr ExprParser::postfix(bool allowCalls)
{
    const Position at = m_tokens.peek().at;
    Expr value = atom();
    for (;;) {
        if (m_tokens.takeOperator(".")) {
            Attribute node;
            node.name = m_tokens.expectName("a name behind '.'");
            node.value = std::move(value);
            value = finish(node, at, {&node.value});
        } else if (allowCalls && m_tokens.isOperator("(")) {
            value = call(std::move(value));
        } else if (m_tokens.isOperator("[")) {
            value = subscript(std::move(value));
        } else {
            return value;
        }
    }
}

Expr ExprParser::call(Expr callee)
{
    Call node;
    const Position at = callee->at;
    m_tokens.take();
    std::vector<Expr> children{callee};
    node.callee = std::move(callee);
    while (!m_tokens.isOperator(")")) {
        const Token &next = m_tokens.peek();
        Keyword keyword;
        keyword.at = next.at;
        if (m_tokens.takeOperator("**")) {
            keyword.value = test();
            children.push_back(keyword.value);
            node.keywords.push_back(std::move(keyword));
        } else if (next.kind == TokenKind::Name && m_tokens.isOperator("=", 1)) {
            keyword.name = m_tokens.expectName("the name of an argument");
            m_tokens.take();
            keyword.value = test();
            children.push_back(keyword.value);
            node.keywords.push_back(std::move(keyword));
        } else {
            if (!node.keywords.empty() && !node.keywords.back().name.empty() && !m_tokens.isOperator("*"))
                m_tokens.failAt(next.at, "an argument without a name follows the named argument '"
                                             + node.keywords.back().name + '\'');
            Expr value = starredOrTest();
            if (m_tokens.isName("for"))
                value = comprehension('(', value->at, value, {});
            children.push_back(value);
            node.args.push_back(std::move(value));
        }
        if (!m_tokens.takeOperator(","))
            break;
    }
    m_tokens.expectOperator(")", " or ',' in the arguments of the call");
    return finish(std::move(node), at, children);
}

Expr ExprParser::subscript(Expr value)
{
    Subscript node;
    const Position at = value->at;
    m_tokens.take();
    if (m_tokens.isOperator("]"))
        m_tokens.failExpected("an index");
    while (!m_tokens.isOperator("]")) {
        node.items.push_back(subscriptItem());
        if (!m_tokens.takeOperator(","))
            break;
        node.isTuple = true;
    }
    m_tokens.expectOperator("]", " or ',' behind the index");
    std::vector<Expr> children = node.items;
    children.push_back(value);
    node.value = std::move(value);
    return finish(std::move(node), at, children);
}

Expr ExprParser::subscriptItem()
{
    const Position at = m_tokens.peek().at;
    const auto part = [&]() -> Expr {
        const bool absent = m_tokens.isOperator(":") || m_tokens.isOperator(",") || m_tokens.isOperator("]");
        return absent ? Expr() : test();
    };
    Expr lower = m_tokens.isOperator("*") ? starredOrTest() : part();
    if (!m_tokens.isOperator(":")) {
        if (!lower)
            m_tokens.failExpected("an index");
        return lower;
    }
    m_tokens.take();
    Slice node;
    node.lower = std::move(lower);
    node.upper = part();
    if (m_tokens.takeOperator(":"))
        node.step = part();
    return finish(node, at, {&node.lower, &node.upper, &node.step});
}

Expr ExprParser::atom()
{
    const Token &token = m_tokens.peek();
    const Position at = token.at;
    if (token.kind == TokenKind::Int) {
        IntLiteral node;
        node.value = token.integer;
        node.wide = token.wide;
        m_tokens.take();
        return finish(node, at, {});
    }
    if (token.kind == TokenKind::Float) {
        FloatLiteral node;
        node.value = m_tokens.take().number;
        return finish(node, at, {});
    }
    if (token.kind == TokenKind::String)
        return stringLiteral();
    if (m_tokens.isOperator("("))
        return parenthesized();
    if (m_tokens.isOperator("["))
        return list();
    if (m_tokens.isOperator("{"))
        return braces();
    if (m_tokens.takeOperator("..."))
        return finish(EllipsisLiteral(), at, {});
    if (m_tokens.takeName("None"))
        return finish(NoneLiteral(), at, {});
    if (m_tokens.isName("True") || m_tokens.isName("False")) {
        BoolLiteral node;
        node.value = m_tokens.take().text == "True";
        return finish(node, at, {});
    }
    Name node;
    node.id = m_tokens.expectName("an expression");
    return finish(std::move(node), at, {});
}

Expr ExprParser::stringLiteral()
{
    StringLiteral node;
    const Position at = m_tokens.peek().at;
    while (m_tokens.peek().kind == TokenKind::String) {
        const Token &token = m_tokens.take();
        node.value += token.text;
        node.formatted = node.formatted || token.formatted;
    }
    return finish(std::move(node), at, {});
}

Expr ExprParser::parenthesized()
{
    const Position at = m_tokens.take().at;
    Tuple node;
    bool isTuple = m_tokens.isOperator(")");
    while (!m_tokens.isOperator(")")) {
        node.items.push_back(starredOrTest());
        if (node.items.size() == 1 && m_tokens.isName("for")) {
            Expr result = comprehension('(', at, node.items.front(), {});
            m_tokens.expectOperator(")", " behind the comprehension");
            return result;
        }
        if (!m_tokens.takeOperator(","))
            break;
        isTuple = true;
    }
    m_tokens.expectOperator(")", "");
    if (!isTuple)
        return node.items.front();
    const std::vector<Expr> items = node.items;
    return finish(std::move(node), at, items);
}

Expr ExprParser::list()
{
    const Position at = m_tokens.take().at;
    List node;
    while (!m_tokens.isOperator("]")) {
        node.items.push_back(starredOrTest());
        if (node.items.size() == 1 && m_tokens.isName("for")) {
            Expr result = comprehension('[', at, node.items.front(), {});
            m_tokens.expectOperator("]", " behind the comprehension");
            return result;
        }
        if (!m_tokens.takeOperator(","))
            break;
    }
    m_tokens.expectOperator("]", " or ',' in the list");
    const std::vector<Expr> items = node.items;
    return finish(std::move(node), at, items);
}

Expr ExprParser::braces()
{
    const Position at = m_tokens.take().at;
    Dict node;
    std::vector<Expr> children;
    while (!m_tokens.isOperator("}")) {
        Expr key;
        if (!m_tokens.takeOperator("**")) {
            key = test();
            m_tokens.expectOperator(":", " behind the key");
        }
        Expr value = test();
        if (key && node.items.empty() && m_tokens.isName("for")) {
            Expr result = comprehension('{', at, key, value);
            m_tokens.expectOperator("}", " behind the comprehension");
            return result;
        }
        children.push_back(key);
        children.push_back(value);
        node.items.emplace_back(std::move(key), std::move(value));
        if (!m_tokens.takeOperator(","))
            break;
    }
    m_tokens.expectOperator("}", " or ',' in the dictionary");
    return finish(std::move(node), at, children);
}

std::vector<Comprehension::Clause> ExprParser::clauses()
{
    std::vector<Comprehension::Clause> result;
    while (m_tokens.takeName("for")) {
        Comprehension::Clause clause;
        clause.target = targetList();
        if (!m_tokens.takeName("in"))
            m_tokens.failExpected("'in' of the comprehension");
        clause.iterable = boolean(false);
        while (m_tokens.takeName("if"))
            clause.conditions.push_back(boolean(false));
        result.push_back(std::move(clause));
    }
    return result;
}

Expr ExprParser::comprehension(char brackets, Position at, Expr element, Expr value)
{
    Comprehension node;
    node.brackets = brackets;
    node.clauses = clauses();
    std::vector<Expr> children{element, value};
    for (const Comprehension::Clause &clause : node.clauses) {
        children.push_back(clause.target);
        children.push_back(clause.iterable);
        children.insert(children.end(), clause.conditions.begin(), clause.conditions.end());
    }
    node.element = std::move(element);
    node.value = std::move(value);
    return finish(std::move(node), at, children);
}

} // namespace nestwright::script::py
