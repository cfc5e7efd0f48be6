// SPDX-License-Identifier: Apache-2.0
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/purity.h"
#include "core/ir/threads.h"
#include "core/lower/passes/declarations.h"
#include "core/support/errors/errors.h"
#include "core/target/kinds.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace nestwright::lower {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;

namespace {

/// How the elements of a memory lie in registers: `run` neighbours in one lane, the next in the next one.
struct Spread {
    std::int64_t run = 1, lanes = 1;

    Expr lane(const Expr &index) const { return ir::floorMod(ir::floorDiv(index, Expr(run)), Expr(lanes)); }
    /// Among the registers of that lane.
    Expr place(const Expr &index) const
    {
        return ir::floorDiv(index, Expr(run * lanes)) * run + ir::floorMod(index, Expr(run));
    }
};

/// The accesses to one memory, and what they are done under.
class WarpUses : public ir::Visitor {
public:
    std::vector<Expr> loads, stores; ///< their indices
    bool isKnown = true;             ///< all are of the one view, element by element

    WarpUses(const Buffer &buffer, const ir::VarSet &threads, arith::Analyzer &analyzer)
        : m_buffer(buffer)
        , m_threads(threads)
        , m_analyzer(analyzer)
    {
    }

    void stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
            under({loop->min, loop->extent}, [&] { children(s); });
            return;
        }
        if (const auto *branch = s.as<ir::IfThenElse>())
            return under({branch->condition}, [&] { children(s); });
        if (const auto *loop = s.as<ir::While>())
            return under({loop->condition}, [&] { children(s); });
        if (const auto *store = s.as<ir::BufferStore>(); store && store->buffer->data == m_buffer->data)
            add(store->buffer, store->indices.front(), stores);
        children(s);
    }

    void expr(const Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>(); load && load->buffer->data == m_buffer->data) {
            add(load->buffer, load->indices.front(), loads);
            isKnown = isKnown && !m_isDivergent;
        }
        isKnown = isKnown && !e.same(m_buffer->data);
        const auto *call = e.as<ir::Call>();
        if (const auto *choice = e.as<ir::Select>())
            return under({choice->condition}, [&] { children(e); });
        if (call && call->callee == ir::intrinsics::ifThenElse)
            return under({call->args.front()}, [&] { children(e); });
        if (const auto *both = e.as<ir::Binary>(); both && ir::isLogical(both->op))
            return under({both->a}, [&] { children(e); });
        children(e);
    }

private:
    /// Visits code under conditions. If threads may diverge there, not all lanes would take part in an
    /// exchange.
    template <class F> void under(const std::vector<Expr> &conditions, F &&body)
    {
        const bool outer = m_isDivergent;
        for (const Expr &each : conditions)
            m_isDivergent = m_isDivergent || !ir::isPure(each) || ir::usesAny(each, m_threads);
        body();
        m_isDivergent = outer;
    }

    void add(const Buffer &buffer, const Expr &index, std::vector<Expr> &to)
    {
        isKnown = isKnown && buffer == m_buffer && !index.dtype().isVector();
        to.push_back(index);
    }

    const Buffer &m_buffer;
    const ir::VarSet &m_threads;
    arith::Analyzer &m_analyzer;
    bool m_isDivergent = false;
};

/// Puts accesses to `from` elsewhere.
class Moved : public ir::Rewriter {
public:
    using Move = std::function<Expr(const Expr &index)>;

    /// `load`: the value of an element; `store`: where it is put in `to`.
    Moved(Buffer from, Buffer to, Move load, Move store)
        : m_from(std::move(from))
        , m_to(std::move(to))
        , m_load(std::move(load))
        , m_store(std::move(store))
    {
    }

    Expr expr(const Expr &e) override
    {
        Expr changed = children(e);
        const auto *load = changed.as<ir::BufferLoad>();
        return load && load->buffer == m_from ? m_load(load->indices.front()) : changed;
    }

    Stmt stmt(const Stmt &s) override
    {
        Stmt changed = children(s);
        const auto *store = changed.as<ir::BufferStore>();
        if (!store || store->buffer != m_from)
            return changed;
        ir::BufferStore result = *store;
        result.buffer = m_to;
        result.indices = {m_store(store->indices.front())};
        return ir::make(std::move(result));
    }

private:
    Buffer m_from, m_to;
    Move m_load, m_store;
};

class WarpMemory : public ir::Rewriter {
public:
    explicit WarpMemory(bool hasShuffles) : m_hasShuffles(hasShuffles) {}

    Stmt stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
            const bool isThread = ir::isBoundTo(*loop, ir::ThreadRank::Thread);
            if (isThread)
                m_threads.push_back(loop);
            Stmt result = children(s);
            if (isThread)
                m_threads.pop_back();
            return result;
        }
        const auto *memory = s.as<ir::Allocate>();
        if (!memory || ir::memoryRankOf(memory->scope) != ir::MemoryRank::Warp)
            return children(s);
        const auto *view = memory->body.as<ir::DeclBuffer>();
        const std::int64_t *size = view ? ir::asInt(view->buffer.shape().front()) : nullptr;
        if (!size || view->buffer->data != memory->data)
            refuse(memory->data.name(), "its size is not constant", "let it have a constant size");
        const Stmt body = stmt(view->body);
        const std::optional<Spread> spread = spreadOf(view->buffer, *size, body);
        return spread ? inRegisters(view->buffer, *size, body, *spread) : inShared(view->buffer, *size, body);
    }

