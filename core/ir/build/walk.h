// SPDX-License-Identifier: Apache-2.0
/// Looking at a tree without changing it.
#pragma once

#include "core/ir/node/function.h"

#include <functional>
#include <unordered_set>

namespace nestwright::ir {

/// Meets every node; an override calls `children` to go on below.
class Visitor {
public:
    virtual ~Visitor() = default;

    virtual void expr(const Expr &e) { children(e); }
    virtual void stmt(const Stmt &s) { children(s); }
    /// Each buffer met, where it is defined and where it is used.
    virtual void buffer(const Buffer &) {}
    /// Each variable met where it is defined.
    virtual void definition(const Var &) {}

protected:
    void children(const Expr &e);
    void children(const Stmt &s);
};

/// Every statement in pre-order; `visit` returns false to leave out the statements below.
void forEachStmt(const Stmt &root, const std::function<bool(const Stmt &)> &visit);
/// Every expression below `root` (a statement or an expression) in pre-order; false leaves out the
/// expressions below.
void forEachExpr(const Stmt &root, const std::function<bool(const Expr &)> &visit);
void forEachExpr(const Expr &root, const std::function<bool(const Expr &)> &visit);

using VarSet = std::unordered_set<Var, VarHash>;

/// The variables used in `e` (let-bound ones included).
VarSet variablesOf(const Expr &e);
bool uses(const Expr &e, const Var &var);
bool usesAny(const Expr &e, const VarSet &vars);
/// Whether `s` loads from, stores to, or names `buffer` in a region.
bool uses(const Stmt &s, const Buffer &buffer);
/// Whether `var` occurs in any expression of `s`.
bool uses(const Stmt &s, const Var &var);

} // namespace nestwright::ir
