// SPDX-License-Identifier: Apache-2.0
/// A guard `a·v + Σ b·u + c >= 0` within a loop over v (u: loops inside it) holds for all u from some v on,
/// or up to some v. There the loop is cut into up to three pieces; in the middle one, where most of the work
/// is, the guard is gone.
///
/// A parallel loop is not cut (its tail would run alone): its body becomes a branch instead.
#include "core/arith/affine.h"
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/purity.h"
#include "core/lower/passes/copies.h"
#include "core/lower/passes/declarations.h"

#include <algorithm>
#include <unordered_set>

namespace nestwright::lower {

using ir::BinaryOp;
using ir::Expr;
using ir::Stmt;

namespace {

/// Statements that one loop may become when it is cut, over all levels.
constexpr std::int64_t mostPartitionedStores = 256;
/// A piece of a loop is cut again where it has at least a quarter of the loop's rounds.
constexpr std::int64_t cutAgainFrom = 4;

/// `e >= 0` for a comparison of integers, or null where it has no such form.
Expr nonNegativeForm(const Expr &condition)
{
    const auto *node = condition.as<ir::Binary>();
    if (!node || !node->a.dtype().isInt() || node->a.dtype().isVector())
        return {};
    switch (node->op) {
    case BinaryOp::LT: return node->b - node->a - 1;
    case BinaryOp::LE: return node->b - node->a;
    case BinaryOp::GT: return node->a - node->b - 1;
    case BinaryOp::GE: return node->a - node->b;
    default: return {};
    }
}

/// The guards of branches and of if_then_else within a loop's body, taken apart at "and", with the loops
/// around each.
class GuardFinder : public ir::Visitor {
public:
    struct Guard {
        Expr condition;
        std::vector<const ir::For *> loops; ///< between the cut loop and the guard
    };
    std::vector<Guard> guards;
    std::int64_t stores = 0;

    void stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            m_loops.push_back(loop);
            children(s);
            m_loops.pop_back();
            return;
        }
        if (const auto *branch = s.as<ir::IfThenElse>())
            add(branch->condition);
        stores += s.as<ir::BufferStore>() ? 1 : 0;
        children(s);
    }
    void expr(const Expr &e) override
    {
        if (const auto *call = e.as<ir::Call>(); call && call->callee == ir::intrinsics::ifThenElse)
            add(call->args[0]);
        children(e);
    }

private:
    void add(const Expr &condition)
    {
        for (const Expr &term : ir::conjunctsOf(condition)) {
            if (nonNegativeForm(term) && ir::isPure(term))
                guards.push_back({term, m_loops});
        }
    }

    std::vector<const ir::For *> m_loops;
};

/// The part of a loop's range in which a guard holds, whatever the inner loops do: from `bound` on
/// (`isLower`), or before it.
struct Cut {
    Expr condition;
    bool isLower;
    Expr bound;
};

std::optional<Cut> cutOf(const ir::For &loop, const GuardFinder::Guard &guard)
{
    ir::VarSet vars{loop.var};
    for (const ir::For *inner : guard.loops)
        vars.insert(inner->var);
    const auto form = arith::affineIn(nonNegativeForm(guard.condition), vars);
    if (!form || form->factorOf(loop.var) == 0)
        return std::nullopt;
    Expr least = form->base; // of everything but the term of the loop itself
    for (const ir::For *inner : guard.loops) {
        const std::int64_t factor = form->factorOf(inner->var);
        if (factor == 0)
            continue;
        if (ir::usesAny(inner->min, vars) || ir::usesAny(inner->extent, vars))
            return std::nullopt;
        least = least + (factor > 0 ? inner->min : inner->min + inner->extent - 1) * factor;
    }
    const std::int64_t factor = form->factorOf(loop.var);
    if (factor > 0)
        return Cut{guard.condition, true, ir::floorDiv(Expr(factor - 1) - least, Expr(factor))};
    return Cut{guard.condition, false, ir::floorDiv(least, Expr(-factor)) + 1};
}

