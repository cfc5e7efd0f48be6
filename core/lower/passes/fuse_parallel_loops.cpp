// SPDX-License-Identifier: Apache-2.0
/// Two parallel loops over the same range, one behind the other, become one where no iteration needs, or
/// overwrites, what another iteration of the other loop touches: threads are woken once and wait once.
///
/// It is proved where each iteration keeps to a strip of every memory: elements from factor · i + low to
/// factor · i + high with less than `factor` between the ends of both loops' strips; or where the loops touch
/// different parts of a memory altogether. It takes no look at single elements, which are many.
#include "core/arith/affine.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/ir/purity.h"
#include "core/ir/shared_memory.h"
#include "core/lower/access_collector.h"
#include "core/lower/passes/copies.h"
#include "core/lower/passes/declarations.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace nestwright::lower {

using analysis::ThreadAccess;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

/// Memory outside a loop that its body touches; unknown where loads and stores do not show all of it.
class Touched final : public ir::Visitor {
public:
    std::vector<ThreadAccess> accesses;
    bool isKnown = true;

    /// `memories`: that share no element with one another.
    Touched(const Stmt &body, const ir::VarSet &memories)
    {
        stmt(body);
        AccessCollector collector;
        collector.stmt(body);
        for (auto &[buffer, touched] : collector.buffers) {
            if (m_made.contains(buffer->data)) // each iteration's own
                continue;
            isKnown = isKnown && memories.contains(buffer->data) && !m_used.contains(buffer->data)
                      && buffer.hasDefaultOffset();
            for (std::vector<ThreadAccess> *list : {&touched.reads, &touched.writes}) {
                for (ThreadAccess &access : *list)
                    add(std::move(access));
            }
        }
    }

    void stmt(const Stmt &s) override
    {
        if (const auto *memory = s.as<ir::Allocate>())
            m_made.insert(memory->data);
        if (const auto *bound = s.as<ir::LetStmt>())
            m_bound.insert(bound->var);
        children(s);
    }

    void expr(const Expr &e) override
    {
        if (const auto *call = e.as<ir::Call>()) {
            const ir::Intrinsic *intrinsic = call->callee.intrinsic();
            isKnown = isKnown && intrinsic && intrinsic->purity == ir::Purity::Pure;
        }
        if (const auto *bound = e.as<ir::Let>())
            m_bound.insert(bound->var);
        if (e.as<ir::VarNode>())
            m_used.insert(Var::from(e));
        children(e);
    }

private:
    /// Variables that are no loops differ between iterations in ways that are not seen: any element then.
    void add(ThreadAccess access)
    {
        if (access.index && ir::usesAny(access.index, m_bound))
            access.index = {};
        if (access.condition && ir::usesAny(access.condition, m_bound))
            access.condition = {};
        for (const arith::VarRange &loop : access.loops) {
            if (!ir::isPure(loop.range.min) || !ir::isPure(loop.range.extent)
                || ir::usesAny(loop.range.min, m_bound) || ir::usesAny(loop.range.extent, m_bound))
                access.index = {};
        }
        accesses.push_back(std::move(access));
    }

    ir::VarSet m_made, m_bound, m_used;
};

/// The elements that iteration i touches, and those that all do: factor · i + rest.
struct Strip {
    const ThreadAccess *access = nullptr;
    std::int64_t factor = 0;
    ir::Range rest, whole;
};

class Fusing : public ir::Rewriter {
public:
    explicit Fusing(const ir::PrimFunc &function)
    {
        for (std::size_t i = 0; i < function.params.size(); ++i) {
            if (function.params[i].buffer && ir::isNoAlias(function, i))
                m_memories.insert(function.params[i].buffer->data);
        }
    }

    Stmt stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>(); loop && ir::isPure(loop->min) && ir::isPure(loop->extent))
            m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
        if (const auto *memory = s.as<ir::Allocate>())
            m_memories.insert(memory->data);
        Stmt changed = children(s);
        const auto *sequence = changed.as<ir::Seq>();
        if (!sequence)
            return changed;
        std::vector<Stmt> parts;
        for (const Stmt &part : sequence->stmts) {
            const Stmt both = parts.empty() ? Stmt() : fused(parts.back(), part);
            if (both)
                parts.back() = both;
            else
                parts.push_back(part);
        }
        return parts.size() == sequence->stmts.size() ? changed : ir::seq(std::move(parts));
    }

