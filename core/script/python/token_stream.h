// SPDX-License-Identifier: Apache-2.0
/// Tokens, errors and the bound on nesting, shared by the parsers of expressions and statements.
#pragma once

#include "core/script/python/lexer.h"
#include "core/support/errors/errors.h"

namespace nestwright::script::py {

/// Trees deeper than this are refused, so that no recursion over a tree can exhaust the stack.
constexpr int maxTreeHeight = 600;

class TokenStream {
public:
    TokenStream(std::vector<Token> tokens, std::string fileName)
        : m_tokens(std::move(tokens))
        , m_file(std::move(fileName))
    {
    }

    const Token &peek(std::size_t ahead = 0) const
    {
        return m_tokens[std::min(m_next + ahead, m_tokens.size() - 1)];
    }
    const Token &take()
    {
        const Token &token = peek();
        if (m_next + 1 < m_tokens.size())
            ++m_next;
        return token;
    }
    /// The end of the token taken last.
    Position lastEnd() const { return m_next == 0 ? Position{1, 1} : m_tokens[m_next - 1].end; }

    bool isOperator(std::string_view op, std::size_t ahead = 0) const
    {
        return peek(ahead).kind == TokenKind::Operator && peek(ahead).text == op;
    }
    bool isName(std::string_view name, std::size_t ahead = 0) const
    {
        return peek(ahead).kind == TokenKind::Name && peek(ahead).text == name;
    }
    bool takeOperator(std::string_view op)
    {
        const bool found = isOperator(op);
        if (found)
            take();
        return found;
    }
    bool takeName(std::string_view name)
    {
        const bool found = isName(name);
        if (found)
            take();
        return found;
    }
    void expectOperator(std::string_view op, std::string_view where)
    {
        if (!takeOperator(op))
            failExpected('\'' + std::string(op) + '\'' + std::string(where));
    }
    /// A name that is no keyword of Python.
    std::string expectName(std::string_view what);

    [[noreturn]] void failAt(Position at, std::string message) const
    {
        throw support::UserError(
            support::diagnostic("script.syntax", std::move(message)).at(m_file, at.line, at.column));
    }
    [[noreturn]] void failExpected(const std::string &what) const
    {
        failAt(peek().at, "expected " + what + " but found " + describe(peek()));
    }

private:
    std::vector<Token> m_tokens;
    std::size_t m_next = 0;
    std::string m_file;
};

/// Counts the depth of a recursive descent for as long as it lives.
class DepthGuard {
public:
    DepthGuard(int &depth, const TokenStream &tokens, int limit = 200) : m_depth(depth)
    {
        if (++m_depth > limit) {
            --m_depth;
            tokens.failAt(tokens.peek().at,
                          "this is nested too deeply: more than " + std::to_string(limit) + " levels");
        }
    }
    ~DepthGuard() { --m_depth; }
    DepthGuard(const DepthGuard &) = delete;
    DepthGuard &operator=(const DepthGuard &) = delete;

private:
    int &m_depth;
};

bool isKeyword(std::string_view name);

} // namespace nestwright::script::py
