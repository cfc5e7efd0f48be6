// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/allocation_plan.h"

#include "core/analysis/access/accesses.h"
#include "core/analysis/access/part_users.h"
#include "core/arith/int_set.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/node/equality.h"
#include "core/ir/purity.h"
#include "core/ir/threads.h"

#include <algorithm>

namespace nestwright::analysis {

using ir::Buffer;
using ir::Stmt;

namespace {

/// Whether `block` begins by writing, where all reduction variables are at their start: in its init, or in
/// its body in the form that lowerInitBlock gives it. Such a block does not need earlier elements of the
/// buffer.
bool beginsWithInit(const ir::Block &block, const Buffer &buffer)
{
    if (block.init) {
        const auto *store = block.init.as<ir::BufferStore>();
        return store && store->buffer == buffer;
    }
    const auto *sequence = block.body.as<ir::Seq>();
    if (!sequence)
        return false;
    Stmt first = sequence->stmts.front();
    bool anyReduce = std::ranges::any_of(
        block.iterVars, [](const ir::IterVar &iter) { return iter.kind == ir::IterKind::Reduce; });
    if (const auto *guard = first.as<ir::IfThenElse>()) {
        ir::Expr atStart = ir::boolImm(true);
        for (const ir::IterVar &iter : block.iterVars) {
            if (iter.kind == ir::IterKind::Reduce)
                atStart = ir::logicalAnd(atStart, ir::eq(iter.var, iter.domain.min));
        }
        if (!ir::structurallyEqual(guard->condition, atStart) || guard->elseCase)
            return false;
        first = guard->thenCase;
        anyReduce = false;
    }
    const auto *store = first.as<ir::BufferStore>();
    return store && store->buffer == buffer && !anyReduce;
}

/// Whether a part of a region may be another one after a store.
bool changes(const ir::Range &range) { return !ir::isPure(range.min) || !ir::isPure(range.extent); }

/// Follows the statements of one iteration of a loop in program order, and looks for a read of elements that
/// the iteration has not written.
class RoundCheck {
public:
    RoundCheck(const ir::For &loop, const Buffer &buffer, arith::Analyzer &analyzer)
        : m_loop(loop)
        , m_buffer(buffer)
        , m_analyzer(analyzer)
    {
    }

    bool readsOnlyItsOwn()
    {
        visit(m_loop.body, false);
        return m_isSound;
    }

private:
    /// Elements that the iteration has written, where the conditions hold in it.
    struct Written {
        arith::Region region;
        std::vector<ir::Expr> conditions;
    };

    void visit(const Stmt &s, bool isConditional)
    {
        if (!m_isSound || !ir::uses(s, m_buffer))
            return;
        switch (s.kind()) {
        case ir::StmtKind::For: {
            const auto &inner = *s.as<ir::For>();
            m_isSound = m_isSound && ir::isPure(inner.min) && ir::isPure(inner.extent);
            m_inner.push_back({inner.var, {inner.min, inner.extent}});
            visit(inner.body, isConditional);
            m_inner.pop_back();
            return;
        }
        case ir::StmtKind::Seq:
            for (const Stmt &part : s.as<ir::Seq>()->stmts)
                visit(part, isConditional);
            return;
        case ir::StmtKind::IfThenElse:
            visit(s.as<ir::IfThenElse>()->thenCase, true);
            if (s.as<ir::IfThenElse>()->elseCase)
                visit(s.as<ir::IfThenElse>()->elseCase, true);
            return;
        case ir::StmtKind::Block: return visit(*s.as<ir::Block>(), isConditional);
        default: m_isSound = false; return; // nothing is known of it
        }
    }

    void visit(const ir::Block &block, bool isConditional)
    {
        if (isWrapper(block)) // the blocks within declare their accesses
            return visit(block.body, isConditional || !ir::isTrue(block.predicate));
        if (!ir::hasRegion(block.reads, m_buffer) && !ir::hasRegion(block.writes, m_buffer)) {
            m_isSound = false;
            return;
        }
        ir::VarMap<ir::Expr> values;
        bool reducesOutside = false; // then the init may have run in an earlier iteration
        for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
            values[block.iterVars[i].var] = block.iterValues[i];
            reducesOutside =
                reducesOutside
                || (block.iterVars[i].kind != ir::IterKind::Spatial && !movesWithin(block.iterValues[i]));
        }
        const bool isOwn = beginsWithInit(block, m_buffer) && !reducesOutside;
        // An init reads the block's writes too, though they are not among its reads.
        std::vector<ir::BufferRegion> reads = block.reads;
        if (loads(block.body))
            reads.insert(reads.end(), block.writes.begin(), block.writes.end());
        for (const ir::BufferRegion &read : reads) {
            if (read.buffer == m_buffer && !isOwn
                && !isWritten(ir::substitute(read, values), block.predicate))
                m_isSound = false;
        }
        if (isConditional)
            return;
        for (const ir::BufferRegion &write : block.writes) {
            if (write.buffer != m_buffer || !ir::isPure(block.predicate)
                || std::ranges::any_of(write.region, changes))
                continue;
            const arith::Region region = ir::substitute(write, values).region;
            const ir::Expr predicate = beyondBounds(block.predicate, region);
            if (const auto exact = arith::exactRegionOver(region, m_inner, m_analyzer, predicate))
                m_written.push_back({*exact, ofTheRound(predicate)});
        }
    }

    /// Whether only loops within the iteration move it.
    bool movesWithin(const ir::Expr &value) const
    {
        return std::ranges::all_of(ir::variablesOf(value), [&](const ir::Var &var) {
            return std::ranges::any_of(m_inner, [&](const auto &loop) { return loop.var == var; });
        });
    }

