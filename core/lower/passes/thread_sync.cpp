// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/device/thread_conflicts.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/intrinsic_meaning.h"
#include "core/ir/node/block_marker.h"
#include "core/ir/purity.h"
#include "core/ir/threads.h"
#include "core/lower/passes/declarations.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <functional>

namespace nestwright::lower {

using analysis::ThreadAccess;
using ir::Expr;
using ir::MemoryRank;
using ir::Stmt;

namespace {

using Accesses = std::vector<ThreadAccess>;

/// Accesses of the threads of a block in a statement, before its first barrier and after its last one;
/// both are all accesses where it has none.
struct Flow {
    Accesses head, tail;
    bool hasBarrier = false; ///< that all come by whenever the statement runs
};

void append(Accesses &to, const Accesses &from) { to.insert(to.end(), from.begin(), from.end()); }

/// Puts barriers into one kernel.
class KernelSync {
public:
    KernelSync(const arith::Domains &axes, arith::Analyzer &analyzer, const Stmt &body)
        : m_analyzer(analyzer)
        , m_conflicts(axes, analyzer)
    {
        for (const arith::VarRange &axis : axes)
            m_divergent.insert(axis.var);
        ir::forEachStmt(body, [&](const Stmt &s) {
            if (const auto *memory = s.as<ir::Allocate>();
                memory && ir::memoryRankOf(memory->scope) > MemoryRank::Block)
                m_own.insert(memory->data);
            if (const auto *store = s.as<ir::BufferStore>())
                m_written.insert(store->buffer->data);
            return true;
        });
        ir::forEachExpr(body, [&](const Expr &e) {
            if (const ir::Var pointer = ir::Var::from(e); pointer && pointer.dtype().isHandle())
                m_pointed.insert(pointer);
            if (const auto *call = e.as<ir::Call>(); call && call->callee == ir::intrinsics::addressOf) {
                if (const auto *load = call->args[0].as<ir::BufferLoad>())
                    m_pointed.insert(load->buffer->data);
            }
            return true;
        });
    }

    Stmt synced(const Stmt &body)
    {
        Flow flow;
        return visit(body, {}, flow);
    }

private:
    /// The statement with barriers. `earlier`: accesses of an earlier iteration of the loop around it, which
    /// no barrier parts from it.
    Stmt visit(const Stmt &s, const Accesses &earlier, Flow &flow)
    {
        switch (s.kind()) {
        case ir::StmtKind::Seq: return sequence(*s.as<ir::Seq>(), earlier, flow);
        case ir::StmtKind::Allocate: return within(*s.as<ir::Allocate>(), earlier, flow);
        case ir::StmtKind::DeclBuffer: return within(*s.as<ir::DeclBuffer>(), earlier, flow);
        case ir::StmtKind::AttrStmt: {
            const auto &mark = *s.as<ir::AttrStmt>();
            const support::StmtId outer = m_place;
            if (const support::StmtId id = ir::markedBlock(mark))
                m_place = id;
            Stmt result = within(mark, earlier, flow);
            m_place = outer;
            return result;
        }
        case ir::StmtKind::LetStmt: {
            const auto &let = *s.as<ir::LetStmt>();
            if (varies(let.value))
                m_divergent.insert(let.var);
            note(let.value, flow);
            Flow inner;
            Stmt result = within(let, earlier, inner);
            join(flow, inner);
            return result;
        }
        case ir::StmtKind::For:
            return first(earlier, flow, [&](Flow &own) { return loop(*s.as<ir::For>(), own); });
        case ir::StmtKind::While:
            return first(earlier, flow, [&](Flow &own) { return loop(*s.as<ir::While>(), own); });
        case ir::StmtKind::IfThenElse:
            return first(earlier, flow, [&](Flow &own) { return branch(*s.as<ir::IfThenElse>(), own); });
        default:
            return first(earlier, flow, [&](Flow &own) {
                leaf(s, own);
                return s;
            });
        }
    }

    /// A statement after `earlier`: with a barrier before it where they conflict.
    Stmt first(const Accesses &earlier, Flow &flow, const std::function<Stmt(Flow &)> &visited)
    {
        Stmt result = visited(flow);
        if (!conflict(earlier, flow.head))
            return result;
        flow.head.clear();
        flow.hasBarrier = true;
        return ir::seq({barrier(), result});
    }

    template <class Node> Stmt within(const Node &node, const Accesses &earlier, Flow &flow)
    {
        Node result = node;
        result.body = visit(node.body, earlier, flow);
        return ir::make(std::move(result));
    }

    Stmt sequence(const ir::Seq &node, const Accesses &earlier, Flow &flow)
    {
        std::vector<Stmt> parts;
        Accesses since = earlier; // the last barrier
        for (const Stmt &part : node.stmts) {
            if (ir::isBarrier(part)) {
                since.clear();
                flow.tail.clear();
                flow.hasBarrier = true;
                parts.push_back(part);
                continue;
            }
            Flow own;
            Stmt changed = visit(part, {}, own);
            if (conflict(since, own.head)) {
                parts.push_back(barrier());
                since.clear();
                flow.tail.clear();
                flow.hasBarrier = true;
            }
            join(flow, own);
            if (own.hasBarrier)
                since.clear();
            append(since, own.tail);
            parts.push_back(std::move(changed));
        }
        return ir::seq(std::move(parts));
    }

