// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/threads.h"
#include "core/lower/passes/declarations.h"
#include "core/support/errors/errors.h"

#include <algorithm>

namespace nestwright::lower {

using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

/// One loop over virtual threads: what does not depend on them is done once, each other statement by all of
/// them before the next. Memory that they make and fill differently gets a copy for each.
class Injection {
public:
    explicit Injection(const ir::For &loop) : m_loop(loop)
    {
        const std::int64_t *extent = ir::asInt(loop.extent);
        if (!extent)
            throw support::UserError(
                support::diagnostic("lower.thread-extent", "the number of virtual threads of '"
                                                               + loop.var.name() + "' is not constant")
                    .withHint("split the loop by a constant factor and bind that part")
                    .at(loop.id));
        m_varying.insert(loop.var);
        ir::forEachStmt(loop.body, [&](const Stmt &s) {
            if (const auto *memory = s.as<ir::Allocate>())
                m_made.insert(memory->data);
            return true;
        });
        for (std::size_t known = 0; known != m_varying.size();) {
            known = m_varying.size();
            find(loop.body, false);
        }
    }

    Stmt injected()
    {
        ir::BufferMap<ir::Buffer> grown;
        ir::forEachStmt(m_loop.body, [&](const Stmt &s) {
            if (const auto *view = s.as<ir::DeclBuffer>(); view && isOwn(view->buffer)) {
                ir::BufferNode node = *view->buffer.get();
                node.shape = {node.shape.front() * m_loop.extent};
                grown[view->buffer] = ir::Buffer(std::move(node));
            }
            return true;
        });
        return ir::substituteBuffers(stmt(m_loop.body), grown);
    }

private:
    bool varies(const Expr &e) const
    {
        bool found = false;
        ir::forEachExpr(e, [&](const Expr &part) {
            const auto *load = part.as<ir::BufferLoad>();
            const Var var = load ? load->buffer->data : Var::from(part);
            found = found || (var && m_varying.contains(var));
            return !found;
        });
        return found;
    }

    bool varies(const ir::BufferStore &store) const
    {
        return m_varying.contains(store.buffer->data) || varies(store.value)
               || std::ranges::any_of(store.indices, [&](const Expr &index) { return varies(index); });
    }

    /// Notes variables and memory whose values differ between the virtual threads. `isWithin`: a statement
    /// around runs differently for each.
    void find(const Stmt &s, bool isWithin)
    {
        switch (s.kind()) {
        case ir::StmtKind::Seq:
            for (const Stmt &part : s.as<ir::Seq>()->stmts)
                find(part, isWithin);
            return;
        case ir::StmtKind::For: {
            const auto &loop = *s.as<ir::For>();
            const bool differs = isWithin || varies(loop.min) || varies(loop.extent);
            if (differs)
                m_varying.insert(loop.var);
            return find(loop.body, differs);
        }
        case ir::StmtKind::IfThenElse: {
            const auto &branch = *s.as<ir::IfThenElse>();
            const bool differs = isWithin || varies(branch.condition);
            find(branch.thenCase, differs);
            if (branch.elseCase)
                find(branch.elseCase, differs);
            return;
        }
        case ir::StmtKind::While:
            return find(s.as<ir::While>()->body, isWithin || varies(s.as<ir::While>()->condition));
        case ir::StmtKind::LetStmt:
            if (varies(s.as<ir::LetStmt>()->value))
                m_varying.insert(s.as<ir::LetStmt>()->var);
            return find(s.as<ir::LetStmt>()->body, isWithin);
        case ir::StmtKind::BufferStore: {
            const auto &store = *s.as<ir::BufferStore>();
            if (m_made.contains(store.buffer->data) && (isWithin || varies(store)))
                m_varying.insert(store.buffer->data);
            return;
        }
        case ir::StmtKind::Evaluate: // through a pointer anything may be done
            ir::forEachExpr(s.as<ir::Evaluate>()->value, [&](const Expr &e) {
                if (const Var var = Var::from(e); var && m_made.contains(var))
                    m_varying.insert(var);
                return true;
            });
            return;
        case ir::StmtKind::Allocate: return find(s.as<ir::Allocate>()->body, isWithin);
        case ir::StmtKind::DeclBuffer: return find(s.as<ir::DeclBuffer>()->body, isWithin);
        case ir::StmtKind::AttrStmt: return find(s.as<ir::AttrStmt>()->body, isWithin);
        case ir::StmtKind::AssertStmt:
            return find(s.as<ir::AssertStmt>()->body, isWithin || varies(s.as<ir::AssertStmt>()->condition));
        case ir::StmtKind::Block: break;
        }
    }

