// SPDX-License-Identifier: Apache-2.0
#include "core/lower/passes/lane_rewriter.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/purity.h"

#include <type_traits>
#include <utility>
#include <vector>

namespace nestwright::lower {

using ir::BinaryOp;
using ir::Expr;
using ir::Stmt;

namespace {

/// Thrown within this file where a statement has no vector form; its loop then stays, as a serial one.
struct NoVectorForm {};

Expr withLanes(const Expr &e, int lanes) { return e.dtype().lanes == lanes ? e : ir::broadcast(e, lanes); }

/// Rewrites a statement for one value of a variable into one for all its values at once.
///
/// `mask` is the condition (one bool a lane) under which the lanes run; loads and stores under it carry it,
/// since addresses of lanes that do not run may lie outside the buffer.
class LaneRewriter {
public:
    LaneRewriter(const ir::Var &var, const Expr &lanesOfVar) : m_lanes(lanesOfVar.dtype().lanes)
    {
        m_values[var] = lanesOfVar;
    }

    Expr expr(const Expr &e)
    {
        if (e.as<ir::VarNode>()) {
            const auto found = m_values.find(ir::Var::from(e));
            return found == m_values.end() ? e : found->second;
        }
        if (const auto *node = e.as<ir::Binary>())
            return binary(e, *node);
        if (const auto *node = e.as<ir::BufferLoad>())
            return load(e, *node);
        if (const auto *node = e.as<ir::Cast>()) {
            const Expr value = expr(node->value);
            return value.same(node->value) ? e : ir::cast(node->dtype.withLanes(value.dtype().lanes), value);
        }
        if (const auto *node = e.as<ir::Not>()) {
            const Expr a = expr(node->a);
            return a.same(node->a) ? e : ir::logicalNot(a);
        }
        if (const auto *node = e.as<ir::Select>())
            return select(e, *node);
        if (const auto *node = e.as<ir::Call>())
            return call(e, *node);
        if (const auto *node = e.as<ir::Let>())
            return let(e, *node);
        return e; // constants
    }

    Stmt stmt(const Stmt &s)
    {
        switch (s.kind()) {
        case ir::StmtKind::BufferStore: return store(*s.as<ir::BufferStore>());
        case ir::StmtKind::Seq: {
            std::vector<Stmt> parts;
            for (const Stmt &part : s.as<ir::Seq>()->stmts)
                parts.push_back(stmt(part));
            return ir::seq(std::move(parts));
        }
        case ir::StmtKind::AttrStmt: {
            ir::AttrStmt node = *s.as<ir::AttrStmt>();
            node.body = stmt(node.body);
            return ir::make(std::move(node));
        }
        case ir::StmtKind::IfThenElse: return branch(*s.as<ir::IfThenElse>());
        case ir::StmtKind::For: return loop(*s.as<ir::For>());
        case ir::StmtKind::LetStmt: {
            ir::LetStmt node = *s.as<ir::LetStmt>();
            node.value = expr(node.value);
            node.var = define(node.var, node.value);
            node.body = stmt(node.body);
            return ir::make(std::move(node));
        }
        case ir::StmtKind::Evaluate:
            if (ir::isNoOp(s))
                return s;
            break;
        default: break;
        }
        throw NoVectorForm{};
    }

private:
    bool isVector(const Expr &e) const { return e.dtype().lanes == m_lanes; }

    /// The value of `e`, computed only in the lanes where `condition` holds.
    Expr secondHalf(const Expr &condition, const Expr &e)
    {
        const bool outer = std::exchange(m_someLaneRuns, false);
        const Expr result = withLanes(under(condition, [&] { return expr(e); }), m_lanes);
        m_someLaneRuns = outer;
        return result;
    }

    /// `and`, `or`: the second half is computed in the lanes where the first has not decided.
    Expr logical(const Expr &e, const ir::Binary &node)
    {
        const Expr a = expr(node.a);
        const bool isGuarded = ir::mayFault(node.b);
        Expr b = isGuarded && isVector(a) ? Expr() : expr(node.b);
        if (isGuarded && (!b || isVector(b))) {
            const Expr all = withLanes(a, m_lanes);
            b = secondHalf(node.op == BinaryOp::And ? all : ir::negation(all), node.b);
        }
        return a.same(node.a) && b.same(node.b) ? e : ir::binary(node.op, a, b);
    }

