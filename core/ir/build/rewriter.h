// SPDX-License-Identifier: Apache-2.0
/// Rewriting a tree bottom-up or top-down; unchanged nodes keep their identity.
#pragma once

#include "core/ir/node/function.h"

namespace nestwright::ir {

/// A pass overrides one to three of the functions, handles its nodes, and calls `children` for everything
/// else. A rewrite that changes nothing returns the same pointer.
class Rewriter {
public:
    virtual ~Rewriter() = default;

    virtual Expr expr(const Expr &e) { return children(e); }
    virtual Stmt stmt(const Stmt &s) { return children(s); }
    /// Each buffer met, where it is defined and where it is used.
    virtual Buffer buffer(const Buffer &b) { return b; }
    /// Each variable met where it is defined.
    virtual Var definition(const Var &v) { return v; }

    /// The body rewritten, parameters kept unless `buffer` or `definition` change them.
    Function function(const Function &f);

protected:
    /// The node with its children rewritten.
    Expr children(const Expr &e);
    Stmt children(const Stmt &s);
};

/// Every function rewritten by a fresh `R(args...)`.
template <class R, class... A> Module rewriteModule(const Module &module, const A &...args)
{
    Module result = module;
    for (const Module::Entry &entry : module.functions()) {
        R rewriter(args...);
        Function changed = rewriter.function(entry.function);
        if (changed != entry.function)
            result = result.with(entry.name, std::move(changed));
    }
    return result;
}

} // namespace nestwright::ir
