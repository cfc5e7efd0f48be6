// SPDX-License-Identifier: Apache-2.0
/// The statements of the Python subset that hold no others: assignments, imports, return, assert and their
/// like.
#pragma once

#include "core/script/python/ast.h"
#include "core/script/python/expr_parser.h"

#include <optional>

namespace nestwright::script::py {

/// `node` with its place, as a statement.
template <class Node> Stmt finish(Node node, Position at)
{
    node.at = at;
    return std::make_shared<const Node>(std::move(node));
}

class SimpleStatementParser {
public:
    SimpleStatementParser(TokenStream &tokens, ExprParser &exprs) : m_tokens(tokens), m_exprs(exprs) {}

    /// One statement, up to the ';' or the end of the line behind it. Throws support::UserError
    /// "script.syntax".
    Stmt statement();

private:
    Expr optionalValue();
    Stmt assertion(Position at);
    std::string modulePath();
    std::string alias();
    Stmt import(Position at);
    Stmt importFrom(Position at);
    Stmt assignment(Position at);
    std::optional<BinaryOp> takeAugmented();
    void requireTarget(const Expr &e, bool tuples) const;

    TokenStream &m_tokens;
    ExprParser &m_exprs;
};

} // namespace nestwright::script::py
