// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/walk.h"

#include "core/ir/build/dispatch.h"
#include "core/support/errors/stop.h"

namespace nestwright::ir {

namespace {

class FieldWalker {
public:
    explicit FieldWalker(Visitor &visitor) : m_visitor(visitor) {}

    void walk(const Expr &e)
    {
        if (e)
            m_visitor.expr(e);
    }
    void walk(const Stmt &s)
    {
        if (s)
            m_visitor.stmt(s);
    }
    void walk(const Buffer &b)
    {
        if (b)
            m_visitor.buffer(b);
    }
    void walk(const Attrs &attrs)
    {
        for (const auto &[key, value] : attrs)
            walk(value);
    }
    void walk(const AttrValue &attr)
    {
        if (const Expr *e = attr.asExpr())
            walk(*e);
        else if (const Buffer *buffer = attr.asBuffer())
            walk(*buffer);
        else if (const auto *list = attr.asList())
            walk(*list);
        else
            walk(*attr.asRecord());
    }
    template <class T> void walk(const std::vector<T> &items)
    {
        for (const T &item : items)
            walk(item);
    }
    template <class T> void walk(const T &node)
    {
        if constexpr (requires { T::fields(); })
            std::apply([&](auto... field) { (walkField(node, field), ...); }, T::fields());
    }

private:
    template <class N, class T> void walkField(const N &node, T N::*field) { walk(node.*field); }
    template <class N, class T> void walkField(const N &node, DefField<N, T> field)
    {
        if constexpr (std::is_same_v<T, Var>)
            m_visitor.definition(node.*field.member);
        else
            walk(node.*field.member);
    }
    template <class N, class T> void walkField(const N &, HintField<N, T>) {}

    Visitor &m_visitor;
};

class CallbackVisitor : public Visitor {
public:
    const std::function<bool(const Stmt &)> *onStmt = nullptr;
    const std::function<bool(const Expr &)> *onExpr = nullptr;

    void stmt(const Stmt &s) override
    {
        if (!onStmt || (*onStmt)(s))
            children(s);
    }
    void expr(const Expr &e) override
    {
        if (onExpr && (*onExpr)(e))
            children(e);
    }
};

/// Stops looking once found.
class UseFinder : public Visitor {
public:
    std::function<bool(const Expr &)> isUse;
    Buffer wanted;
    bool found = false;

    void stmt(const Stmt &s) override
    {
        if (!found)
            children(s);
    }
    void expr(const Expr &e) override
    {
        found = found || (isUse && isUse(e));
        if (!found)
            children(e);
    }
    void buffer(const Buffer &b) override { found = found || (wanted && b == wanted); }
};

} // namespace

void Visitor::children(const Expr &e)
{
    support::checkStop();
    dispatch(*e.get(), [&](const auto &node) { FieldWalker(*this).walk(node); });
}

void Visitor::children(const Stmt &s)
{
    support::checkStop();
    dispatch(*s.get(), [&](const auto &node) { FieldWalker(*this).walk(node); });
}

void forEachStmt(const Stmt &root, const std::function<bool(const Stmt &)> &visit)
{
    CallbackVisitor visitor;
    visitor.onStmt = &visit;
    visitor.stmt(root);
}

void forEachExpr(const Stmt &root, const std::function<bool(const Expr &)> &visit)
{
    CallbackVisitor visitor;
    visitor.onExpr = &visit;
    visitor.stmt(root);
}

void forEachExpr(const Expr &root, const std::function<bool(const Expr &)> &visit)
{
    CallbackVisitor visitor;
    visitor.onExpr = &visit;
    visitor.expr(root);
}

VarSet variablesOf(const Expr &e)
{
    VarSet vars;
    forEachExpr(e, [&](const Expr &part) {
        if (part.as<VarNode>())
            vars.insert(Var::from(part));
        return true;
    });
    return vars;
}

bool uses(const Expr &e, const Var &var)
{
    UseFinder finder;
    finder.isUse = [&](const Expr &part) { return part.same(var); };
    finder.expr(e);
    return finder.found;
}

bool usesAny(const Expr &e, const VarSet &vars)
{
    UseFinder finder;
    finder.isUse = [&](const Expr &part) { return part.as<VarNode>() && vars.contains(Var::from(part)); };
    finder.expr(e);
    return finder.found;
}

bool uses(const Stmt &s, const Buffer &buffer)
{
    UseFinder finder;
    finder.wanted = buffer;
    finder.stmt(s);
    return finder.found;
}

bool uses(const Stmt &s, const Var &var)
{
    UseFinder finder;
    finder.isUse = [&](const Expr &part) { return part.same(var); };
    finder.stmt(s);
    return finder.found;
}

} // namespace nestwright::ir