    /// `next` after all that `flow` tells.
    static void join(Flow &flow, const Flow &next)
    {
        if (!flow.hasBarrier)
            append(flow.head, next.head);
        if (next.hasBarrier)
            flow.tail.clear();
        append(flow.tail, next.tail);
        flow.hasBarrier = flow.hasBarrier || next.hasBarrier;
    }

    Stmt loop(const ir::For &node, Flow &flow)
    {
        m_analyzer.bind(node.var, ir::Range{node.min, node.extent});
        Flow bounds;
        note(node.min, bounds);
        note(node.extent, bounds);
        const bool isUniform = !varies(node.min) && !varies(node.extent);
        if (!isUniform)
            m_divergent.insert(node.var);
        m_depthOfDivergence += isUniform ? 0 : 1;
        const arith::VarRange domain{node.var, {node.min, node.extent}};
        Flow inner;
        Stmt body = visit(node.body, {}, inner);
        // With a barrier in each iteration only the one before meets the next.
        const ir::VarMap<Expr> before{{node.var, Expr(node.var) - 1}};
        const Accesses carried = inner.hasBarrier ? replaced(inner.tail, before) : anyOf(inner.tail, domain);
        const std::int64_t *count = ir::asInt(node.extent);
        const bool isRepeated = !count || *count > 1;
        if (isRepeated && conflict(carried, inner.head)) {
            inner = {};
            body = visit(node.body, carried, inner);
        }
        m_depthOfDivergence -= isUniform ? 0 : 1;
        inner.head = anyOf(inner.head, domain);
        inner.tail = anyOf(inner.tail, domain);
        inner.hasBarrier = inner.hasBarrier && count && *count > 0;
        flow = std::move(bounds);
        join(flow, inner);
        ir::For result = node;
        result.body = std::move(body);
        return ir::make(std::move(result));
    }

    Stmt loop(const ir::While &node, Flow &flow)
    {
        Flow condition;
        note(node.condition, condition);
        const bool isUniform = !varies(node.condition);
        m_depthOfDivergence += isUniform ? 0 : 1;
        Flow inner;
        Stmt body = visit(node.body, {}, inner);
        join(inner, condition);
        if (conflict(inner.tail, inner.head)) {
            const Accesses carried = inner.tail;
            inner = {};
            body = visit(node.body, carried, inner);
            join(inner, condition);
        }
        m_depthOfDivergence -= isUniform ? 0 : 1;
        inner.hasBarrier = false; // it may not be entered
        flow = std::move(condition);
        join(flow, inner);
        ir::While result = node;
        result.body = std::move(body);
        return ir::make(std::move(result));
    }

    Stmt branch(const ir::IfThenElse &node, Flow &flow)
    {
        note(node.condition, flow);
        const bool isUniform = !varies(node.condition);
        m_depthOfDivergence += isUniform ? 0 : 1;
        Flow yes, no;
        ir::IfThenElse result = node;
        result.thenCase = under(node.condition, node.thenCase, yes);
        if (node.elseCase)
            result.elseCase = under(ir::logicalNot(node.condition), node.elseCase, no);
        m_depthOfDivergence -= isUniform ? 0 : 1;
        Flow either;
        either.hasBarrier = yes.hasBarrier && no.hasBarrier;
        for (const Flow *each : {&yes, &no}) {
            append(either.head, each->head);
            append(either.tail, each->tail);
        }
        join(flow, either);
        return ir::make(std::move(result));
    }

    Stmt under(const Expr &condition, const Stmt &body, Flow &flow)
    {
        const Expr outer = m_condition;
        if (ir::isPure(condition))
            m_condition = outer ? ir::logicalAnd(outer, condition) : condition;
        Stmt result = visit(body, {}, flow);
        m_condition = outer;
        return result;
    }

    void leaf(const Stmt &s, Flow &flow)
    {
        if (ir::isBarrier(s)) {
            flow.hasBarrier = true;
            return;
        }
        if (const auto *store = s.as<ir::BufferStore>()) {
            note(store->value, flow);
            for (const Expr &index : store->indices)
                note(index, flow);
            add(store->buffer, true, store->indices.front(), flow);
            return;
        }
        if (const auto *evaluated = s.as<ir::Evaluate>())
            note(evaluated->value, flow);
    }

    /// Notes the accesses of computing `e`.
    void note(const Expr &e, Flow &flow)
    {
        if (!e)
            return;
        ir::forEachExpr(e, [&](const Expr &part) {
            if (const auto *load = part.as<ir::BufferLoad>())
                add(load->buffer, false, load->indices.front(), flow);
            const ir::Var pointer = ir::Var::from(part);
            if (pointer && m_written.contains(pointer)) // through it anything may be touched
                add({pointer, true, {}, {}, m_condition, m_place}, flow);
            return true;
        });
    }