/// Replaces conditions that are known to hold.
class GuardRemoval : public ir::Rewriter {
public:
    explicit GuardRemoval(std::unordered_set<const ir::ExprNode *> holding) : m_holding(std::move(holding)) {}

    Expr expr(const Expr &e) override
    {
        if (m_holding.contains(e.get()))
            return ir::boolImm(true);
        Expr changed = children(e);
        if (const auto *node = changed.as<ir::Binary>();
            node && node->op == BinaryOp::And && !changed.same(e))
            return ir::logicalAnd(node->a, node->b);
        if (const auto *call = changed.as<ir::Call>();
            call && call->callee == ir::intrinsics::ifThenElse && ir::isTrue(call->args[0]))
            return call->args[1];
        if (ir::isTrue(ir::withoutLikely(changed)))
            return ir::boolImm(true);
        return changed;
    }
    Stmt stmt(const Stmt &s) override
    {
        const Stmt changed = children(s);
        const auto *branch = changed.as<ir::IfThenElse>();
        return branch && ir::isTrue(branch->condition) ? branch->thenCase : changed;
    }

private:
    std::unordered_set<const ir::ExprNode *> m_holding;
};

/// The bounds of the middle piece.
struct Middle {
    Expr begin, end;
    std::unordered_set<const ir::ExprNode *> holding;
};

class Partitioning : public ir::Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        const auto *loop = s.as<ir::For>();
        if (!loop || loop->forKind == ir::ForKind::ThreadBinding || !ir::isPure(loop->min)
            || !ir::isPure(loop->extent))
            return children(s);
        m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
        GuardFinder finder;
        finder.stmt(loop->body);
        const bool affordable = finder.stores * 3 * m_copies <= mostPartitionedStores;
        const auto middle = affordable ? middleOf(*loop, finder.guards) : std::nullopt;
        if (!middle)
            return children(s);
        const std::int64_t outer = m_copies;
        m_copies *= 1 + (m_analyzer.canProveEqual(middle->begin, loop->min) ? 0 : 1)
                    + (m_analyzer.canProveEqual(middle->end, loop->min + loop->extent) ? 0 : 1);
        const Stmt result =
            loop->forKind == ir::ForKind::Parallel ? branched(*loop, *middle) : cut(*loop, *middle);
        m_copies = outer;
        return result;
    }

