// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/out_of_bounds.h"

#include "core/analysis/codes.h"
#include "core/arith/analyzer.h"
#include "core/arith/knowledge/reached_bound.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/script/print/printer.h"

#include <algorithm>
#include <format>
#include <functional>
#include <tuple>
#include <utility>

namespace nestwright::analysis {

using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

/// Meets each access of a function, with what is known of the variables there.
class AccessWalk : public ir::Visitor {
public:
    void stmt(const Stmt &s) override
    {
        const auto outer = std::tuple(m_isCertain, m_place, m_name);
        switch (s.kind()) {
        case ir::StmtKind::For: loop(*s.as<ir::For>()); break;
        case ir::StmtKind::Block: block(*s.as<ir::Block>()); break;
        case ir::StmtKind::IfThenElse: {
            const auto &branch = *s.as<ir::IfThenElse>();
            expr(branch.condition);
            under(branch.condition, [&] { stmt(branch.thenCase); });
            if (branch.elseCase)
                under(ir::negation(branch.condition), [&] { stmt(branch.elseCase); });
            break;
        }
        case ir::StmtKind::AssertStmt:
            expr(s.as<ir::AssertStmt>()->condition);
            under(s.as<ir::AssertStmt>()->condition, [&] { stmt(s.as<ir::AssertStmt>()->body); });
            break;
        case ir::StmtKind::While: under({}, [&] { children(s); }); break;
        case ir::StmtKind::DeclBuffer:
            m_views.insert(s.as<ir::DeclBuffer>()->buffer->data);
            view();
            children(s);
            break;
        case ir::StmtKind::BufferStore: {
            const auto &store = *s.as<ir::BufferStore>();
            meet(store.buffer, store.indices, Access::Store);
            children(s);
            break;
        }
        default: children(s);
        }
        std::tie(m_isCertain, m_place, m_name) = outer;
    }

    void expr(const Expr &e) override
    {
        const auto *call = e.as<ir::Call>();
        if (const auto *load = e.as<ir::BufferLoad>()) {
            meet(load->buffer, load->indices, Access::Load);
        } else if (call && call->callee == ir::intrinsics::ifThenElse) {
            expr(call->args[0]);
            under(call->args[0], [&] { expr(call->args[1]); });
            under(ir::negation(call->args[0]), [&] { expr(call->args[2]); });
            return;
        } else if (const auto *select = e.as<ir::Select>()) {
            expr(select->condition);
            under({}, [&] { // both arms may be computed
                expr(select->trueValue);
                expr(select->falseValue);
            });
            return;
        } else if (const auto *both = e.as<ir::Binary>();
                   both && (both->op == ir::BinaryOp::And || both->op == ir::BinaryOp::Or)) {
            expr(both->a);
            under(both->op == ir::BinaryOp::And ? both->a : ir::negation(both->a), [&] { expr(both->b); });
            return;
        } else if (call && call->callee == ir::intrinsics::addressOf) {
            view();
            return;
        } else if (e.dtype().isHandle()) {
            view();
        }
        children(e);
    }

protected:
    enum class Access : std::uint8_t { Load, Store };

    virtual void meet(const ir::Buffer &buffer, const std::vector<Expr> &indices, Access access) = 0;
    /// Memory that is reached in another way.
    virtual void view() {}
    virtual void bind(const Var &, const ir::Range &) {}
    virtual void bind(const Var &, const Expr &) {}
    /// Calls `visit` where `condition` holds.
    virtual void assuming(const Expr &, const std::function<void()> &visit) { visit(); }

    /// Whether the place is reached, with every combination of the values in `m_ranges`.
    bool m_isCertain = true;
    ir::VarMap<ir::Range> m_ranges; ///< of loops
    ir::VarMap<Expr> m_values;      ///< of block variables, by those of loops
    ir::VarSet m_views;             ///< pointers of buffers that are parts of others
    support::StmtId m_place;
    std::string m_name; ///< of the block; empty where there is none

private:
    /// Visits what may be left out, and where a condition holds unless it is null.
    void under(const Expr &condition, const std::function<void()> &visit)
    {
        const bool outer = std::exchange(m_isCertain, false);
        if (condition)
            assuming(condition, visit);
        else
            visit();
        m_isCertain = outer;
    }

