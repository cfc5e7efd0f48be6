// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/iteration_accesses.h"

#include "core/analysis/kernel/allocation_plan.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"
#include "core/ir/conditions.h"
#include "core/ir/purity.h"
#include "core/script/print/printer.h"

#include <ranges>
#include <tuple>
#include <utility>

namespace nestwright::analysis {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

/// A part of another buffer.
struct View {
    Buffer base;
    std::vector<Expr> mins;

    /// Indices of the view as those of its base; a part of lower rank lies along the last dimensions.
    std::vector<Expr> through(const std::vector<Expr> &indices) const
    {
        std::vector<Expr> result = mins;
        const std::size_t leading = result.size() - indices.size();
        for (std::size_t d = 0; d < indices.size(); ++d)
            result[leading + d] =
                indices[d] && result[leading + d] ? result[leading + d] + indices[d] : Expr();
        return result;
    }
};

std::string elementText(const Buffer &buffer, const std::vector<Expr> &indices)
{
    std::string text = buffer.name() + '[';
    for (std::size_t d = 0; d < indices.size(); ++d)
        text += (d ? ", " : "") + script::printExpr(indices[d]);
    return text + ']';
}

/// The first lane plus a loop over the lanes; null where an index has another form.
Expr ofLane(const Expr &index, const Var &lane)
{
    if (!index.dtype().isVector())
        return index;
    if (const auto *same = index.as<ir::Broadcast>())
        return same->value.dtype().isVector() ? Expr() : same->value;
    const auto *ramp = index.as<ir::Ramp>();
    return ramp && !ramp->base.dtype().isVector() ? ramp->base + ramp->stride * lane : Expr();
}

class AccessCollector : public ir::Visitor {
public:
    AccessCollector(const ir::PrimFunc &function, const ir::For &loop)
        : m_loop(loop)
        , m_plan(planAllocations(function))
    {
        for (const ir::Param &param : function.params) {
            if (param.buffer)
                know(param.buffer);
        }
    }

    IterationAccesses result()
    {
        m_found.own = std::move(m_own);
        return std::move(m_found);
    }

    void stmt(const Stmt &s) override
    {
        if (m_isOver)
            return;
        switch (s.kind()) {
        case ir::StmtKind::For: return loop(s, *s.as<ir::For>());
        case ir::StmtKind::Block: return block(*s.as<ir::Block>());
        case ir::StmtKind::IfThenElse: return branch(*s.as<ir::IfThenElse>());
        case ir::StmtKind::LetStmt: bind(s.as<ir::LetStmt>()->var, s.as<ir::LetStmt>()->value); break;
        case ir::StmtKind::Allocate:
            if (m_isInside)
                m_own.insert(s.as<ir::Allocate>()->data);
            break;
        case ir::StmtKind::DeclBuffer: know(s.as<ir::DeclBuffer>()->buffer); break;
        case ir::StmtKind::BufferStore:
            addElement(s.as<ir::BufferStore>()->buffer, s.as<ir::BufferStore>()->indices,
                       s.as<ir::BufferStore>());
            break;
        default: break;
        }
        children(s);
    }

    void expr(const Expr &e) override
    {
        if (!m_isInside || !e)
            return;
        if (const auto *let = e.as<ir::Let>())
            bind(let->var, let->value);
        if (const auto *load = e.as<ir::BufferLoad>())
            addElement(load->buffer, load->indices, nullptr);
        if (const auto *call = e.as<ir::Call>(); call && call->callee == ir::intrinsics::addressOf) {
            for (const Expr &arg : call->args) {
                if (const auto *load = arg.as<ir::BufferLoad>())
                    addDeclared(load->buffer->data);
            }
        }
        if (const Var var = Var::from(e); var && var.dtype().isHandle())
            addDeclared(var);
        children(e);
    }

private:
    void loop(const Stmt &s, const ir::For &node)
    {
        expr(node.min);
        expr(node.extent);
        const bool isIt = &node == &m_loop;
        const arith::VarRange domain{node.var, ir::substitute(ir::Range{node.min, node.extent}, m_values)};
        if (isIt) {
            m_found.around = m_loops;
            m_loops.clear();
            m_isInside = true;
        }
        if (m_isInside)
            m_definedInside.insert(node.var);
        const auto outer = std::pair(m_place, m_placeName);
        if (m_blocks.empty() || m_blocks.back()->iterVars.empty())
            std::tie(m_place, m_placeName) = std::pair(node.id, "loop '" + node.var.name() + '\'');
        if (const auto planned = m_plan.find(s.get()); planned != m_plan.end() && m_isInside) {
            for (const Buffer &buffer : planned->second)
                m_own.insert(buffer->data);
        }
        const bool isKnown = isFixed(domain.range.min) && isFixed(domain.range.extent);
        if (!isIt && isKnown)
            m_loops.push_back(domain);
        else if (!isIt && m_isInside)
            m_varying.insert(node.var);
        stmt(node.body);
        if (!isIt && isKnown && !m_isOver)
            m_loops.pop_back();
        std::tie(m_place, m_placeName) = outer;
        m_isOver = m_isOver || isIt;
    }