private:
    std::optional<Middle> middleOf(const ir::For &loop, const std::vector<GuardFinder::Guard> &guards)
    {
        const bool mustBeConstant =
            loop.forKind == ir::ForKind::Vectorized || loop.forKind == ir::ForKind::Unrolled;
        const Expr first = m_analyzer.simplify(loop.min), end = m_analyzer.simplify(loop.min + loop.extent);
        Middle middle{first, end, {}};
        for (const GuardFinder::Guard &guard : guards) {
            const auto cut = cutOf(loop, guard);
            if (!cut)
                continue;
            const Expr bound = m_analyzer.simplify(ir::cast(loop.var->dtype, cut->bound));
            if (mustBeConstant && !ir::asInt(bound))
                continue;
            const Expr begin =
                cut->isLower ? m_analyzer.simplify(ir::max(middle.begin, bound)) : middle.begin;
            const Expr last = cut->isLower ? middle.end : m_analyzer.simplify(ir::min(middle.end, bound));
            const std::int64_t *from = ir::asInt(begin), *to = ir::asInt(last);
            if (from && to && *from >= *to)
                continue; // nothing would be left in the middle
            middle.begin = begin;
            middle.end = last;
            middle.holding.insert(guard.condition.get());
        }
        if (middle.holding.empty())
            return std::nullopt;
        // Ends that are not constant may lie outside the loop, or cross.
        middle.begin = m_analyzer.simplify(ir::min(middle.begin, end));
        middle.end = m_analyzer.simplify(ir::max(middle.begin, middle.end));
        return middle;
    }

    Stmt piece(const ir::For &loop, const Expr &begin, const Expr &end, const Stmt &body)
    {
        ir::For result = loop;
        result.min = begin;
        result.extent = m_analyzer.simplify(end - begin);
        if (const std::int64_t *count = ir::asInt(result.extent); count && *count <= 0)
            return ir::evaluate(0);
        // A piece of one round is known whole, which may cut the loops within it at constants.
        const bool isSingle = ir::isConstInt(result.extent, 1);
        result.body = isSingle ? withValue(body, loop.var, begin) : body;
        if (!isSingle && isWorthCutting(result, loop))
            return stmt(ir::make(std::move(result)));
        result.body = stmt(result.body);
        return ir::make(std::move(result));
    }

    /// Whether another guard changes within a piece that has enough of the work; the edges of an image have
    /// not.
    bool isWorthCutting(const ir::For &piece, const ir::For &loop)
    {
        const std::int64_t *first = ir::asInt(piece.min), *rounds = ir::asInt(piece.extent),
                           *all = ir::asInt(loop.extent);
        if (!first || !rounds || !all || *rounds < *all / cutAgainFrom)
            return false;
        GuardFinder finder;
        finder.stmt(piece.body);
        return std::ranges::any_of(finder.guards, [&](const GuardFinder::Guard &guard) {
            const auto cut = cutOf(piece, guard);
            const Expr bound = cut ? m_analyzer.simplify(cut->bound) : Expr();
            const std::int64_t *place = cut ? ir::asInt(bound) : nullptr;
            return place && *place > *first && *place < *first + *rounds;
        });
    }

    Stmt cut(const ir::For &loop, const Middle &middle)
    {
        const Stmt plain = GuardRemoval(middle.holding).stmt(loop.body);
        const Expr end = loop.min + loop.extent;
        return ir::seq({freshCopy(piece(loop, loop.min, middle.begin, loop.body)),
                        piece(loop, middle.begin, middle.end, plain),
                        freshCopy(piece(loop, middle.end, end, loop.body))});
    }

    /// The only round outside the middle piece; null where there are several.
    Expr roundOutside(const ir::For &loop, const Middle &middle)
    {
        const Expr end = loop.min + loop.extent;
        const Expr before = m_analyzer.simplify(middle.begin - loop.min),
                   behind = m_analyzer.simplify(end - middle.end);
        if (ir::isConstInt(before, 1) && ir::isConstInt(behind, 0))
            return loop.min;
        if (ir::isConstInt(before, 0) && ir::isConstInt(behind, 1))
            return m_analyzer.simplify(middle.end);
        return {};
    }

    Stmt branched(const ir::For &loop, const Middle &middle)
    {
        const Expr end = loop.min + loop.extent;
        Expr isMiddle = ir::boolImm(true);
        if (!m_analyzer.canProveEqual(middle.begin, loop.min))
            isMiddle = ir::ge(loop.var, middle.begin);
        if (!m_analyzer.canProveEqual(end, middle.end))
            isMiddle = ir::logicalAnd(isMiddle, ir::lt(loop.var, middle.end));
        ir::For result = loop;
        result.body = stmt(GuardRemoval(middle.holding).stmt(loop.body));
        if (!ir::isTrue(isMiddle)) {
            const Expr outside = roundOutside(loop, middle);
            const Stmt rest = outside ? withValue(loop.body, loop.var, outside) : loop.body;
            result.body = ir::ifThenElse(isMiddle, result.body, freshCopy(stmt(rest)));
        }
        return ir::make(std::move(result));
    }

    arith::Analyzer m_analyzer;
    std::int64_t m_copies = 1;
};

} // namespace

ir::Module loopPartition(const ir::Module &module, const target::Context &context)
{
    return context.target.isGpu() ? module : ir::rewriteModule<Partitioning>(module);
}

} // namespace nestwright::lower
