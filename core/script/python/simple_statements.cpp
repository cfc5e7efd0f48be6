// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/simple_statements.h"

#include <array>

namespace nestwright::script::py {

namespace {

constexpr std::array<std::pair<std::string_view, BinaryOp>, 13> augmented{{
    {"+=", BinaryOp::Add},
    {"-=", BinaryOp::Sub},
    {"*=", BinaryOp::Mul},
    {"/=", BinaryOp::Div},
    {"//=", BinaryOp::FloorDiv},
    {"%=", BinaryOp::Mod},
    {"**=", BinaryOp::Pow},
    {"@=", BinaryOp::MatMul},
    {"<<=", BinaryOp::ShiftLeft},
    {">>=", BinaryOp::ShiftRight},
    {"&=", BinaryOp::BitAnd},
    {"|=", BinaryOp::BitOr},
    {"^=", BinaryOp::BitXor},
}};

} // namespace

Stmt SimpleStatementParser::statement()
{
    const Position at = m_tokens.peek().at;
    if (m_tokens.takeName("pass"))
        return finish(Pass(), at);
    if (m_tokens.takeName("break"))
        return finish(Break(), at);
    if (m_tokens.takeName("continue"))
        return finish(Continue(), at);
    if (m_tokens.isName("global") || m_tokens.isName("nonlocal")) { // says nothing that a reader needs
        do {
            m_tokens.take();
            m_tokens.expectName("the name of a variable");
        } while (m_tokens.isOperator(","));
        return finish(Pass(), at);
    }
    if (m_tokens.takeName("return")) {
        Return node;
        node.value = optionalValue();
        return finish(std::move(node), at);
    }
    if (m_tokens.takeName("raise")) {
        Raise node;
        node.value = optionalValue();
        return finish(std::move(node), at);
    }
    if (m_tokens.takeName("del")) {
        Delete node;
        node.target = m_exprs.testList();
        return finish(std::move(node), at);
    }
    if (m_tokens.takeName("assert"))
        return assertion(at);
    if (m_tokens.takeName("import"))
        return import(at);
    if (m_tokens.takeName("from"))
        return importFrom(at);
    return assignment(at);
}

Expr SimpleStatementParser::optionalValue()
{
    const bool absent = m_tokens.peek().kind == TokenKind::Newline || m_tokens.isOperator(";");
    return absent ? Expr() : m_exprs.testList();
}

Stmt SimpleStatementParser::assertion(Position at)
{
    Assert node;
    node.condition = m_exprs.test();
    if (m_tokens.takeOperator(","))
        node.message = m_exprs.test();
    return finish(std::move(node), at);
}

std::string SimpleStatementParser::modulePath()
{
    std::string path;
    while (m_tokens.isOperator(".") || m_tokens.isOperator("..."))
        path += m_tokens.take().text;
    if (!path.empty() && m_tokens.isName("import"))
        return path;
    path += m_tokens.expectName("the name of a module");
    while (m_tokens.takeOperator("."))
        path += '.' + m_tokens.expectName("a name behind '.'");
    return path;
}

std::string SimpleStatementParser::alias()
{
    return m_tokens.takeName("as") ? m_tokens.expectName("a name behind 'as'") : std::string();
}

Stmt SimpleStatementParser::import(Position at)
{
    Import node;
    do {
        std::string path = modulePath();
        node.names.emplace_back(std::move(path), alias());
    } while (m_tokens.takeOperator(","));
    return finish(std::move(node), at);
}

Stmt SimpleStatementParser::importFrom(Position at)
{
    Import node;
    node.from = modulePath();
    if (!m_tokens.takeName("import"))
        m_tokens.failExpected("'import'");
    if (m_tokens.takeOperator("*")) {
        node.names.emplace_back("*", "");
        return finish(std::move(node), at);
    }
    const bool parenthesized = m_tokens.takeOperator("(");
    do {
        if (parenthesized && m_tokens.isOperator(")"))
            break;
        std::string name = m_tokens.expectName("a name to import");
        node.names.emplace_back(std::move(name), alias());
    } while (m_tokens.takeOperator(","));
    if (parenthesized)
        m_tokens.expectOperator(")", " or ',' in the list of imports");
    return finish(std::move(node), at);
}

Stmt SimpleStatementParser::assignment(Position at)
{
    Expr first = m_exprs.testList();
    if (m_tokens.takeOperator(":")) {
        requireTarget(first, false);
        AnnAssign node;
        node.target = std::move(first);
        node.annotation = m_exprs.test();
        if (m_tokens.takeOperator("="))
            node.value = m_exprs.testList();
        return finish(std::move(node), at);
    }
    if (const auto op = takeAugmented()) {
        requireTarget(first, false);
        AugAssign node;
        node.target = std::move(first);
        node.op = *op;
        node.value = m_exprs.testList();
        return finish(std::move(node), at);
    }
    if (!m_tokens.isOperator("=")) {
        ExprStmt node;
        node.value = std::move(first);
        return finish(std::move(node), at);
    }
    Assign node;
    node.value = std::move(first);
    while (m_tokens.takeOperator("=")) {
        requireTarget(node.value, true);
        node.targets.push_back(std::move(node.value));
        node.value = m_exprs.testList();
    }
    return finish(std::move(node), at);
}

std::optional<BinaryOp> SimpleStatementParser::takeAugmented()
{
    for (const auto &[text, op] : augmented) {
        if (m_tokens.takeOperator(text))
            return op;
    }
    return std::nullopt;
}

void SimpleStatementParser::requireTarget(const Expr &e, bool tuples) const
{
    if (e->as<Name>() || e->as<Attribute>() || e->as<Subscript>())
        return;
    const auto *starred = e->as<Starred>();
    if (starred && tuples)
        return requireTarget(starred->value, true);
    const std::vector<Expr> *items = nullptr;
    if (const auto *tuple = e->as<Tuple>())
        items = &tuple->items;
    else if (const auto *list = e->as<List>())
        items = &list->items;
    if (!items || !tuples)
        m_tokens.failAt(
            e->at, "expected a name, an attribute or an element to assign to, but found another expression");
    for (const Expr &item : *items)
        requireTarget(item, true);
}

} // namespace nestwright::script::py
