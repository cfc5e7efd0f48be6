// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/expr_parser.h"

#include "core/support/errors/stop.h"

#include <algorithm>
#include <array>

namespace nestwright::script::py {

bool isKeyword(std::string_view name)
{
    constexpr std::array<std::string_view, 35> keywords{
        "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
        "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
        "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
        "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
    return std::ranges::find(keywords, name) != keywords.end();
}

std::string TokenStream::expectName(std::string_view what)
{
    if (peek().kind != TokenKind::Name || isKeyword(peek().text))
        failExpected(std::string(what));
    return take().text;
}

std::string dottedName(const Expr &e)
{
    if (!e)
        return {};
    if (const auto *name = e->as<Name>())
        return name->id;
    const auto *attribute = e->as<Attribute>();
    if (!attribute)
        return {};
    const std::string head = dottedName(attribute->value);
    return head.empty() ? head : head + '.' + attribute->name;
}

Expr ExprParser::starredOrTest()
{
    const Position at = m_tokens.peek().at;
    if (!m_tokens.takeOperator("*"))
        return test();
    Starred node;
    node.value = binary(0);
    return finish(node, at, {&node.value});
}

Expr ExprParser::testList()
{
    const Position at = m_tokens.peek().at;
    Expr first = starredOrTest();
    if (!m_tokens.isOperator(","))
        return first;
    Tuple node;
    node.items.push_back(std::move(first));
    while (m_tokens.takeOperator(",")) {
        const Token &next = m_tokens.peek();
        const bool ends = next.kind == TokenKind::Newline || m_tokens.isOperator("=")
                          || m_tokens.isOperator(")") || m_tokens.isOperator("]") || m_tokens.isOperator(":")
                          || m_tokens.isOperator(";") || next.kind == TokenKind::End;
        if (ends)
            break;
        node.items.push_back(starredOrTest());
    }
    const std::vector<Expr> items = node.items;
    return finish(std::move(node), at, items);
}

Expr ExprParser::target()
{
    const Position at = m_tokens.peek().at;
    if (!m_tokens.takeOperator("*"))
        return postfix();
    Starred node;
    node.value = postfix();
    return finish(node, at, {&node.value});
}

Expr ExprParser::targetList()
{
    const Position at = m_tokens.peek().at;
    Expr first = target();
    if (!m_tokens.isOperator(","))
        return first;
    Tuple node;
    node.items.push_back(std::move(first));
    while (m_tokens.takeOperator(",")) {
        if (m_tokens.isName("in"))
            break;
        node.items.push_back(target());
    }
    const std::vector<Expr> items = node.items;
    return finish(std::move(node), at, items);
}

Expr ExprParser::test()
{
    const DepthGuard guard(m_depth, m_tokens);
    if (m_tokens.isName("lambda"))
        return lambda();
    const Position at = m_tokens.peek().at;
    Expr value = boolean(false);
    if (!m_tokens.takeName("if"))
        return value;
    Conditional node;
    node.trueValue = std::move(value);
    node.condition = boolean(false);
    if (!m_tokens.takeName("else"))
        m_tokens.failExpected("'else' of the conditional expression");
    node.falseValue = test();
    return finish(node, at, {&node.condition, &node.trueValue, &node.falseValue});
}

Expr ExprParser::lambda()
{
    Lambda node;
    const Position at = m_tokens.take().at;
    node.params = params(":", false);
    m_tokens.expectOperator(":", " behind the parameters of the lambda");
    node.body = test();
    return finish(node, at, {&node.body});
}

std::vector<Param> ExprParser::params(std::string_view closing, bool annotations)
{
    std::vector<Param> result;
    while (!m_tokens.isOperator(closing)) {
        Param param;
        param.at = m_tokens.peek().at;
        if (m_tokens.takeOperator("**"))
            param.kind = Param::Kind::KeywordArgs;
        else if (m_tokens.takeOperator("*"))
            param.kind = m_tokens.isOperator(",") ? Param::Kind::KeywordMarker : Param::Kind::VarArgs;
        else if (m_tokens.takeOperator("/")) {
            if (!m_tokens.takeOperator(","))
                break;
            continue;
        }
        if (param.kind != Param::Kind::KeywordMarker) {
            param.name = m_tokens.expectName("the name of a parameter");
            if (annotations && m_tokens.takeOperator(":"))
                param.annotation = test();
            if (m_tokens.takeOperator("="))
                param.defaultValue = test();
        }
        result.push_back(std::move(param));
        if (!m_tokens.takeOperator(","))
            break;
    }
    return result;
}

Expr ExprParser::boolean(bool isAnd)
{
    const Position at = m_tokens.peek().at;
    const std::string_view word = isAnd ? "and" : "or";
    const auto operand = [&] { return isAnd ? notTest() : boolean(true); };
    Expr first = operand();
    if (!m_tokens.isName(word))
        return first;
    BoolOp node;
    node.isAnd = isAnd;
    node.operands.push_back(std::move(first));
    while (m_tokens.takeName(word))
        node.operands.push_back(operand());
    // A consumer makes a chain of binary operators of it.
    node.height = static_cast<int>(std::min<std::size_t>(node.operands.size(), maxTreeHeight)) + 1;
    const std::vector<Expr> operands = node.operands;
    return finish(std::move(node), at, operands);
}

Expr ExprParser::notTest()
{
    if (!m_tokens.isName("not"))
        return comparison();
    const DepthGuard guard(m_depth, m_tokens);
    Unary node;
    const Position at = m_tokens.take().at;
    node.op = UnaryOp::Not;
    node.operand = notTest();
    return finish(node, at, {&node.operand});
}

std::optional<CompareOp> ExprParser::takeCompareOp()
{
    static constexpr std::array<std::pair<std::string_view, CompareOp>, 6> table{{{"==", CompareOp::EQ},
                                                                                  {"!=", CompareOp::NE},
                                                                                  {"<", CompareOp::LT},
                                                                                  {"<=", CompareOp::LE},
                                                                                  {">", CompareOp::GT},
                                                                                  {">=", CompareOp::GE}}};
    for (const auto &[text, op] : table) {
        if (m_tokens.takeOperator(text))
            return op;
    }
    if (m_tokens.takeName("is"))
        return m_tokens.takeName("not") ? CompareOp::IsNot : CompareOp::Is;
    if (m_tokens.takeName("in"))
        return CompareOp::In;
    if (m_tokens.isName("not") && m_tokens.isName("in", 1)) {
        m_tokens.take();
        m_tokens.take();
        return CompareOp::NotIn;
    }
    return std::nullopt;
}

Expr ExprParser::comparison()
{
    const Position at = m_tokens.peek().at;
    Expr first = binary(0);
    auto op = takeCompareOp();
    if (!op)
        return first;
    Compare node;
    std::vector<Expr> operands{first};
    node.first = std::move(first);
    for (; op; op = takeCompareOp()) {
        operands.push_back(binary(0));
        node.rest.emplace_back(*op, operands.back());
    }
    node.height = static_cast<int>(std::min<std::size_t>(operands.size(), maxTreeHeight)) + 1;
    return finish(std::move(node), at, operands);
}

namespace {

struct BinaryRow {
    std::string_view text;
    BinaryOp op;
    int precedence;
};

constexpr std::array<BinaryRow, 12> binaryTable{{
    {"|", BinaryOp::BitOr, 0},
    {"^", BinaryOp::BitXor, 1},
    {"&", BinaryOp::BitAnd, 2},
    {"<<", BinaryOp::ShiftLeft, 3},
    {">>", BinaryOp::ShiftRight, 3},
    {"+", BinaryOp::Add, 4},
    {"-", BinaryOp::Sub, 4},
    {"*", BinaryOp::Mul, 5},
    {"/", BinaryOp::Div, 5},
    {"//", BinaryOp::FloorDiv, 5},
    {"%", BinaryOp::Mod, 5},
    {"@", BinaryOp::MatMul, 5},
}};

const BinaryRow *findBinary(const Token &token)
{
    if (token.kind != TokenKind::Operator)
        return nullptr;
    const auto found = std::ranges::find(binaryTable, token.text, &BinaryRow::text);
    return found == binaryTable.end() ? nullptr : &*found;
}

} // namespace

Expr ExprParser::binary(int minPrecedence)
{
    const Position at = m_tokens.peek().at;
    Expr left = unary();
    for (;;) {
        const BinaryRow *row = findBinary(m_tokens.peek());
        if (!row || row->precedence < minPrecedence)
            return left;
        m_tokens.take();
        Binary node;
        node.op = row->op;
        node.left = std::move(left);
        node.right = binary(row->precedence + 1);
        left = finish(node, at, {&node.left, &node.right});
    }
}

Expr ExprParser::unary()
{
    support::checkStop();
    UnaryOp op{};
    if (m_tokens.isOperator("-"))
        op = UnaryOp::Minus;
    else if (m_tokens.isOperator("+"))
        op = UnaryOp::Plus;
    else if (m_tokens.isOperator("~"))
        op = UnaryOp::Invert;
    else
        return power();
    const DepthGuard guard(m_depth, m_tokens);
    Unary node;
    const Position at = m_tokens.take().at;
    node.op = op;
    node.operand = unary();
    return finish(node, at, {&node.operand});
}

Expr ExprParser::power()
{
    const Position at = m_tokens.peek().at;
    Expr base = postfix();
    if (!m_tokens.takeOperator("**"))
        return base;
    const DepthGuard guard(m_depth, m_tokens);
    Binary node;
    node.op = BinaryOp::Pow;
    node.left = std::move(base);
    node.right = unary();
    return finish(node, at, {&node.left, &node.right});
}

} // namespace nestwright::script::py