    /// `predicate` without the conditions that only keep `region` within the buffer: none reads beyond it.
    ir::Expr beyondBounds(const ir::Expr &predicate, const arith::Region &region)
    {
        std::vector<ir::Expr> terms = ir::conjunctsOf(predicate);
        std::erase_if(terms, [&](const ir::Expr &term) {
            const auto *below = term.as<ir::Binary>();
            for (std::size_t d = 0; below && below->op == ir::BinaryOp::LT && d < region.size(); ++d) {
                if (ir::isConstInt(region[d].extent, 1)
                    && m_analyzer.canProveEqual(below->b, m_buffer.shape()[d])
                    && m_analyzer.canProveEqual(below->a, region[d].min))
                    return true;
            }
            return false;
        });
        return ir::conjunctionOf(terms);
    }

    /// The conditions in `predicate` that hold in the whole iteration or not at all.
    std::vector<ir::Expr> ofTheRound(const ir::Expr &predicate)
    {
        std::vector<ir::Expr> terms = ir::conjunctsOf(predicate);
        std::erase_if(terms, [&](const ir::Expr &term) {
            return m_analyzer.canProve(term)
                   || std::ranges::any_of(
                       m_inner, [&](const arith::VarRange &loop) { return ir::uses(term, loop.var); });
        });
        return terms;
    }

    bool loads(const Stmt &s) const
    {
        bool found = false;
        ir::forEachExpr(s, [&](const ir::Expr &e) {
            const auto *load = e.as<ir::BufferLoad>();
            found = found || (load && load->buffer == m_buffer);
            return !found;
        });
        return found;
    }

    bool isWritten(const ir::BufferRegion &read, const ir::Expr &predicate)
    {
        if (std::ranges::any_of(read.region, changes))
            return false;
        const auto region = arith::regionOver(read.region, m_inner, m_analyzer, predicate);
        const std::vector<ir::Expr> known = ir::conjunctsOf(predicate);
        const auto holds = [&](const ir::Expr &condition) {
            return std::ranges::any_of(
                known, [&](const ir::Expr &each) { return ir::structurallyEqual(each, condition); });
        };
        return region && std::ranges::any_of(m_written, [&](const Written &written) {
                   return std::ranges::all_of(written.conditions, holds)
                          && arith::covers(written.region, *region, m_analyzer);
               });
    }

    const ir::For &m_loop;
    Buffer m_buffer;
    arith::Analyzer &m_analyzer;
    arith::Domains m_inner;
    std::vector<Written> m_written;
    bool m_isSound = true;
};

/// Memories accessed through several buffers, so that one may read what another wrote.
class SharedMemories : public ir::Visitor {
public:
    ir::VarSet found;

    void buffer(const Buffer &b) override
    {
        const auto [known, isNew] = m_first.emplace(b->data, b);
        if (!isNew && !(known->second == b))
            found.insert(b->data);
    }

private:
    ir::VarMap<Buffer> m_first;
};

class Planner : public ir::Visitor {
public:
    explicit Planner(ir::VarSet shared) : m_shared(std::move(shared)) {}

    AllocationPlan plan;

    void stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>())
            m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
        if (const auto *block = s.as<ir::Block>()) {
            for (const ir::IterVar &iter : block->iterVars)
                m_analyzer.bind(iter.var, iter.domain);
            for (const Buffer &buffer : block->allocBuffers)
                place(buffer, block->body);
        }
        children(s);
    }

private:
    void place(const Buffer &buffer, Stmt scope)
    {
        if (m_shared.contains(buffer->data))
            return;
        const bool isOfDevice = ir::memoryRankOf(buffer->scope) == ir::MemoryRank::Device;
        const ir::For *innermost = nullptr;
        for (;;) {
            if (const auto *sequence = scope.as<ir::Seq>()) {
                const PartUsers::Indices &users = m_users.of(scope, buffer);
                if (users.size() != 1)
                    break;
                scope = Stmt(sequence->stmts[users.front()]);
                continue;
            }
            const auto *loop = scope.as<ir::For>();
            const bool mayEnter = loop && loop->forKind != ir::ForKind::Vectorized
                                  && (loop->forKind != ir::ForKind::ThreadBinding || !isOfDevice);
            if (!mayEnter)
                break;
            m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
            // If the iterations of an inner loop read only elements that they wrote themselves, those of this
            // loop do too, even where RoundCheck cannot prove it of this loop.
            if (RoundCheck(*loop, buffer, m_analyzer).readsOnlyItsOwn())
                innermost = loop;
            scope = loop->body;
        }
        if (innermost)
            plan[innermost].push_back(buffer);
    }

    ir::VarSet m_shared;
    arith::Analyzer m_analyzer;
    PartUsers m_users;
};

} // namespace

AllocationPlan planAllocations(const ir::PrimFunc &function)
{
    SharedMemories memories;
    memories.stmt(function.body);
    Planner planner(std::move(memories.found));
    planner.stmt(function.body);
    return std::move(planner.plan);
}

std::unordered_map<support::StmtId, std::vector<ir::Var>> memoriesOfRounds(const ir::PrimFunc &function)
{
    std::unordered_map<support::StmtId, std::vector<ir::Var>> result;
    for (const auto &[node, buffers] : planAllocations(function)) {
        for (const Buffer &buffer : buffers)
            result[static_cast<const ir::For *>(node)->id].push_back(buffer->data);
    }
    return result;
}

} // namespace nestwright::analysis