private:
    /// The loop of both, or null where they stay two.
    Stmt fused(const Stmt &before, const Stmt &after)
    {
        const auto *first = before.as<ir::For>(), *second = after.as<ir::For>();
        if (!first || !second || !haveSameRounds(*first, *second))
            return {};
        const Stmt body = withValue(second->body, second->var, first->var);
        const Touched one(first->body, m_memories), other(body, m_memories);
        if (!one.isKnown || !other.isKnown)
            return {};
        const std::vector<Strip> strips = stripsOf(other, *first);
        for (const Strip &a : stripsOf(one, *first)) {
            if (std::ranges::any_of(strips, [&](const Strip &b) { return mayMeet(a, b); }))
                return {};
        }
        ir::For both = *first;
        both.body = ir::seq({first->body, body});
        return ir::make(std::move(both));
    }

    std::vector<Strip> stripsOf(const Touched &touched, const ir::For &loop)
    {
        std::vector<Strip> strips;
        for (const ThreadAccess &access : touched.accesses) {
            Strip strip{.access = &access, .rest = {}, .whole = {}};
            const auto form = access.index ? arith::affineIn(access.index, {loop.var}) : std::nullopt;
            const auto valuesOf = [&](const Expr &e, const arith::Domains &loops) {
                const auto region = arith::regionOver({{e, 1}}, loops, m_analyzer);
                return region ? region->front() : ir::Range();
            };
            if (form) {
                strip.factor = form->factorOf(loop.var);
                strip.rest = valuesOf(form->base, access.loops);
                if (strip.rest.min
                    && (ir::uses(strip.rest.min, loop.var) || ir::uses(strip.rest.extent, loop.var)))
                    strip.rest = {};
                arith::Domains all = access.loops;
                all.insert(all.begin(), {loop.var, {loop.min, loop.extent}});
                strip.whole = valuesOf(access.index, all);
            }
            strips.push_back(std::move(strip));
        }
        return strips;
    }

    /// Whether two different iterations, one of each loop, may touch one element that one of them writes.
    bool mayMeet(const Strip &a, const Strip &b)
    {
        if (a.access->memory != b.access->memory || (!a.access->isWrite && !b.access->isWrite))
            return false;
        const auto end = [](const ir::Range &range) { return range.min + range.extent; };
        if (a.whole.min && b.whole.min
            && (m_analyzer.canProve(ir::le(end(a.whole), b.whole.min))
                || m_analyzer.canProve(ir::le(end(b.whole), a.whole.min))))
            return false;
        if (!a.rest.min || !b.rest.min || a.factor != b.factor || a.factor == 0)
            return true;
        const std::int64_t step = std::abs(a.factor);
        return !m_analyzer.canProve(ir::le(end(a.rest) - b.rest.min, Expr(step)))
               || !m_analyzer.canProve(ir::le(end(b.rest) - a.rest.min, Expr(step)));
    }

    bool haveSameRounds(const ir::For &a, const ir::For &b)
    {
        return a.forKind == ir::ForKind::Parallel && b.forKind == ir::ForKind::Parallel
               && a.var->dtype == b.var->dtype && a.annotations.empty() && b.annotations.empty()
               && ir::isPure(a.min) && ir::isPure(a.extent) && ir::isPure(b.min) && ir::isPure(b.extent)
               && m_analyzer.canProveEqual(a.min, b.min) && m_analyzer.canProveEqual(a.extent, b.extent);
    }

    arith::Analyzer m_analyzer;
    ir::VarSet m_memories; ///< allocated ones, and parameters that share memory with no other
};

} // namespace

ir::Module fuseParallelLoops(const ir::Module &module, const target::Context &)
{
    ir::Module result = module;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::Function fused = Fusing(*entry.function).function(entry.function);
        if (fused != entry.function)
            result = result.with(entry.name, std::move(fused));
    }
    return result;
}

} // namespace nestwright::lower
