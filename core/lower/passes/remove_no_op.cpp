// SPDX-License-Identifier: Apache-2.0
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/purity.h"
#include "core/lower/passes/copies.h"
#include "core/lower/passes/declarations.h"

#include <algorithm>
#include <utility>

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

/// Memory that the function allocates but never reads, so that all stores to it can go.
ir::VarSet unread(const Stmt &body)
{
    class Finder : public ir::Visitor {
    public:
        ir::VarSet made, needed;

        void stmt(const Stmt &s) override
        {
            if (const auto *memory = s.as<ir::Allocate>())
                made.insert(memory->data);
            if (const auto *store = s.as<ir::BufferStore>();
                store && (hasEffect(store->value) || std::ranges::any_of(store->indices, hasEffect)))
                needed.insert(store->buffer->data);
            children(s);
        }
        void expr(const Expr &e) override
        {
            if (const auto *load = e.as<ir::BufferLoad>())
                needed.insert(load->buffer->data);
            if (e.as<ir::VarNode>()) // through the pointer anything may be done
                needed.insert(ir::Var::from(e));
            children(e);
        }
    } finder;
    finder.stmt(body);
    std::erase_if(finder.made, [&](const ir::Var &memory) { return finder.needed.contains(memory); });
    return std::move(finder.made);
}

class NoOpRemoval : public ir::Rewriter {
public:
    ir::Function cleaned(ir::Function function)
    {
        for (;;) { // what is stored no more may have been all that read another memory
            m_unread = unread(function->body);
            ir::Function changed = this->function(function);
            if (m_unread.empty() || changed == function)
                return changed;
            function = std::move(changed);
        }
    }

    Stmt stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>(); loop && ir::isPure(loop->min) && ir::isPure(loop->extent))
            m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
        if (const auto *bound = s.as<ir::LetStmt>();
            bound && bound->var->dtype.isIndex() && ir::isPure(bound->value))
            m_analyzer.bind(bound->var, bound->value);
        Stmt changed = s.as<ir::IfThenElse>() ? arms(s, *s.as<ir::IfThenElse>()) : children(s);
        if (const auto *store = changed.as<ir::BufferStore>())
            return changesNothing(*store) ? ir::evaluate(0) : changed;
        if (const auto *loop = changed.as<ir::For>())
            return cleaned(changed, *loop);
        if (const auto *branch = changed.as<ir::IfThenElse>())
            return cleaned(changed, *branch);
        if (const auto *part = changed.as<ir::Evaluate>())
            return hasEffect(part->value) || ir::isNoOp(changed) ? changed : ir::evaluate(0);
        if (const auto *mark = changed.as<ir::AttrStmt>())
            return ir::isNoOp(mark->body) ? mark->body : changed;
        if (const auto *memory = changed.as<ir::Allocate>())
            return ir::isNoOp(memory->body) || m_unread.contains(memory->data) ? memory->body : changed;
        if (const auto *view = changed.as<ir::DeclBuffer>())
            return ir::isNoOp(view->body) || m_unread.contains(view->buffer->data) ? view->body : changed;
        if (const auto *bound = changed.as<ir::LetStmt>())
            return ir::isNoOp(bound->body) && !hasEffect(bound->value) ? bound->body : changed;
        return changed;
    }

private:
    Stmt arms(const Stmt &s, const ir::IfThenElse &branch)
    {
        if (!ir::isPure(branch.condition) || branch.condition.dtype().isVector())
            return children(s);
        const Stmt yes = under(branch.condition, branch.thenCase);
        const Stmt no = branch.elseCase ? under(ir::logicalNot(branch.condition), branch.elseCase) : Stmt();
        if (yes.same(branch.thenCase) && no.same(branch.elseCase))
            return s;
        return ir::ifThenElse(branch.condition, yes, no);
    }

    Stmt under(const Expr &condition, const Stmt &body)
    {
        const arith::Assumption assumption = m_analyzer.assume(condition);
        return stmt(body);
    }

    /// Whether nobody reads what is stored, or it is the value that is there.
    bool changesNothing(const ir::BufferStore &store)
    {
        if (m_unread.contains(store.buffer->data))
            return true;
        const auto *load = store.value.as<ir::BufferLoad>();
        if (!load || load->buffer != store.buffer || load->predicate || store.predicate)
            return false;
        return std::ranges::equal(store.indices, load->indices, [&](const Expr &a, const Expr &b) {
            return ir::isPure(a) && ir::isPure(b) && a.dtype() == b.dtype() && !a.dtype().isVector()
                   && m_analyzer.canProveEqual(a, b);
        });
    }

    static Stmt cleaned(const Stmt &s, const ir::For &loop)
    {
        if (ir::isNoOp(loop.body) || ir::isConstInt(loop.extent, 0))
            return ir::evaluate(0);
        // A thread of extent 1 still is a thread.
        if (ir::isConstInt(loop.extent, 1) && loop.forKind != ir::ForKind::ThreadBinding)
            return withValue(loop.body, loop.var, loop.min);
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

    arith::Analyzer m_analyzer;
    ir::VarSet m_unread; ///< memory that is stored to for nobody
};

} // namespace

ir::Module removeNoOp(const ir::Module &module, const target::Context &)
{
    ir::Module result = module;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::Function changed = NoOpRemoval().cleaned(entry.function);
        if (changed != entry.function)
            result = result.with(entry.name, std::move(changed));
    }
    return result;
}

} // namespace nestwright::lower
