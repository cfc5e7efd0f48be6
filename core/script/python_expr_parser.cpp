// SPDX-License-Identifier: Apache-2.0
#include "core/script/python_expr_parser.h"

#include <algorithm>
#include <array>

namespace nestwright::script::py {

bool isKeyword(std::string_view name)
{
    constexpr std::array<std::string_view, 35> keywords{
        "False",  "None",   "True",  "and",    "as",   "assert", "async",  "await",    "break", "class",  "continue", "def",
        "del",    "elif",   "else",  "except", "finally", "for", "from",   "global",   "if",    "import", "in",       "is",
        "lambda", "nonlocal", "not", "or",     "pass", "raise",  "return", "try",      "while", "with",   "yield"};
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

template <class Node>
Expr ExprParser::finish(Node node, Position at, std::initializer_list<const Expr *> children) const
{
    int height = node.height - 1; // what the caller has counted already
    for (const Expr *child : children) {
        if (*child)
            height = std::max(height, (*child)->height);
    }
    node.at = at;
    node.end = m_tokens.lastEnd();
    node.height = height + 1;
    if (node.height > maxTreeHeight)
        m_tokens.failAt(at, "this expression is nested too deeply: more than " + std::to_string(maxTreeHeight) + " levels");
    return std::make_shared<const Node>(std::move(node));
}

template <class Node> Expr ExprParser::finish(Node node, Position at, const std::vector<Expr> &children) const
{
    for (const Expr &child : children) {
        if (child)
            node.height = std::max(node.height, child->height + 1);
    }
    return finish(std::move(node), at, {});
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
        const bool ends = next.kind == TokenKind::Newline || m_tokens.isOperator("=") || m_tokens.isOperator(")")
                          || m_tokens.isOperator("]") || m_tokens.isOperator(":") || m_tokens.isOperator(";")
                          || next.kind == TokenKind::End;
        if (ends)
            break;
        node.items.push_back(starredOrTest());
    }
    const std::vector<Expr> items = node.items;
    return finish(std::move(node), at, items);
}

Expr ExprParser::targetList()
{
    const Position at = m_tokens.peek().at;
    Expr first = postfix();
    if (!m_tokens.isOperator(","))
        return first;
    Tuple node;
    node.items.push_back(std::move(first));
    while (m_tokens.takeOperator(",")) {
        if (m_tokens.isName("in"))
            break;
        node.items.push_back(postfix());
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
    UnaryOp op;
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