    Expr binary(const Expr &e, const ir::Binary &node)
    {
        if (ir::isLogical(node.op))
            return logical(e, node);
        const Expr a = expr(node.a), b = expr(node.b);
        if (a.same(node.a) && b.same(node.b)) {
            checkDivisor(node, b);
            return e;
        }
        checkDivisor(node, b);
        // Sums and multiples of a ramp stay a ramp, so that addresses are seen to be consecutive.
        const auto *rampA = a.as<ir::Ramp>(), *rampB = b.as<ir::Ramp>();
        const bool scalarA = !a.dtype().isVector(), scalarB = !b.dtype().isVector();
        if (node.op == BinaryOp::Add && rampA && rampB)
            return ir::ramp(rampA->base + rampB->base, rampA->stride + rampB->stride, m_lanes);
        if ((node.op == BinaryOp::Add || node.op == BinaryOp::Sub) && rampA && scalarB)
            return ir::ramp(ir::binary(node.op, rampA->base, b), rampA->stride, m_lanes);
        if (node.op == BinaryOp::Add && rampB && scalarA)
            return ir::ramp(a + rampB->base, rampB->stride, m_lanes);
        if (node.op == BinaryOp::Sub && rampB && scalarA)
            return ir::ramp(a - rampB->base, -rampB->stride, m_lanes);
        if (node.op == BinaryOp::Mul && rampA && scalarB)
            return ir::ramp(rampA->base * b, rampA->stride * b, m_lanes);
        if (node.op == BinaryOp::Mul && rampB && scalarA)
            return ir::ramp(a * rampB->base, a * rampB->stride, m_lanes);
        return ir::binary(node.op, a, b);
    }

    /// A lane that does not run may divide by 0.
    void checkDivisor(const ir::Binary &node, const Expr &divisor) const
    {
        if (ir::isDivision(node.op) && m_mask && node.dtype.isIntegral() && !ir::asInt(divisor))
            throw NoVectorForm{};
    }

    Expr load(const Expr &e, const ir::BufferLoad &node)
    {
        const Expr index = expr(node.indices.front());
        if (index.same(node.indices.front()) && (!m_mask || m_someLaneRuns))
            return e;
        const Expr all = withLanes(index, m_lanes);
        ir::BufferLoad result = node;
        result.indices = {all};
        result.predicate = m_mask;
        result.dtype = node.dtype.withLanes(m_lanes);
        return ir::make(std::move(result));
    }

    Stmt store(const ir::BufferStore &node)
    {
        const Expr index = expr(node.indices.front());
        if (!isVector(index)) // all lanes write one element: the order matters
            throw NoVectorForm{};
        ir::BufferStore result = node;
        result.indices = {index};
        result.value = withLanes(expr(node.value), m_lanes);
        result.predicate = m_mask;
        return ir::make(std::move(result));
    }

    Expr select(const Expr &e, const ir::Select &node)
    {
        const Expr condition = expr(node.condition), a = expr(node.trueValue), b = expr(node.falseValue);
        if (condition.same(node.condition) && a.same(node.trueValue) && b.same(node.falseValue))
            return e;
        return ir::select(withLanes(condition, m_lanes), withLanes(a, m_lanes), withLanes(b, m_lanes));
    }

    Expr call(const Expr &e, const ir::Call &node)
    {
        if (node.callee == ir::intrinsics::ifThenElse)
            return choice(e, node);
        std::vector<Expr> args;
        bool changed = false, anyVector = false;
        for (const Expr &arg : node.args) {
            args.push_back(expr(arg));
            changed = changed || !args.back().same(arg);
            anyVector = anyVector || isVector(args.back());
        }
        const ir::Intrinsic *intrinsic = node.callee.intrinsic();
        if (!intrinsic || intrinsic->purity != ir::Purity::Pure
            || node.callee == ir::intrinsics::callPureExtern
            || node.callee == ir::intrinsics::callLlvmPureIntrin
            || node.callee == ir::intrinsics::qMultiplyShift)
            throw NoVectorForm{};
        if (!changed)
            return e;
        for (Expr &arg : args)
            arg = anyVector ? withLanes(arg, m_lanes) : arg;
        return ir::callIntrinsic(*intrinsic, std::move(args), node.dtype.withLanes(anyVector ? m_lanes : 1));
    }

    /// Each arm runs in the lanes where it is chosen.
    Expr choice(const Expr &e, const ir::Call &node)
    {
        const Expr condition = expr(node.args[0]);
        if (!isVector(condition)) {
            const Expr a = expr(node.args[1]), b = expr(node.args[2]);
            if (condition.same(node.args[0]) && a.same(node.args[1]) && b.same(node.args[2]))
                return e;
            if (!isVector(a) && !isVector(b))
                return ir::callIntrinsic(ir::intrinsics::ifThenElse, {condition, a, b});
            return ir::callIntrinsic(ir::intrinsics::ifThenElse,
                                     {condition, withLanes(a, m_lanes), withLanes(b, m_lanes)});
        }
        const bool outer = m_someLaneRuns;
        m_someLaneRuns = false; // an arm may be chosen by no lane
        const Expr a = under(condition, [&] { return expr(node.args[1]); });
        const Expr b = under(ir::logicalNot(condition), [&] { return expr(node.args[2]); });
        m_someLaneRuns = outer;
        return ir::select(condition, withLanes(a, m_lanes), withLanes(b, m_lanes));
    }