    void block(const ir::Block &node)
    {
        expr(node.predicate);
        for (std::size_t i = 0; i < node.iterVars.size(); ++i) {
            expr(node.iterValues[i]);
            bind(node.iterVars[i].var, node.iterValues[i]);
        }
        for (const Buffer &buffer : node.allocBuffers) {
            know(buffer);
            if (m_isInside)
                m_own.insert(buffer->data);
        }
        for (const ir::MatchBuffer &match : node.matchBuffers)
            view(match);
        const auto outer = std::pair(m_place, m_placeName);
        std::tie(m_place, m_placeName) = std::pair(node.id, "block '" + node.name + '\'');
        m_blocks.push_back(&node);
        under(node.predicate, [&] {
            if (node.init)
                stmt(node.init);
            stmt(node.body);
        });
        m_blocks.pop_back();
        std::tie(m_place, m_placeName) = outer;
    }

    void branch(const ir::IfThenElse &node)
    {
        expr(node.condition);
        under(node.condition, [&] { stmt(node.thenCase); });
        if (node.elseCase)
            under(ir::negation(node.condition), [&] { stmt(node.elseCase); });
    }

    template <class Visit> void under(const Expr &condition, const Visit &visit)
    {
        const std::size_t outer = m_conditions.size();
        for (const Expr &term : ir::conjunctsOf(ir::substitute(condition, m_values))) {
            if (isFixed(term))
                m_conditions.push_back(term);
        }
        visit();
        m_conditions.resize(outer);
    }

    /// Whether the value follows from the loops alone.
    bool isFixed(const Expr &e) const { return ir::isPure(e) && !ir::usesAny(e, m_varying); }

    void bind(const Var &var, const Expr &value)
    {
        if (m_isInside)
            m_definedInside.insert(var);
        const Expr full = ir::substitute(value, m_values);
        if (isFixed(full))
            m_values[var] = full;
        else if (m_isInside)
            m_varying.insert(var);
    }

    void know(const Buffer &buffer) { m_buffers.emplace(buffer->data, buffer); }

    void view(const ir::MatchBuffer &match)
    {
        View made{.base = match.source.buffer, .mins = {}};
        for (const ir::Range &range : match.source.region)
            made.mins.push_back(inLoops(range.min));
        if (const auto below = m_views.find(made.base); below != m_views.end())
            made = {.base = below->second.base, .mins = below->second.through(made.mins)};
        m_views.insert_or_assign(match.buffer, std::move(made));
    }

    /// Null where the value does not follow from the loops alone.
    Expr inLoops(const Expr &e) const
    {
        const Expr full = ir::substitute(e, m_values);
        return isFixed(full) ? full : Expr();
    }

    /// `store`: that writes the element; null where it is read.
    void addElement(const Buffer &buffer, const std::vector<Expr> &indices, const ir::BufferStore *store)
    {
        if (!m_isInside)
            return;
        IterationAccess access = make(store != nullptr);
        if (store && isRepeatable(*store)) {
            access.repeatable = store;
            ir::forEachExpr(store->value, [&](const Expr &e) {
                if (const auto *load = e.as<ir::BufferLoad>())
                    access.sources.push_back(baseOf(load->buffer)->data);
                return true;
            });
        }
        access.text = elementText(buffer, indices);
        const Var lane("lane", ir::DataType::int32());
        int lanes = 1;
        for (const Expr &index : indices) {
            const Expr full = inLoops(index);
            access.dependsOnData = access.dependsOnData || !full;
            access.indices.push_back(full ? ofLane(full, lane) : Expr());
            lanes = std::max<int>(lanes, index.dtype().lanes);
        }
        if (lanes > 1)
            access.loops.push_back({lane, {0, lanes}});
        put(std::move(access), buffer);
    }

