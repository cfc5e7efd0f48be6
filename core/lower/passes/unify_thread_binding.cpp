// SPDX-License-Identifier: Apache-2.0
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/ir/node/block_marker.h"
#include "core/ir/threads.h"
#include "core/lower/own_memory.h"
#include "core/lower/passes/declarations.h"
#include "core/lower/thread_effects.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <array>
#include <optional>

namespace nestwright::lower {

using ir::Buffer;
using ir::Expr;
using ir::MemoryRank;
using ir::Stmt;
using ir::ThreadRank;
using support::UserError;

namespace {

/// An axis of a kernel, to which all its loops over that axis are joined.
struct Axis {
    ir::ThreadAxis axis;
    ir::For loop;                    ///< the first of them
    const ir::For *around = nullptr; ///< the innermost loop over it around the statement that is looked at
    bool isOpen() const { return around != nullptr; }
};

/// The loops over threads of a kernel become one nest around it.
class Unifying : public ir::Rewriter {
public:
    Expr expr(const Expr &e) override
    {
        if (e.as<ir::VarNode>()) {
            const auto found = m_values.find(ir::Var::from(e));
            return found == m_values.end() ? e : found->second;
        }
        return children(e);
    }

    Stmt stmt(const Stmt &s) override
    {
        if (const auto *launch = s.as<ir::AttrStmt>(); launch && ir::launchedThread(*launch))
            throw UserError(
                support::diagnostic("lower.thread-axis", "the variable '" + ir::launchedThread(*launch).name()
                                                             + "' is launched as a thread, but on no axis")
                    .withHint("say T.launch_thread(\"threadIdx.x\", …) instead of the attribute"));
        const auto *loop = s.as<ir::For>();
        if (!m_isInKernel) {
            if (loop && isReal(*loop))
                return kernel(s);
            if (!loop)
                return onHost(s);
            m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
            const int repeats = ir::isConstInt(loop->extent, 1) ? 0 : 1;
            m_hostLoops += repeats;
            Stmt result = onHost(s);
            m_hostLoops -= repeats;
            return result;
        }
        if (loop && isReal(*loop))
            return joined(*loop);
        if (loop)
            m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
        if (const auto *memory = s.as<ir::Allocate>()) {
            Stmt result = children(scoped(s, *memory));
            const auto &made = *result.as<ir::Allocate>();
            const MemoryRank rank = ir::memoryRankOf(made.scope);
            SharingThreads sharing;
            for (const Axis &axis : m_axes) {
                const bool isSharing =
                    rank == MemoryRank::Block || (rank == MemoryRank::Warp && axis.axis.dimension == 0);
                if (axis.axis.rank == ThreadRank::Thread && isSharing)
                    (axis.isOpen() ? sharing.around : sharing.within)
                        .push_back({axis.loop.var, {axis.loop.min, axis.loop.extent}});
            }
            if (!sharing.around.empty())
                requireOwnElements(made.body, made.data, sharing, m_analyzer);
            return result;
        }
        return guarded(s);
    }

private:
    /// Memory of a block or thread that stands outside of the kernel which uses it.
    struct Outside {
        ir::Allocate memory;
        std::optional<ir::DeclBuffer> view;
        int hostLoops = 0; ///< around it
        bool isTaken = false;
    };

    /// Memory that only kernels have is moved into the kernel that uses it.
    Stmt onHost(const Stmt &s)
    {
        const auto *memory = s.as<ir::Allocate>();
        if (!memory || ir::memoryRankOf(memory->scope) == MemoryRank::Device)
            return children(s);
        Outside outside{*memory, std::nullopt, m_hostLoops};
        Stmt rest = memory->body;
        if (const auto *view = rest.as<ir::DeclBuffer>(); view && view->buffer->data == memory->data) {
            outside.view = *view;
            rest = view->body;
        }
        m_outside.push_back(std::move(outside));
        Stmt body = stmt(rest);
        const Outside done = std::move(m_outside.back());
        m_outside.pop_back();
        if (!done.isTaken) // there are no threads that would share it, or not
            return body.same(rest) ? s : around(done, body);
        if (touches(body, memory->data, true))
            throw UserError(
                support::diagnostic("lower.memory-scope",
                                    "the buffer '" + nameOf(done) + "' is in " + memory->scope
                                        + " memory of a kernel, but is used outside of it too")
                    .withHint("put it into global memory with set_scope, or bind the loops that use it"));
        return body;
    }

