// SPDX-License-Identifier: Apache-2.0
#include "core/ir/undefined.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <vector>

namespace nestwright::ir {

namespace {

class UndefinedRemoval : public Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        if (const auto *bound = s.as<LetStmt>(); bound && isUndefined(bound->value)) {
            m_undefined.push_back(bound->var);
            return stmt(bound->body);
        }
        const auto *store = s.as<BufferStore>();
        if (store && std::ranges::any_of(store->indices, [&](const Expr &e) { return isUndefined(e); }))
            refuse();
        if (store && isUndefined(store->value)) {
            forEachExpr(store->value, [&](const Expr &e) {
                const auto *load = e.as<BufferLoad>();
                if (load && std::ranges::any_of(load->indices, [&](const Expr &i) { return isUndefined(i); }))
                    refuse();
                return true;
            });
            return evaluate(0);
        }
        const auto *branch = s.as<IfThenElse>();
        if (branch && isUndefined(branch->condition))
            refuse();
        return children(s);
    }

private:
    bool isUndefined(const Expr &value) const
    {
        bool found = false;
        forEachExpr(value, [&](const Expr &e) {
            const auto *call = e.as<Call>();
            found =
                found || (call && call->callee == intrinsics::undef)
                || std::ranges::any_of(m_undefined, [&](const Var &v) { return e.as<VarNode>() == v.get(); });
            return !found;
        });
        return found;
    }

    [[noreturn]] static void refuse()
    {
        throw support::UserError(support::diagnostic("lower.undefined",
                                                     "a place or a condition depends on a value that T.undef "
                                                     "leaves open")
                                     .withHint("use a value that is known there"));
    }

    std::vector<Var> m_undefined;
};

} // namespace

Stmt withoutUndefined(const Stmt &body) { return UndefinedRemoval().stmt(body); }

} // namespace nestwright::ir