private:
    [[noreturn]] static void refuse(const std::string &memory, const std::string &reason,
                                    const std::string &hint)
    {
        throw support::UserError(
            support::diagnostic("lower.warp-memory", "'" + memory + "' cannot be in warp memory: " + reason)
                .withHint(hint));
    }

    /// The loop over the threads of a warp; null where there is none.
    const ir::For *lanes() const
    {
        const auto found = std::ranges::find(m_threads, std::size_t{0}, [](const ir::For *loop) {
            return ir::threadAxisOf(*loop)->dimension;
        });
        return found == m_threads.end() ? nullptr : *found;
    }

    /// A distribution over the lanes in which each lane stores only to registers of its own, and each load
    /// reads an own register or the same register of some lane in all of them.
    std::optional<Spread> spreadOf(const Buffer &buffer, std::int64_t size, const Stmt &body)
    {
        const ir::For *along = lanes();
        const std::int64_t *count = along ? ir::asInt(along->extent) : nullptr;
        if (!m_hasShuffles || !count || *count < 1 || *count > ir::warpSize || size % *count != 0
            || !std::has_single_bit(static_cast<std::uint64_t>(*count)) || buffer.dtype().isVector())
            return std::nullopt;
        ir::VarSet threads;
        for (const ir::For *loop : m_threads)
            threads.insert(loop->var);
        WarpUses uses(buffer, threads, m_analyzer);
        uses.stmt(body);
        const Expr own = Expr(along->var) - along->min;
        const auto isOwn = [&](const Spread &spread, const Expr &index) {
            return ir::isPure(index) && m_analyzer.canProveEqual(spread.lane(index), own);
        };
        const auto isOneRegister = [&](const Spread &spread, const Expr &index) {
            const Expr place = m_analyzer.simplify(spread.place(index));
            return ir::isPure(place) && !ir::usesAny(place, threads);
        };
        for (std::int64_t run = 1; uses.isKnown && run <= size / *count; ++run) {
            const Spread spread{run, *count};
            if (size % (run * *count) == 0
                && std::ranges::all_of(uses.stores, [&](const Expr &e) { return isOwn(spread, e); })
                && std::ranges::all_of(
                    uses.loads, [&](const Expr &e) { return isOwn(spread, e) || isOneRegister(spread, e); }))
                return spread;
        }
        return std::nullopt;
    }

    /// Each lane has its elements in registers; others ask for them by a shuffle.
    Stmt inRegisters(const Buffer &buffer, std::int64_t size, const Stmt &body, const Spread &spread)
    {
        const Buffer own(buffer.name(), {Expr(size / spread.lanes)}, buffer.dtype(), "local");
        const Expr self = Expr(lanes()->var) - lanes()->min;
        const auto at = [&](const Expr &index) { return m_analyzer.simplify(spread.place(index)); };
        const auto load = [&](const Expr &index) {
            Expr value = ir::load(own, {at(index)});
            const Expr lane = spread.lane(index);
            if (m_analyzer.canProveEqual(lane, self))
                return value;
            const Expr mask = ir::call(ir::DataType::uint(32), ir::intrinsics::tvmWarpActiveMask, {});
            return ir::call(buffer.dtype(), ir::intrinsics::tvmWarpShuffle,
                            {mask, value, m_analyzer.simplify(lane), Expr(spread.lanes), Expr(ir::warpSize)});
        };
        return ir::allocated(own, Moved(buffer, own, load, at).stmt(body));
    }

    /// A part of shared memory for the threads of each row.
    Stmt inShared(const Buffer &buffer, std::int64_t size, const Stmt &body)
    {
        Expr row = 0;
        std::int64_t rows = 1;
        for (const ir::For *loop : m_threads) {
            const std::int64_t *extent = ir::asInt(loop->extent);
            if (!extent)
                refuse(buffer.name(), "the number of threads along " + loop->thread + " is not constant",
                       "split the loop by a constant factor and bind that part");
            if (loop == lanes())
                continue;
            row = row * *extent + (Expr(loop->var) - loop->min);
            rows *= *extent;
        }
        const Buffer shared(buffer.name(), {Expr(size * rows)}, buffer.dtype(), "shared");
        const auto at = [&](const Expr &index) { return index + row * size; };
        const Stmt moved =
            Moved(
                buffer, shared, [&](const Expr &index) { return ir::load(shared, {at(index)}); }, at)
                .stmt(body);
        bool isMoved = true;
        ir::forEachStmt(moved, [&](const Stmt &s) {
            const auto *view = s.as<ir::DeclBuffer>();
            isMoved = isMoved && !(view && view->buffer->data == buffer->data);
            return true;
        });
        if (!isMoved || ir::uses(moved, buffer->data))
            refuse(buffer.name(), "its address is taken", "let it be read and written by its indices");
        return ir::allocated(shared, moved);
    }

    bool m_hasShuffles;
    std::vector<const ir::For *> m_threads;
    arith::Analyzer m_analyzer;
};

} // namespace

ir::Module lowerWarpMemory(const ir::Module &module, const target::Context &context)
{
    return ir::rewriteModule<WarpMemory>(module, target::kindOf(context.target.kind).hasShuffles);
}

} // namespace nestwright::lower
