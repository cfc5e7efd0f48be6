// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/access_guards.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/node/equality.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

class GuardCollector : public ir::Visitor {
public:
    GuardCollector(const ir::Buffer &buffer, GuardedSide side) : m_memories{buffer->data}, m_side(side) {}

    std::vector<AccessGuard> of(const ir::Block &block)
    {
        if (block.init)
            stmt(block.init);
        stmt(block.body);
        if (m_found.empty())
            note();
        return std::move(m_found);
    }

    void stmt(const ir::Stmt &s) override
    {
        if (const auto *block = s.as<ir::Block>())
            return inside(*block);
        if (const auto *branch = s.as<ir::IfThenElse>(); branch && m_side == GuardedSide::Writes)
            return branches(*branch);
        if (const auto *store = s.as<ir::BufferStore>(); store && isOurs(store->buffer->data)) {
            if (m_side == GuardedSide::Writes)
                note();
        } else if (const auto *loop = s.as<ir::For>()) {
            m_loops.insert(loop->var);
        } else if (const auto *bound = s.as<ir::LetStmt>()) {
            m_bound.insert(bound->var);
        }
        children(s);
    }

    void expr(const ir::Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>(); load && isOurs(load->buffer->data)) {
            if (m_side == GuardedSide::Reads)
                note();
        } else if (const ir::Var var = ir::Var::from(e); var && isOurs(var)) {
            note(); // by a pointer
        }
        if (const auto *bound = e.as<ir::Let>())
            m_bound.insert(bound->var);
        children(e);
    }

private:
    bool isOurs(const ir::Var &memory) const { return m_memories.contains(memory); }

    void inside(const ir::Block &block)
    {
        ir::VarMap<ir::Expr> values;
        for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
            expr(block.iterValues[i]);
            values.insert_or_assign(block.iterVars[i].var, ir::substitute(block.iterValues[i], m_values));
        }
        expr(block.predicate);
        const AccessGuard outside = narrowed(block.predicate);
        for (const ir::MatchBuffer &view : block.matchBuffers) {
            if (isOurs(view.source.buffer->data))
                m_memories.insert(view.buffer->data);
        }
        for (auto &[var, value] : values)
            m_values.insert_or_assign(var, value);
        if (block.init)
            stmt(block.init);
        stmt(block.body);
        m_guard = outside;
    }

    void branches(const ir::IfThenElse &branch)
    {
        expr(branch.condition);
        const std::size_t first = m_found.size();
        const AccessGuard outside = narrowed(branch.condition);
        const auto isFound = [&] {
            return std::ranges::any_of(m_found.begin() + static_cast<std::ptrdiff_t>(first), m_found.end(),
                                       [&](const AccessGuard &guard) { return isSame(guard, m_guard); });
        };
        stmt(branch.thenCase);
        bool isAlways = isFound();
        m_guard = outside;
        if (!branch.elseCase)
            return;
        narrowed(ir::negation(branch.condition));
        stmt(branch.elseCase);
        isAlways = isAlways && isFound();
        m_guard = outside;
        if (isAlways)
            note();
    }

    /// Adds a condition to the guard, as far as it is of the block's variables; gives the guard before.
    AccessGuard narrowed(const ir::Expr &condition)
    {
        AccessGuard before = m_guard;
        std::vector<ir::Expr> terms{m_guard.condition};
        for (const ir::Expr &term : ir::conjunctsOf(condition)) {
            const ir::Expr known = ir::substitute(term, m_values);
            if (ir::usesAny(known, m_bound) || ir::mayFault(known))
                m_guard.dependsOnData = true;
            else if (!ir::usesAny(known, m_loops))
                terms.push_back(known);
        }
        m_guard.condition = ir::conjunctionOf(terms);
        return before;
    }

    static bool isSame(const AccessGuard &a, const AccessGuard &b)
    {
        return a.dependsOnData == b.dependsOnData && ir::structurallyEqual(a.condition, b.condition);
    }

    void note()
    {
        if (std::ranges::none_of(m_found, [&](const AccessGuard &known) { return isSame(known, m_guard); }))
            m_found.push_back(m_guard);
    }

    ir::VarSet m_memories;       ///< of the buffer and its views
    ir::VarSet m_loops, m_bound; ///< defined within the block
    GuardedSide m_side;
    ir::VarMap<ir::Expr> m_values; ///< of the variables of blocks within
    AccessGuard m_guard{.condition = ir::boolImm(true)};
    std::vector<AccessGuard> m_found;
};

} // namespace

std::vector<AccessGuard> accessGuards(const ir::Block &block, const ir::Buffer &buffer, GuardedSide side)
{
    return GuardCollector(buffer, side).of(block);
}

} // namespace nestwright::schedule
