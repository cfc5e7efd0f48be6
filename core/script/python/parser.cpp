// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/parser.h"

#include "core/script/python/expr_parser.h"
#include "core/script/python/simple_statements.h"

namespace nestwright::script::py {

using support::UserError;

namespace {

class Parser {
public:
    explicit Parser(TokenStream &tokens) : m_tokens(tokens), m_exprs(tokens), m_simple(tokens, m_exprs) {}

    Body module()
    {
        Body body;
        while (m_tokens.peek().kind != TokenKind::End) {
            if (m_tokens.peek().kind == TokenKind::Newline)
                m_tokens.take();
            else
                statement(body);
        }
        return body;
    }

    Expr onlyExpression()
    {
        Expr result = m_exprs.testList();
        endOfLine();
        if (m_tokens.peek().kind != TokenKind::End)
            m_tokens.failExpected("the end of the text");
        return result;
    }

private:
    void endOfLine()
    {
        if (m_tokens.peek().kind != TokenKind::Newline)
            m_tokens.failExpected("the end of the line");
        m_tokens.take();
    }

    /// A compound statement, or the simple ones of one line.
    void statement(Body &body)
    {
        const Token &token = m_tokens.peek();
        if (token.kind == TokenKind::Indent)
            m_tokens.failAt(token.at, "this line is indented more than the lines of its block");
        if (Stmt compound = compoundStatement()) {
            body.push_back(std::move(compound));
            return;
        }
        do {
            body.push_back(m_simple.statement());
        } while (m_tokens.takeOperator(";") && m_tokens.peek().kind != TokenKind::Newline);
        endOfLine();
    }

    Stmt compoundStatement()
    {
        if (m_tokens.isOperator("@"))
            return decorated();
        if (m_tokens.isName("def"))
            return functionDef({});
        if (m_tokens.isName("class"))
            return classDef({});
        if (m_tokens.isName("if"))
            return ifStatement();
        if (m_tokens.isName("for"))
            return forStatement();
        if (m_tokens.isName("while"))
            return whileStatement();
        if (m_tokens.isName("with"))
            return withStatement();
        if (m_tokens.isName("try"))
            return tryStatement();
        for (const std::string_view word : {"async", "match"}) {
            if (m_tokens.isName(word) && (word != "match" || m_tokens.peek(1).kind == TokenKind::Name))
                m_tokens.failAt(m_tokens.peek().at,
                                "'" + std::string(word) + "' is not part of the Python subset");
        }
        return {};
    }

    Body block(std::string_view what)
    {
        const DepthGuard guard(m_depth, m_tokens);
        m_tokens.expectOperator(":", " behind " + std::string(what));
        Body body;
        if (m_tokens.peek().kind != TokenKind::Newline) {
            if (m_tokens.isName("def") || m_tokens.isName("class") || m_tokens.isName("if")
                || m_tokens.isName("for") || m_tokens.isName("while") || m_tokens.isName("with")
                || m_tokens.isName("try") || m_tokens.isOperator("@"))
                m_tokens.failExpected("a simple statement on the same line");
            statement(body);
            return body;
        }
        m_tokens.take();
        if (m_tokens.peek().kind != TokenKind::Indent)
            m_tokens.failExpected("an indented block behind " + std::string(what));
        m_tokens.take();
        while (m_tokens.peek().kind != TokenKind::Dedent && m_tokens.peek().kind != TokenKind::End)
            statement(body);
        if (m_tokens.peek().kind == TokenKind::Dedent)
            m_tokens.take();
        return body;
    }

    Stmt decorated()
    {
        std::vector<Expr> decorators;
        while (m_tokens.takeOperator("@")) {
            decorators.push_back(m_exprs.test());
            endOfLine();
        }
        if (m_tokens.isName("def"))
            return functionDef(std::move(decorators));
        if (m_tokens.isName("class"))
            return classDef(std::move(decorators));
        m_tokens.failExpected("'def' or 'class' behind the decorator");
    }

    Stmt functionDef(std::vector<Expr> decorators)
    {
        FunctionDef node;
        const Position at = m_tokens.take().at;
        node.decorators = std::move(decorators);
        node.name = m_tokens.expectName("the name of the function");
        if (m_tokens.takeOperator("["))
            node.typeParams = typeParams();
        m_tokens.expectOperator("(", " behind the name of the function");
        node.params = m_exprs.params(")", true);
        m_tokens.expectOperator(")", " or ',' in the parameters of the function");
        if (m_tokens.takeOperator("->"))
            node.returns = m_exprs.test();
        node.body = block("the head of the function");
        return finish(std::move(node), at);
    }