    static Stmt around(const Outside &outside, Stmt body)
    {
        if (outside.view) {
            ir::DeclBuffer view = *outside.view;
            view.body = std::move(body);
            body = ir::make(std::move(view));
        }
        ir::Allocate memory = outside.memory;
        memory.body = std::move(body);
        return ir::make(std::move(memory));
    }

    static std::string nameOf(const Outside &outside)
    {
        return outside.view ? outside.view->buffer.name() : outside.memory.data.name();
    }

    Stmt kernel(const Stmt &s)
    {
        m_isInKernel = true;
        m_axes.clear();
        collect(s);
        for (const Axis &axis : m_axes)
            m_analyzer.bind(axis.loop.var, ir::Range{axis.loop.min, axis.loop.extent});
        Stmt body = joined(*s.as<ir::For>());
        arith::Domains blocks;
        KernelThreads threads;
        for (const Axis &axis : m_axes) {
            arith::Domains &axes = axis.axis.rank != ThreadRank::Thread ? blocks
                                   : axis.axis.dimension == 0           ? threads.lanes
                                                                        : threads.rows;
            axes.push_back({axis.loop.var, {axis.loop.min, axis.loop.extent}});
        }
        requireOwnMemory(body, blocks, threads, m_analyzer);
        for (std::size_t i = m_outside.size(); i-- > 0;)
            body = withMemory(m_outside[i], std::move(body));
        for (std::size_t i = m_axes.size(); i-- > 0;) {
            ir::For loop = m_axes[i].loop;
            loop.body = std::move(body);
            body = ir::make(std::move(loop));
        }
        m_isInKernel = false;
        return body;
    }

    Stmt withMemory(Outside &outside, Stmt body)
    {
        if (!touches(body, outside.memory.data))
            return body;
        if (outside.isTaken)
            throw UserError(support::diagnostic("lower.memory-scope", "the buffer '" + nameOf(outside)
                                                                          + "' in " + outside.memory.scope
                                                                          + " memory is used by two kernels")
                                .withHint("put it into global memory with set_scope"));
        if (outside.hostLoops < m_hostLoops)
            throw UserError(
                support::diagnostic(
                    "lower.memory-scope",
                    "the buffer '" + nameOf(outside) + "' in " + outside.memory.scope
                        + " memory is used by several launches of a kernel, each of which has "
                          "its own")
                    .withHint("put it into global memory with set_scope, or bind the loop around the kernel "
                              "to blocks"));
        outside.isTaken = true;
        return around(outside, std::move(body));
    }

    /// The axes of the kernel: those of blocks before those of threads, each in the order of the program. The
    /// greatest extent counts.
    void collect(const Stmt &s)
    {
        ir::VarSet inside;
        ir::forEachStmt(s, [&](const Stmt &part) {
            if (const auto *bound = part.as<ir::LetStmt>())
                inside.insert(bound->var);
            const auto *loop = part.as<ir::For>();
            if (!loop)
                return true;
            inside.insert(loop->var);
            if (isReal(*loop))
                note(*loop, inside);
            return true;
        });
        std::ranges::stable_partition(m_axes,
                                      [](const Axis &each) { return each.axis.rank == ThreadRank::Block; });
    }

    void note(const ir::For &loop, const ir::VarSet &inside)
    {
        if (ir::usesAny(loop.extent, inside))
            throw UserError(
                support::diagnostic("lower.thread-extent", "the number of iterations of '" + loop.var.name()
                                                               + "', bound to " + loop.thread
                                                               + ", changes within the kernel")
                    .withHint(
                        "a launch fixes the number of threads: bind a loop whose extent is known before it")
                    .at(loop.id));
        const ir::ThreadAxis axis = *ir::threadAxisOf(loop);
        const auto known = std::ranges::find(m_axes, axis, &Axis::axis);
        if (known == m_axes.end()) {
            Axis added{axis, loop};
            added.loop.var = ir::Var(loop.var.name(), loop.var.dtype());
            added.loop.min = ir::constant(0, loop.var.dtype());
            m_axes.push_back(std::move(added));
        } else {
            const Expr extent = ir::cast(known->loop.var.dtype(), loop.extent);
            known->loop.extent = m_analyzer.simplify(ir::max(known->loop.extent, extent));
        }
    }