    void loop(const ir::For &loop)
    {
        expr(loop.min);
        expr(loop.extent);
        if (m_name.empty())
            m_place = loop.id;
        const std::int64_t *extent = ir::asInt(loop.extent);
        m_isCertain = m_isCertain && extent && *extent > 0;
        m_ranges.insert_or_assign(loop.var, ir::Range{loop.min, loop.extent});
        bind(loop.var, ir::Range{loop.min, loop.extent});
        stmt(loop.body);
    }

    void block(const ir::Block &block)
    {
        m_place = block.id;
        m_name = block.name;
        for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
            expr(block.iterValues[i]);
            const Expr value = ir::substitute(block.iterValues[i], m_values);
            m_values.insert_or_assign(block.iterVars[i].var, value);
            bind(block.iterVars[i].var, value);
        }
        for (const ir::MatchBuffer &match : block.matchBuffers) {
            m_views.insert(match.buffer->data);
            view();
        }
        expr(block.predicate);
        const auto inside = [&] {
            if (block.init)
                under({}, [&] { stmt(block.init); });
            stmt(block.body);
        };
        if (ir::isTrue(block.predicate))
            inside();
        else
            under(block.predicate, inside);
    }
};

class CertainFinder final : public AccessWalk {
public:
    std::optional<support::Diagnostic> found;

private:
    void meet(const ir::Buffer &buffer, const std::vector<Expr> &indices, Access access) override
    {
        if (!m_isCertain || found || m_views.contains(buffer->data))
            return;
        for (std::size_t d = 0; d < std::min(indices.size(), buffer.shape().size()); ++d) {
            const std::int64_t *extent = ir::asInt(buffer.shape()[d]);
            const auto values =
                extent ? arith::reachedBound(ir::substitute(indices[d], m_values), m_ranges) : std::nullopt;
            if (!values || (values->min >= 0 && values->max < *extent))
                continue;
            const std::string place = m_name.empty() ? "the function" : "block '" + m_name + '\'';
            const std::string reached = values->isConst()
                                            ? std::format("is {}", values->min)
                                            : std::format("runs from {} to {}", values->min, values->max);
            found = support::diagnostic(codes::outOfBounds,
                                        std::format("{} {} '{}' beyond its elements: index {} {}, and that "
                                                    "dimension has the extent {}",
                                                    place, access == Access::Load ? "reads" : "writes",
                                                    buffer.name(), d, reached, *extent))
                        .at(m_place, place)
                        .withHint("guard the access, or see why the index goes beyond");
        }
    }
};

class Prover final : public AccessWalk {
public:
    bool holds = true;

private:
    void meet(const ir::Buffer &buffer, const std::vector<Expr> &indices, Access) override
    {
        for (std::size_t d = 0; holds && d < indices.size(); ++d) {
            holds = d < buffer.shape().size() && indices[d].dtype().lanes == 1
                    && m_analyzer.canProveGreaterEqual(indices[d], 0)
                    && m_analyzer.canProve(ir::lt(indices[d], buffer.shape()[d]));
        }
    }

    void view() override { holds = false; }
    void bind(const Var &var, const ir::Range &range) override { m_analyzer.bind(var, range); }
    void bind(const Var &var, const Expr &value) override { m_analyzer.bind(var, value); }
    void assuming(const Expr &condition, const std::function<void()> &visit) override
    {
        const auto assumption = m_analyzer.assume(condition);
        visit();
    }

    arith::Analyzer m_analyzer;
};

} // namespace

std::optional<support::Diagnostic> outOfBounds(const ir::PrimFunc &function)
{
    CertainFinder finder;
    finder.stmt(function.body);
    return std::move(finder.found);
}

bool staysInBounds(const ir::PrimFunc &function)
{
    Prover prover;
    prover.stmt(function.body);
    return prover.holds;
}

} // namespace nestwright::analysis