    /// [m, n: int], after its first bracket
    std::vector<TypeParam> typeParams()
    {
        std::vector<TypeParam> params;
        do {
            TypeParam param;
            param.at = m_tokens.peek().at;
            param.name = m_tokens.expectName("the name of a type parameter");
            if (m_tokens.takeOperator(":"))
                param.bound = m_exprs.test();
            params.push_back(std::move(param));
        } while (m_tokens.takeOperator(",") && !m_tokens.isOperator("]"));
        m_tokens.expectOperator("]", " or ',' in the type parameters of the function");
        return params;
    }

    Stmt classDef(std::vector<Expr> decorators)
    {
        ClassDef node;
        const Position at = m_tokens.take().at;
        node.decorators = std::move(decorators);
        node.name = m_tokens.expectName("the name of the class");
        if (m_tokens.takeOperator("(")) {
            while (!m_tokens.isOperator(")")) {
                node.bases.push_back(m_exprs.test());
                if (!m_tokens.takeOperator(","))
                    break;
            }
            m_tokens.expectOperator(")", " or ',' in the bases of the class");
        }
        node.body = block("the head of the class");
        return finish(std::move(node), at);
    }

    Stmt ifStatement()
    {
        const DepthGuard guard(m_depth, m_tokens); // an elif nests without being indented
        If node;
        const Position at = m_tokens.take().at;
        node.condition = m_exprs.test();
        node.body = block("the condition");
        if (m_tokens.isName("elif"))
            node.orElse.push_back(ifStatement());
        else if (m_tokens.takeName("else"))
            node.orElse = block("'else'");
        return finish(std::move(node), at);
    }

    Stmt forStatement()
    {
        For node;
        const Position at = m_tokens.take().at;
        node.target = m_exprs.targetList();
        if (!m_tokens.takeName("in"))
            m_tokens.failExpected("'in' of the loop");
        node.iterable = m_exprs.testList();
        node.body = block("the head of the loop");
        return finish(std::move(node), at);
    }

    Stmt whileStatement()
    {
        While node;
        const Position at = m_tokens.take().at;
        node.condition = m_exprs.test();
        node.body = block("the condition of the loop");
        return finish(std::move(node), at);
    }

    Stmt withStatement()
    {
        With node;
        const Position at = m_tokens.take().at;
        do {
            With::Item item;
            item.context = m_exprs.test();
            if (m_tokens.takeName("as"))
                item.target = m_exprs.test();
            node.items.push_back(std::move(item));
        } while (m_tokens.takeOperator(","));
        node.body = block("the head of 'with'");
        return finish(std::move(node), at);
    }

    Stmt tryStatement()
    {
        Try node;
        const Position at = m_tokens.take().at;
        node.body = block("'try'");
        while (m_tokens.takeName("except")) {
            Try::Handler handler;
            if (!m_tokens.isOperator(":"))
                handler.type = m_exprs.test();
            if (m_tokens.takeName("as"))
                handler.name = m_tokens.expectName("the name of the exception");
            handler.body = block("'except'");
            node.handlers.push_back(std::move(handler));
        }
        if (!node.handlers.empty() && m_tokens.takeName("else"))
            node.orElse = block("'else'");
        if (m_tokens.takeName("finally"))
            node.finally = block("'finally'");
        else if (node.handlers.empty())
            m_tokens.failExpected("'except' or 'finally' behind the block of 'try'");
        return finish(std::move(node), at);
    }

    TokenStream &m_tokens;
    ExprParser m_exprs;
    SimpleStatementParser m_simple;
    int m_depth = 0;
};

/// Tokens cut and `read(Parser &)` called; syntax errors become the Result's Diagnostic.
template <class Read>
auto parseWith(std::string_view text, const std::string &fileName, Read read)
    -> Result<decltype(read(std::declval<Parser &>()))>
{
    auto tokens = tokenize(text, fileName);
    if (!tokens)
        return support::fail(tokens.error());
    try {
        TokenStream stream(std::move(*tokens), fileName);
        Parser parser(stream);
        return read(parser);
    } catch (const UserError &error) {
        return support::fail(error.diagnostic());
    }
}

} // namespace

Result<Module> parse(std::string_view text, const std::string &fileName)
{
    return parseWith(text, fileName, [&](Parser &parser) {
        return Module{fileName, parser.module(), text.contains("# from tvm.script import tirx as T")};
    });
}

Result<Expr> parseExpression(std::string_view text, const std::string &fileName)
{
    return parseWith(text, fileName, [](Parser &parser) { return parser.onlyExpression(); });
}

} // namespace nestwright::script::py