    /// The body of a loop over an axis, for the thread that has its number.
    Stmt joined(const ir::For &loop)
    {
        Axis &axis = *std::ranges::find(m_axes, *ir::threadAxisOf(loop), &Axis::axis);
        const Expr thread = ir::cast(loop.var.dtype(), axis.loop.var);
        const Expr extent = expr(loop.extent);
        m_values[loop.var] = thread + expr(loop.min);
        const ir::For *outer = std::exchange(axis.around, &loop);
        // The thread's number must stand for both.
        const bool isSame = !outer
                            || (!ir::uses(loop.body, outer->var) && !hangsOn(outer->body, outer->var, loop)
                                && m_analyzer.canProveEqual(outer->extent, axis.loop.extent));
        if (!isSame)
            throw UserError(
                support::diagnostic("lower.same-thread",
                                    "the loops '" + outer->var.name() + "' and '" + loop.var.name()
                                        + "', one within the other, are both bound to " + loop.thread
                                        + ": a thread runs only iterations in which both have its number")
                    .withHint("bind one of them to another axis, or fuse them and bind the result")
                    .at(loop.id));
        Stmt body = stmt(loop.body);
        axis.around = outer;
        if (!m_analyzer.canProveEqual(extent, axis.loop.extent))
            body = ir::ifThenElse(ir::lt(thread, extent), body);
        return loop.id == axis.loop.id || !loop.id ? body : marked(loop, std::move(body));
    }

    static Stmt marked(const ir::For &loop, Stmt body)
    {
        ir::AttrStmt mark;
        mark.node = ir::stringImm(loop.var.name());
        mark.key = ir::blockMarker;
        mark.value = ir::intImm(loop.id.value);
        mark.body = std::move(body);
        return ir::make(std::move(mark));
    }

    /// A statement outside of some loops over threads is one thread's, unless it works on each thread's own
    /// memory.
    Stmt guarded(const Stmt &s)
    {
        if (m_isGuarded)
            return children(s);
        const Effects effects = effectsOf(s);
        if (effects.holdsThreads || effects.holdsBarriers || effects.none())
            return children(s);
        if (effects.isMixed() && !s.as<ir::BufferStore>() && !s.as<ir::Evaluate>())
            return children(s);
        Expr condition = ir::boolImm(true);
        for (const Axis &axis : m_axes) {
            if (!axis.isOpen() && effects.areShared(axis.axis) && !ir::isConstInt(axis.loop.extent, 1))
                condition =
                    ir::logicalAnd(condition, ir::eq(axis.loop.var, ir::constant(0, axis.loop.var.dtype())));
        }
        m_isGuarded = true;
        const Stmt body = children(s);
        m_isGuarded = false;
        return ir::isTrue(condition) ? body : ir::ifThenElse(condition, body);
    }

    /// Global memory that is made in a kernel is that of the block or thread that makes it.
    Stmt scoped(const Stmt &s, const ir::Allocate &memory)
    {
        if (ir::memoryRankOf(memory.scope) != MemoryRank::Device)
            return s;
        const auto isThread = [](const Axis &axis) { return axis.axis.rank == ThreadRank::Thread; };
        const auto isOpen = [](const Axis &axis) { return axis.isOpen(); };
        const auto all = std::ranges::count_if(m_axes, isThread);
        const auto open =
            std::ranges::count_if(m_axes, [&](const Axis &a) { return isThread(a) && isOpen(a); });
        if (open != 0 && open != all)
            throw UserError(support::diagnostic(
                                "lower.memory-scope",
                                "the buffer '" + memory.data.name()
                                    + "' is made within some of the loops over threads, outside of others")
                                .withHint("say with set_scope whether it is \"shared\" or \"local\""));
        const std::string scope = open == 0 ? "shared" : "local";
        ir::BufferMap<Buffer> renamed;
        ir::forEachStmt(memory.body, [&](const Stmt &part) {
            const auto *view = part.as<ir::DeclBuffer>();
            if (view && view->buffer->data == memory.data) {
                ir::BufferNode node = *view->buffer.get();
                node.scope = scope;
                renamed[view->buffer] = Buffer(std::move(node));
            }
            return true;
        });
        ir::Allocate result = memory;
        result.scope = scope;
        result.body = ir::substituteBuffers(memory.body, renamed);
        return ir::make(std::move(result));
    }

    std::vector<Axis> m_axes; ///< of the present kernel
    std::vector<Outside> m_outside;
    ir::VarMap<Expr> m_values;
    arith::Analyzer m_analyzer;
    int m_hostLoops = 0; ///< around the present statement, but those of one turn
    bool m_isInKernel = false;
    bool m_isGuarded = false; ///< in a statement whose threads are chosen
};

} // namespace

ir::Module unifyThreadBinding(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<Unifying>(module);
}

} // namespace nestwright::lower
