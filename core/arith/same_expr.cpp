// SPDX-License-Identifier: Apache-2.0
#include "core/arith/same_expr.h"

#include "core/ir/build/dispatch.h"
#include "core/ir/build/walk.h"

namespace nestwright::arith {

using namespace ir;

namespace {

bool same(const Expr &a, const Expr &b) { return sameExpr(a, b); }
bool same(const Var &a, const Var &b) { return a == b; }
bool same(const std::vector<Expr> &a, const std::vector<Expr> &b)
{
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), sameExpr);
}
template <class T> bool same(const T &a, const T &b) { return a == b; }

template <class Node, class T> bool sameField(const Node &a, const Node &b, T Node::*field)
{
    return same(a.*field, b.*field);
}
template <class Node, class T> bool sameField(const Node &a, const Node &b, DefField<Node, T> field)
{
    return same(a.*field.member, b.*field.member);
}
template <class Node, class T> bool sameField(const Node &, const Node &, HintField<Node, T>) { return true; }

} // namespace

bool sameExpr(const Expr &a, const Expr &b)
{
    if (a.same(b))
        return true;
    if (!a || !b || a.kind() != b.kind() || a.dtype() != b.dtype() || a.as<VarNode>())
        return false;
    return dispatch(*a.get(), [&](const auto &node) {
        using Node = std::remove_cvref_t<decltype(node)>;
        const auto &other = static_cast<const Node &>(*b.get());
        return std::apply([&](auto... field) { return (sameField(node, other, field) && ...); },
                          Node::fields());
    });
}

int sizeOf(const Expr &e, int limit)
{
    int count = 0;
    forEachExpr(e, [&](const Expr &) { return ++count < limit; });
    return count;
}

} // namespace nestwright::arith
