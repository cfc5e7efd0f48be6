// SPDX-License-Identifier: Apache-2.0
#include "core/ir/builder.h"
#include "core/ir/intrinsics.h"
#include "core/ir/rewriter.h"
#include "core/ir/substitute.h"
#include "core/ir/walk.h"
#include "core/lower/passes/declarations.h"

namespace nestwright::lower {

using ir::Expr;
using ir::Stmt;

namespace {

/// Whether evaluating `e` can be seen from outside.
bool hasEffect(const Expr &e)
{
    bool found = false;
    ir::forEachExpr(e, [&](const Expr &part) {
        if (const auto *call = part.as<ir::Call>()) {
            const ir::Intrinsic *intrinsic = call->callee.intrinsic();
            found = found || !intrinsic || intrinsic->purity == ir::Purity::Opaque;
        }
        return !found;
    });
    return found;
}

class NoOpRemoval : public ir::Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        Stmt changed = children(s);
        if (const auto *loop = changed.as<ir::For>())
            return cleaned(changed, *loop);
        if (const auto *branch = changed.as<ir::IfThenElse>())
            return cleaned(changed, *branch);
        if (const auto *part = changed.as<ir::Evaluate>())
            return hasEffect(part->value) || ir::isNoOp(changed) ? changed : ir::evaluate(0);
        if (const auto *mark = changed.as<ir::AttrStmt>())
            return ir::isNoOp(mark->body) ? mark->body : changed;
        if (const auto *memory = changed.as<ir::Allocate>())
            return ir::isNoOp(memory->body) ? memory->body : changed;
        if (const auto *view = changed.as<ir::DeclBuffer>())
            return ir::isNoOp(view->body) ? view->body : changed;
        if (const auto *bound = changed.as<ir::LetStmt>())
            return ir::isNoOp(bound->body) && !hasEffect(bound->value) ? bound->body : changed;
        return changed;
    }

private:
    static Stmt cleaned(const Stmt &s, const ir::For &loop)
    {
        if (ir::isNoOp(loop.body) || ir::isConstInt(loop.extent, 0))
            return ir::evaluate(0);
        // A thread of extent 1 still is a thread.
        if (ir::isConstInt(loop.extent, 1) && loop.forKind != ir::ForKind::ThreadBinding)
            return ir::substitute(loop.body, {{loop.var, loop.min}});
        return s;
    }

    static Stmt cleaned(const Stmt &s, const ir::IfThenElse &branch)
    {
        if (ir::isTrue(branch.condition))
            return branch.thenCase;
        if (ir::isFalse(branch.condition))
            return branch.elseCase ? branch.elseCase : ir::evaluate(0);
        const bool elseIsEmpty = !branch.elseCase || ir::isNoOp(branch.elseCase);
        if (ir::isNoOp(branch.thenCase) && elseIsEmpty && !hasEffect(branch.condition))
            return ir::evaluate(0);
        return s;
    }
};

} // namespace

ir::Module removeNoOp(const ir::Module &module, const Target &)
{
    return ir::rewriteModule<NoOpRemoval>(module);
}

} // namespace nestwright::lower
