// SPDX-License-Identifier: Apache-2.0
/// Expressions of the Python subset, by precedence climbing.
#pragma once

#include "core/script/python/token_stream.h"

#include <algorithm>
#include <optional>

namespace nestwright::script::py {

class ExprParser {
public:
    explicit ExprParser(TokenStream &tokens) : m_tokens(tokens) {}

    /// One expression without a comma at its top: conditional, lambda, boolean, ….
    Expr test();
    /// One or more expressions; a comma makes a Tuple. Items may be starred.
    Expr testList();
    /// The targets of `for` and comprehensions: names, attributes, subscripts, tuples of them, but no `in`.
    Expr target();
    Expr targetList();
    std::vector<Param> params(std::string_view closing, bool annotations);

private:
    Expr lambda();
    Expr boolean(bool isAnd);
    Expr notTest();
    Expr comparison();
    std::optional<CompareOp> takeCompareOp();
    Expr binary(int minPrecedence);
    Expr unary();
    Expr power();
    Expr postfix(bool allowCalls = true);
    Expr atom();
    Expr call(Expr callee);
    Expr subscript(Expr value);
    Expr subscriptItem();
    Expr parenthesized();
    Expr list();
    Expr braces();
    Expr stringLiteral();
    Expr starredOrTest();
    std::vector<Comprehension::Clause> clauses();
    Expr comprehension(char brackets, Position at, Expr element, Expr value);

    /// Fills in the place and the height, which is one more than the highest of `children`.
    template <class Node>
    Expr finish(Node node, Position at, std::initializer_list<const Expr *> children) const;
    template <class Node> Expr finish(Node node, Position at, const std::vector<Expr> &children) const;

    TokenStream &m_tokens;
    int m_depth = 0;
};

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
        m_tokens.failAt(at, "this expression is nested too deeply: more than " + std::to_string(maxTreeHeight)
                                + " levels");
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

} // namespace nestwright::script::py