    Stmt stmt(const Stmt &s)
    {
        switch (s.kind()) {
        case ir::StmtKind::Seq: {
            std::vector<Stmt> parts;
            for (const Stmt &part : s.as<ir::Seq>()->stmts)
                parts.push_back(stmt(part));
            return ir::seq(std::move(parts));
        }
        case ir::StmtKind::For: {
            const auto &loop = *s.as<ir::For>();
            return varies(loop.min) || varies(loop.extent) ? byAll(s) : below(loop);
        }
        case ir::StmtKind::IfThenElse: {
            const auto &branch = *s.as<ir::IfThenElse>();
            if (varies(branch.condition))
                return byAll(s);
            ir::IfThenElse result = branch;
            result.thenCase = stmt(branch.thenCase);
            if (branch.elseCase)
                result.elseCase = stmt(branch.elseCase);
            return ir::make(std::move(result));
        }
        case ir::StmtKind::While:
            return varies(s.as<ir::While>()->condition) ? byAll(s) : below(*s.as<ir::While>());
        case ir::StmtKind::LetStmt:
            return varies(s.as<ir::LetStmt>()->value) ? byAll(s) : below(*s.as<ir::LetStmt>());
        case ir::StmtKind::AssertStmt:
            return varies(s.as<ir::AssertStmt>()->condition) ? byAll(s) : below(*s.as<ir::AssertStmt>());
        case ir::StmtKind::AttrStmt: return below(*s.as<ir::AttrStmt>());
        case ir::StmtKind::DeclBuffer: return below(*s.as<ir::DeclBuffer>());
        case ir::StmtKind::Allocate: {
            ir::Allocate memory = *s.as<ir::Allocate>();
            if (m_varying.contains(memory.data))
                memory.extents = {memory.extents.front() * m_loop.extent};
            return below(memory);
        }
        case ir::StmtKind::BufferStore: return varies(*s.as<ir::BufferStore>()) ? byAll(s) : s;
        case ir::StmtKind::Evaluate: return varies(s.as<ir::Evaluate>()->value) ? byAll(s) : s;
        case ir::StmtKind::Block: break;
        }
        return s;
    }

    template <class Node> Stmt below(Node node)
    {
        node.body = stmt(node.body);
        return ir::make(std::move(node));
    }

    /// All virtual threads, one after the other, each with its own part of the memory that differs.
    Stmt byAll(const Stmt &s) const
    {
        bool meets = false;
        ir::forEachExpr(s, [&](const Expr &e) {
            const auto *call = e.as<ir::Call>();
            meets = meets || (call && call->callee == ir::intrinsics::tvmStorageSync);
            return !meets;
        });
        if (meets)
            throw support::UserError(
                support::diagnostic("lower.divergent-barrier",
                                    "threads wait for each other where not all virtual threads of '"
                                        + m_loop.var.name() + "' come by")
                    .at(m_loop.id));
        ir::For loop = m_loop;
        loop.var = Var(m_loop.var.name(), m_loop.var.dtype());
        loop.forKind = ir::ForKind::Unrolled;
        loop.thread.clear();
        loop.body = Own(*this, loop.var).stmt(s);
        return ir::make(std::move(loop));
    }

    class Own : public ir::Rewriter {
    public:
        Own(const Injection &injection, Var number) : m_injection(injection), m_number(std::move(number)) {}

        Expr expr(const Expr &e) override
        {
            if (Var::from(e) == m_injection.m_loop.var)
                return m_number;
            Expr changed = children(e);
            const auto *load = changed.as<ir::BufferLoad>();
            if (!load || !m_injection.isOwn(load->buffer))
                return changed;
            ir::BufferLoad result = *load;
            result.indices = {place(*load)};
            return ir::make(std::move(result));
        }

        Stmt stmt(const Stmt &s) override
        {
            Stmt changed = children(s);
            const auto *store = changed.as<ir::BufferStore>();
            if (!store || !m_injection.isOwn(store->buffer))
                return changed;
            ir::BufferStore result = *store;
            result.indices = {place(*store)};
            return ir::make(std::move(result));
        }

    private:
        template <class Access> Expr place(const Access &access) const
        {
            const Expr &index = access.indices.front();
            const Expr begin = (Expr(m_number) - m_injection.m_loop.min) * access.buffer.shape().front();
            return index.dtype().isVector()
                       ? index + ir::broadcast(ir::cast(index.dtype().element(), begin), index.dtype().lanes)
                       : index + begin;
        }

        const Injection &m_injection;
        Var m_number;
    };

    /// Whether each virtual thread has a copy of it.
    bool isOwn(const ir::Buffer &buffer) const
    {
        return m_made.contains(buffer->data) && m_varying.contains(buffer->data);
    }

    const ir::For &m_loop;
    ir::VarSet m_made;    ///< memory that the virtual threads make
    ir::VarSet m_varying; ///< variables and memory whose values differ between them
};

class VirtualThreads : public ir::Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        const Stmt changed = children(s);
        const auto *loop = changed.as<ir::For>();
        return loop && ir::isBoundTo(*loop, ir::ThreadRank::Virtual) ? Injection(*loop).injected() : changed;
    }
};

} // namespace

ir::Module injectVirtualThread(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<VirtualThreads>(module);
}

} // namespace nestwright::lower