    /// A pointer to the memory is used: what the nearest block with a word about it declares.
    void addDeclared(const Var &memory)
    {
        const auto known = m_buffers.find(memory);
        if (known == m_buffers.end())
            return;
        for (const ir::Block *block : m_blocks | std::views::reverse) {
            bool isDeclared = false;
            for (const bool isWrite : {false, true}) {
                for (const ir::BufferRegion &region : isWrite ? block->writes : block->reads) {
                    if (baseOf(region.buffer)->data != baseOf(known->second)->data)
                        continue;
                    isDeclared = true;
                    addRegion(region, isWrite);
                }
            }
            if (isDeclared)
                return;
        }
        IterationAccess access = make(true);
        access.text = known->second.name();
        access.indices.resize(known->second.shape().size());
        put(std::move(access), known->second);
    }

    void addRegion(const ir::BufferRegion &region, bool isWrite)
    {
        IterationAccess access = make(isWrite);
        access.text = script::printRegion(region);
        for (const ir::Range &range : region.region) {
            const Expr min = inLoops(range.min), extent = inLoops(range.extent);
            access.dependsOnData = access.dependsOnData || !min;
            if (!min || !extent || ir::isConstInt(extent, 1)) {
                access.indices.push_back(extent ? min : Expr());
                continue;
            }
            const Var part("part", extent.dtype());
            access.loops.push_back({part, {ir::intImm(0, extent.dtype()), extent}});
            access.indices.push_back(min + part);
        }
        put(std::move(access), region.buffer);
    }

    /// Whether the element tells the value.
    bool isRepeatable(const ir::BufferStore &store) const
    {
        bool isTold = true;
        ir::forEachExpr(store.value, [&](const Expr &e) {
            const auto *call = e.as<ir::Call>();
            const ir::Intrinsic *intrinsic = call ? call->callee.intrinsic() : nullptr;
            if (call && (!intrinsic || intrinsic->purity != ir::Purity::Pure))
                isTold = false;
            const Var var = Var::from(e);
            const auto isVar = [&](const Expr &index) { return Var::from(index) == var; };
            if (var && m_definedInside.contains(var) && std::ranges::none_of(store.indices, isVar))
                isTold = false;
            return isTold;
        });
        return isTold;
    }

    IterationAccess make(bool isWrite) const
    {
        IterationAccess access;
        access.isWrite = isWrite;
        access.loops = m_loops;
        access.conditions = m_conditions;
        access.place = m_place;
        access.placeName = m_placeName;
        return access;
    }

    const Buffer &baseOf(const Buffer &buffer) const
    {
        const auto seen = m_views.find(buffer);
        return seen == m_views.end() ? buffer : seen->second.base;
    }

    void put(IterationAccess access, const Buffer &buffer)
    {
        access.base = baseOf(buffer);
        if (m_own.contains(access.base->data))
            return;
        if (const auto seen = m_views.find(buffer); seen != m_views.end())
            access.indices = seen->second.through(access.indices);
        m_found.accesses.push_back(std::move(access));
    }

    IterationAccesses m_found;
    const ir::For &m_loop;
    AllocationPlan m_plan;
    arith::Domains m_loops; ///< around, or within the loop once inside
    ir::VarMap<Expr> m_values;
    ir::VarSet m_varying; ///< bound to what does not follow from the loops
    ir::VarMap<Buffer> m_buffers;
    ir::BufferMap<View> m_views;
    ir::VarSet m_own; ///< memories of one iteration
    ir::VarSet m_definedInside;
    std::vector<Expr> m_conditions;
    std::vector<const ir::Block *> m_blocks;
    support::StmtId m_place;
    std::string m_placeName = "the function";
    bool m_isInside = false, m_isOver = false;
};

} // namespace

IterationAccesses accessesOfIterations(const ir::PrimFunc &function, const ir::For &loop)
{
    AccessCollector collector(function, loop);
    collector.stmt(function.body);
    return collector.result();
}

} // namespace nestwright::analysis