    template <class F> std::invoke_result_t<F> under(const Expr &condition, F &&body)
    {
        const Expr outer = m_mask;
        m_mask = outer ? ir::logicalAnd(outer, condition) : condition;
        auto result = body();
        m_mask = outer;
        return result;
    }

    Stmt branch(const ir::IfThenElse &node)
    {
        const Expr condition = expr(node.condition);
        if (!isVector(condition)) {
            ir::IfThenElse result = node;
            result.condition = condition;
            result.thenCase = stmt(node.thenCase);
            if (node.elseCase)
                result.elseCase = stmt(node.elseCase);
            return ir::make(std::move(result));
        }
        if (!node.elseCase)
            return guarded(node);
        const bool outer = m_someLaneRuns;
        m_someLaneRuns = false;
        Stmt result = withMask(condition, [&](const Expr &mask) {
            return ir::seq({under(mask, [&] { return stmt(node.thenCase); }),
                            under(ir::logicalNot(mask), [&] { return stmt(node.elseCase); })});
        });
        m_someLaneRuns = outer;
        return result;
    }

    /// A mask that reads memory is kept in a variable: the statements under it may overwrite that memory.
    template <class F> static Stmt withMask(const Expr &mask, F &&body)
    {
        if (ir::isPure(mask))
            return body(mask);
        ir::LetStmt bound;
        bound.var = ir::Var("mask", mask.dtype());
        bound.value = mask;
        bound.body = body(bound.var);
        return ir::make(std::move(bound));
    }

    /// The uniform part of the condition is tested once. Where lanes run up to some bound, the first one
    /// tells whether any runs: values shared by all lanes may then be read without a mask.
    Stmt guarded(const ir::IfThenElse &node)
    {
        Expr shared = ir::boolImm(true), mask = ir::boolImm(true);
        bool firstTells = !m_mask;
        for (const Expr &part : ir::conjunctsOf(node.condition)) {
            const bool isGuarded = !ir::isTrue(mask) && ir::mayFault(part);
            const Expr condition = isGuarded ? secondHalf(mask, part) : expr(part);
            if (!isVector(condition)) {
                shared = ir::logicalAnd(shared, condition);
                continue;
            }
            mask = ir::isTrue(mask) ? condition : ir::logicalAnd(mask, condition);
            const auto *order = condition.as<ir::Binary>();
            const auto *lanes = order ? order->a.as<ir::Ramp>() : nullptr;
            const auto *bound = order ? order->b.as<ir::Broadcast>() : nullptr;
            const bool isUpper = order && (order->op == BinaryOp::LT || order->op == BinaryOp::LE);
            const std::int64_t *stride = lanes ? ir::asInt(lanes->stride) : nullptr;
            firstTells = firstTells && isUpper && bound && stride && *stride > 0;
            if (firstTells)
                shared = ir::logicalAnd(shared, ir::binary(order->op, lanes->base, bound->value));
        }
        const bool outer = m_someLaneRuns;
        m_someLaneRuns = firstTells;
        const Stmt body = withMask(
            mask, [&](const Expr &bound) { return under(bound, [&] { return stmt(node.thenCase); }); });
        m_someLaneRuns = outer;
        return ir::isTrue(shared) ? body : ir::ifThenElse(shared, body);
    }

    Stmt loop(const ir::For &node)
    {
        ir::For result = node;
        result.min = expr(node.min);
        result.extent = expr(node.extent);
        if (isVector(result.min) || isVector(result.extent))
            throw NoVectorForm{};
        result.body = stmt(node.body);
        return ir::make(std::move(result));
    }

    Expr let(const Expr &e, const ir::Let &node)
    {
        const Expr value = expr(node.value);
        const ir::Var var = define(node.var, value);
        const Expr body = expr(node.body);
        return value.same(node.value) && body.same(node.body) ? e : ir::let(var, value, body);
    }

    /// The variable itself, or a vector one where its value became a vector.
    ir::Var define(const ir::Var &var, const Expr &value)
    {
        if (value.dtype() == var->dtype)
            return var;
        const ir::Var wide(var.name(), value.dtype());
        m_values[var] = wide;
        return wide;
    }

    int m_lanes;
    ir::VarMap<Expr> m_values;
    Expr m_mask;                 ///< null: all lanes run
    bool m_someLaneRuns = false; ///< under the mask; else perhaps none does
};

} // namespace

std::optional<Stmt> vectorForm(const Stmt &s, const ir::Var &var, const Expr &lanes)
{
    try {
        return LaneRewriter(var, lanes).stmt(s);
    } catch (const NoVectorForm &) {
        return std::nullopt;
    }
}

} // namespace nestwright::lower