    void add(const ir::Buffer &buffer, bool isWrite, const Expr &index, Flow &flow)
    {
        if (m_own.contains(buffer->data) || !m_written.contains(buffer->data))
            return;
        Expr place = index;
        if (buffer->elemOffset && !ir::isConstInt(buffer->elemOffset, 0))
            place = place + buffer->elemOffset;
        add({buffer->data, isWrite, ir::isPure(place) ? place : Expr(), {}, m_condition, m_place}, flow);
    }

    static void add(const ThreadAccess &access, Flow &flow)
    {
        for (Accesses *list : {&flow.head, &flow.tail})
            list->push_back(access);
    }

    static Accesses anyOf(const Accesses &accesses, const arith::VarRange &domain)
    {
        Accesses result = accesses;
        for (ThreadAccess &access : result)
            access.loops.insert(access.loops.begin(), domain);
        return result;
    }

    static Accesses replaced(const Accesses &accesses, const ir::VarMap<Expr> &values)
    {
        Accesses result;
        for (const ThreadAccess &access : accesses)
            result.push_back(analysis::substitute(access, values));
        return result;
    }

    bool conflict(const Accesses &before, const Accesses &after)
    {
        return std::ranges::any_of(before, [&](const ThreadAccess &a) {
            return std::ranges::any_of(after,
                                       [&](const ThreadAccess &b) { return m_conflicts.conflict(a, b); });
        });
    }

    /// Whether threads of a block may find another value. What is read of memory that the kernel leaves as it
    /// is hangs on the place alone; what the program says to be the same for all is believed, unless it is
    /// arithmetic on what differs.
    bool varies(const Expr &e) const
    {
        bool result = false;
        ir::forEachExpr(e, [&](const Expr &part) {
            const auto *load = part.as<ir::BufferLoad>();
            const auto *call = part.as<ir::Call>();
            const Expr same = call ? ir::threadInvariantOf(*call) : Expr();
            const ir::Intrinsic *intrinsic = call ? call->callee.intrinsic() : nullptr;
            if (same && !ir::isPure(same))
                return false;
            const ir::Var var = ir::Var::from(part);
            result = result || (load && !isKept(load->buffer->data)) || (var && m_divergent.contains(var))
                     || (call && (!intrinsic || intrinsic->purity != ir::Purity::Pure));
            return !result;
        });
        return result;
    }

    /// Whether the kernel reads the memory only.
    bool isKept(const ir::Var &memory) const
    {
        return !m_written.contains(memory) && !m_pointed.contains(memory) && !m_own.contains(memory);
    }

    Stmt barrier() const
    {
        if (m_depthOfDivergence > 0)
            throw support::UserError(
                support::diagnostic("lower.divergent-barrier",
                                    "threads would have to wait for each other where not all of them come by")
                    .withHint(
                        "they hand values to one another under a condition that may differ between threads: "
                        "move it inwards, or let the extents of the loops divide evenly")
                    .at(m_place));
        return ir::evaluate(ir::callIntrinsic(ir::intrinsics::tvmStorageSync, {ir::stringImm("shared")}));
    }

    arith::Analyzer &m_analyzer;
    analysis::ThreadConflicts m_conflicts;
    ir::VarSet m_own;       ///< memory of single threads
    ir::VarSet m_written;   ///< memory that the kernel writes
    ir::VarSet m_pointed;   ///< memory that the kernel uses through its pointer
    ir::VarSet m_divergent; ///< variables whose values differ between the threads of a block
    Expr m_condition;
    support::StmtId m_place;
    int m_depthOfDivergence = 0;
};

/// Finds the kernels.
class StorageSync : public ir::Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        const auto *loop = s.as<ir::For>();
        if (loop)
            m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
        if (!loop || !ir::isBoundTo(*loop, ir::ThreadRank::Thread))
            return children(s);
        const std::size_t outer = m_axes.size();
        m_axes.push_back({loop->var, {loop->min, loop->extent}});
        const auto *next = loop->body.as<ir::For>();
        ir::For result = *loop;
        if (next && ir::isBoundTo(*next, ir::ThreadRank::Thread)) {
            result.body = stmt(loop->body);
        } else if (std::ranges::any_of(
                       m_axes, [](const auto &axis) { return !ir::isConstInt(axis.range.extent, 1); })) {
            result.body = KernelSync(m_axes, m_analyzer, loop->body).synced(loop->body);
        }
        m_axes.resize(outer);
        return result.body.same(loop->body) ? s : ir::make(std::move(result));
    }

private:
    arith::Domains m_axes;
    arith::Analyzer m_analyzer;
};

} // namespace

ir::Module threadSync(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<StorageSync>(module);
}

} // namespace nestwright::lower
