// SPDX-License-Identifier: Apache-2.0
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/purity.h"
#include "core/lower/passes/declarations.h"

#include <algorithm>

namespace nestwright::lower {

using ir::Expr;
using ir::Stmt;

namespace {

/// Puts variables in the place of loads.
class LoadsTaken : public ir::Rewriter {
public:
    std::vector<const ir::BufferLoad *> taken;

    Expr expr(const Expr &e) override
    {
        const auto *load = e.as<ir::BufferLoad>();
        if (!load)
            return children(e);
        taken.push_back(load);
        return ir::Var("taken", e.dtype());
    }
};

class Simplifying : public ir::Rewriter {
public:
    Expr expr(const Expr &e) override
    {
        if (const auto *call = e.as<ir::Call>(); call && call->callee == ir::intrinsics::ifThenElse)
            return choice(e, *call);
        const Expr changed = e.dtype().isIntegral() && !hasChoice(e) ? e : children(e);
        return changed.dtype().isIntegral() ? computedAnyway(m_analyzer.simplify(changed)) : changed;
    }

    Stmt stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>())
            return simplified(s, *loop);
        if (const auto *branch = s.as<ir::IfThenElse>())
            return simplified(s, *branch);
        if (const auto *bound = s.as<ir::LetStmt>(); bound && bound->var->dtype.isIndex())
            m_analyzer.bind(bound->var, m_analyzer.constBound(bound->value));
        if (const auto *block = s.as<ir::Block>()) {
            for (const ir::IterVar &iter : block->iterVars)
                m_analyzer.bind(iter.var, iter.domain);
        }
        return children(s);
    }

private:
    /// Whether the expression has a choice or a load. Even within integers an arm holds only under its
    /// condition, which the analyzer alone does not see.
    static bool hasChoice(const Expr &e)
    {
        bool found = false;
        ir::forEachExpr(e, [&](const Expr &part) {
            const auto *call = part.as<ir::Call>();
            found =
                found || (call && call->callee == ir::intrinsics::ifThenElse) || part.as<ir::BufferLoad>();
            return !found;
        });
        return found;
    }

    /// `and` and `or` of data whose second half may be computed whatever the first one says: without a
    /// branch, that is as bitwise operators. Where a term bounds loops it stays, since later passes look for
    /// such guards.
    Expr computedAnyway(const Expr &e)
    {
        const auto *node = e.as<ir::Binary>();
        if (!node || !ir::isLogical(node->op) || !ir::mayFault(node->b) || !isSafe(node->b)
            || std::ranges::any_of(ir::conjunctsOf(node->a), ir::isPure))
            return e;
        return ir::callIntrinsic(node->op == ir::BinaryOp::And ? ir::intrinsics::bitwiseAnd
                                                               : ir::intrinsics::bitwiseOr,
                                 {node->a, node->b});
    }

    /// Whether all that could fault in `e` are loads within their buffers.
    bool isSafe(const Expr &e)
    {
        LoadsTaken loads;
        return !ir::mayFault(loads.expr(e))
               && std::ranges::all_of(loads.taken,
                                      [&](const ir::BufferLoad *load) { return isWithin(*load); });
    }

    bool isWithin(const ir::BufferLoad &load)
    {
        if (load.indices.size() != 1 || load.predicate || ir::mayFault(load.indices.front()))
            return false;
        const std::int64_t *extent = ir::asInt(load.buffer.shape().front());
        const arith::ConstIntBound bound = m_analyzer.constBound(load.indices.front());
        return extent && bound.min >= 0 && bound.max < *extent;
    }

    Expr choice(const Expr &e, const ir::Call &call)
    {
        const Expr condition = expr(call.args[0]);
        if (ir::isTrue(condition))
            return expr(call.args[1]);
        if (ir::isFalse(condition))
            return expr(call.args[2]);
        const Expr a = under(condition, call.args[1]);
        const Expr b = under(ir::logicalNot(condition), call.args[2]);
        if (condition.same(call.args[0]) && a.same(call.args[1]) && b.same(call.args[2]))
            return e;
        return ir::call(e.dtype(), call.callee, {condition, a, b});
    }

    template <class T> T under(const Expr &condition, const T &body)
    {
        if (condition.dtype().isVector() || !ir::isPure(condition)) // its memory may be overwritten within
            return rewrite(body);
        const arith::Assumption assumption = m_analyzer.assume(condition);
        return rewrite(body);
    }
    Expr rewrite(const Expr &e) { return expr(e); }
    Stmt rewrite(const Stmt &s) { return stmt(s); }

    Stmt simplified(const Stmt &s, const ir::For &loop)
    {
        const Expr min = expr(loop.min), extent = expr(loop.extent);
        if (ir::isPure(min) && ir::isPure(extent))
            m_analyzer.bind(loop.var, ir::Range{min, extent});
        const Stmt body = stmt(loop.body);
        if (const std::int64_t *count = ir::asInt(extent); count && *count <= 0)
            return ir::evaluate(0);
        if (min.same(loop.min) && extent.same(loop.extent) && body.same(loop.body))
            return s;
        ir::For result = loop;
        result.min = min;
        result.extent = extent;
        result.body = body;
        return ir::make(std::move(result));
    }

    Stmt simplified(const Stmt &s, const ir::IfThenElse &branch)
    {
        const Expr condition = expr(branch.condition);
        if (ir::isTrue(condition))
            return stmt(branch.thenCase);
        if (ir::isFalse(condition))
            return branch.elseCase ? stmt(branch.elseCase) : ir::evaluate(0);
        const Stmt yes = under(condition, branch.thenCase);
        const Stmt no = branch.elseCase ? under(ir::logicalNot(condition), branch.elseCase) : Stmt();
        if (condition.same(branch.condition) && yes.same(branch.thenCase)
            && (!no || no.same(branch.elseCase)))
            return s;
        return ir::ifThenElse(condition, yes, no);
    }

    arith::Analyzer m_analyzer;
};

} // namespace

ir::Module simplifyAll(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<Simplifying>(module);
}

} // namespace nestwright::lower
