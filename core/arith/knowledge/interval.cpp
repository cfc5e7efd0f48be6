// SPDX-License-Identifier: Apache-2.0
/// Interval arithmetic with symbolic ends.
#include "core/arith/int_set.h"

#include "core/arith/knowledge/knowledge.h"
#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"

namespace nestwright::arith {

using namespace ir;

IntervalSet IntervalSet::of(const Range &range)
{
    if (isConstInt(range.extent, 1))
        return point(range.min);
    return {range.min, range.min + range.extent - 1, false};
}

namespace {

/// a op b for Add, Sub and Mul; nothing where an end is open, or where the number is none of the type: such
/// an end says nothing.
Expr endOf(BinaryOp op, const Expr &a, const Expr &b)
{
    if (!a || !b)
        return {};
    const std::int64_t *left = asInt(a), *right = asInt(b);
    if (!left || !right || a.dtype().isVector())
        return binary(op, a, b);
    const std::int64_t value = op == BinaryOp::Mul
                                   ? satMul(*left, *right)
                                   : satAdd(*left, op == BinaryOp::Sub ? satNeg(*right) : *right);
    const bool isKnown = value > ConstIntBound::negInf && value < ConstIntBound::posInf
                         && isConstInt(intImm(value, a.dtype()), value);
    return isKnown ? intImm(value, a.dtype()) : Expr();
}

class IntervalEvaluator {
public:
    IntervalEvaluator(const VarMap<IntervalSet> &relaxed, Analyzer &analyzer)
        : m_relaxed(relaxed)
        , m_analyzer(analyzer)
    {
    }

    IntervalSet eval(const Expr &e)
    {
        if (e.as<VarNode>()) {
            const auto found = m_relaxed.find(Var::from(e));
            return found == m_relaxed.end() ? IntervalSet::point(e) : found->second;
        }
        if (!varies(e))
            return IntervalSet::point(e);
        if (const auto *node = e.as<Binary>())
            return node->a.dtype().isIntegral() ? evalBinary(*node) : IntervalSet::everything();
        if (const auto *node = e.as<Select>())
            return unionOf(eval(node->falseValue), eval(node->trueValue), m_analyzer);
        if (const auto *node = e.as<Call>(); node && node->callee == intrinsics::ifThenElse)
            return unionOf(eval(node->args[1]), eval(node->args[2]), m_analyzer);
        if (const Expr plain = withoutLikely(e); !plain.same(e))
            return eval(plain);
        if (const auto *node = e.as<Cast>())
            return evalCast(*node);
        if (const auto *node = e.as<Broadcast>())
            return eval(node->value);
        if (const auto *node = e.as<Ramp>())
            return evalRamp(*node);
        return byConstBound(e);
    }

private:
    bool varies(const Expr &e) const
    {
        bool found = false;
        forEachExpr(e, [&](const Expr &part) {
            found = found || (part.as<VarNode>() && m_relaxed.contains(Var::from(part)));
            return !found;
        });
        return found;
    }

    /// The interval of a varying expression without a rule of its own.
    IntervalSet byConstBound(const Expr &e)
    {
        if (!e.dtype().isIntegral() || e.dtype().isVector())
            return IntervalSet::everything();
        // Ends at or beyond those of the type say nothing.
        const ConstIntBound bound = m_analyzer.constBound(e), type = boundOfType(e.dtype());
        IntervalSet result;
        if (bound.min > type.min)
            result.min = intImm(bound.min, e.dtype());
        if (bound.max < type.max)
            result.max = intImm(bound.max, e.dtype());
        return result;
    }

    IntervalSet evalCast(const Cast &node)
    {
        IntervalSet inner = eval(node.value);
        if (!node.dtype.isInt() || !node.value.dtype().isInt() || node.dtype.bits < node.value.dtype().bits)
            return IntervalSet::everything();
        if (inner.isPoint())
            return IntervalSet::point(cast(node.dtype, inner.min));
        if (inner.min)
            inner.min = cast(node.dtype, inner.min);
        if (inner.max)
            inner.max = cast(node.dtype, inner.max);
        return inner;
    }

    IntervalSet evalRamp(const Ramp &node)
    {
        const IntervalSet base = eval(node.base);
        const std::int64_t *stride = asInt(node.stride);
        if (!stride)
            return IntervalSet::everything();
        const Expr reach = intImm(satMul(*stride, node.lanes - 1), node.stride.dtype());
        const Expr zero = intImm(0, node.stride.dtype());
        return add(base, *stride < 0 ? IntervalSet{reach, zero} : IntervalSet{zero, reach});
    }

    static IntervalSet add(const IntervalSet &a, const IntervalSet &b)
    {
        return combine(a, b, endOf(BinaryOp::Add, a.min, b.min), endOf(BinaryOp::Add, a.max, b.max));
    }
    static IntervalSet subtract(const IntervalSet &a, const IntervalSet &b)
    {
        return combine(a, b, endOf(BinaryOp::Sub, a.min, b.max), endOf(BinaryOp::Sub, a.max, b.min));
    }
    static IntervalSet combine(const IntervalSet &a, const IntervalSet &b, Expr min, Expr max)
    {
        return a.isPoint() && b.isPoint() ? IntervalSet::point(min)
                                          : IntervalSet{std::move(min), std::move(max), false};
    }

    IntervalSet evalBinary(const Binary &node)
    {
        if (isComparison(node.op) || isLogical(node.op))
            return IntervalSet::everything();
        const IntervalSet a = eval(node.a), b = eval(node.b);
        if (a.isNothing || b.isNothing)
            return IntervalSet::nothing();
        if (a.isPoint() && b.isPoint())
            return IntervalSet::point(binary(node.op, a.min, b.min));
        switch (node.op) {
        case BinaryOp::Add: return add(a, b);
        case BinaryOp::Sub: return subtract(a, b);
        case BinaryOp::Mul:
            return b.isPoint() ? scale(a, b.min, node) : a.isPoint() ? scale(b, a.min, node) : wide(node);
        case BinaryOp::Min: return {a.min && b.min ? min(a.min, b.min) : Expr(), least(a.max, b.max), false};
        case BinaryOp::Max:
            return {greatest(a.min, b.min), a.max && b.max ? max(a.max, b.max) : Expr(), false};
        case BinaryOp::Div:
        case BinaryOp::FloorDiv: return divide(a, b, node);
        case BinaryOp::Mod:
        case BinaryOp::FloorMod: return remainder(a, b, node);
        default: return IntervalSet::everything();
        }
    }

    static Expr least(const Expr &a, const Expr &b) { return !a ? b : !b ? a : min(a, b); }
    static Expr greatest(const Expr &a, const Expr &b) { return !a ? b : !b ? a : max(a, b); }

    IntervalSet wide(const Binary &node) { return byConstBound(binaryNode(node.op, node.a, node.b)); }

    IntervalSet scale(const IntervalSet &a, const Expr &factor, const Binary &node)
    {
        const ConstIntBound sign = m_analyzer.constBound(factor);
        const auto times = [&](const Expr &end) { return endOf(BinaryOp::Mul, end, factor); };
        if (sign.min >= 0)
            return {times(a.min), times(a.max), false};
        if (sign.max <= 0)
            return {times(a.max), times(a.min), false};
        return wide(node);
    }

    IntervalSet divide(const IntervalSet &a, const IntervalSet &b, const Binary &node)
    {
        if (!b.isPoint() || isConstInt(b.min, 0))
            return wide(node);
        const ConstIntBound sign = m_analyzer.constBound(b.min);
        const auto quotient = [&](const Expr &end) { return end ? binary(node.op, end, b.min) : Expr(); };
        if (sign.min > 0 || (sign.min >= 0 && !sign.isConst())) // a divisor is never 0
            return {quotient(a.min), quotient(a.max), false};
        return sign.max < 0 ? IntervalSet{quotient(a.max), quotient(a.min), false} : wide(node);
    }

    IntervalSet remainder(const IntervalSet &a, const IntervalSet &b, const Binary &node)
    {
        if (!b.isPoint() || m_analyzer.constBound(b.min).min < 0)
            return wide(node);
        const Expr zero = intImm(0, node.dtype);
        if (node.op == BinaryOp::Mod && !(a.min && m_analyzer.canProve(ge(a.min, zero))))
            return wide(node);
        if (a.isBounded()) {
            // Between two multiples of the divisor the remainder grows with the value.
            const Expr first = m_analyzer.simplify(floorDiv(a.min, b.min));
            if (m_analyzer.canProveEqual(first, floorDiv(a.max, b.min)))
                return {a.min - first * b.min, a.max - first * b.min, false};
        }
        return {zero, b.min - 1, false};
    }

    const VarMap<IntervalSet> &m_relaxed;
    Analyzer &m_analyzer;
};

} // namespace

IntervalSet evalSet(const Expr &e, const VarMap<IntervalSet> &relaxed, Analyzer &analyzer)
{
    IntervalSet set = IntervalEvaluator(relaxed, analyzer).eval(analyzer.simplify(e));
    if (set.isPoint())
        return IntervalSet::point(analyzer.simplify(set.min));
    if (set.min)
        set.min = analyzer.simplify(set.min);
    if (set.max)
        set.max = analyzer.simplify(set.max);
    return set.min && set.max && sameExpr(set.min, set.max) ? IntervalSet::point(set.min) : set;
}

IntervalSet unionOf(const IntervalSet &a, const IntervalSet &b, Analyzer &analyzer)
{
    if (a.isNothing)
        return b;
    if (b.isNothing)
        return a;
    if (a.isPoint() && b.isPoint() && analyzer.canProveEqual(a.min, b.min))
        return a;
    IntervalSet result;
    if (a.min && b.min)
        result.min = analyzer.simplify(min(a.min, b.min));
    if (a.max && b.max)
        result.max = analyzer.simplify(max(a.max, b.max));
    return result;
}

IntervalSet intersect(const IntervalSet &a, const IntervalSet &b, Analyzer &analyzer)
{
    if (a.isNothing || b.isNothing)
        return IntervalSet::nothing();
    IntervalSet result;
    result.min = !a.min ? b.min : !b.min ? a.min : analyzer.simplify(max(a.min, b.min));
    result.max = !a.max ? b.max : !b.max ? a.max : analyzer.simplify(min(a.max, b.max));
    if (result.isBounded() && analyzer.canProve(gt(result.min, result.max)))
        return IntervalSet::nothing();
    if (result.isBounded() && sameExpr(result.min, result.max))
        return IntervalSet::point(result.min);
    return result;
}

std::optional<Range> toRange(const IntervalSet &set, Analyzer &analyzer)
{
    if (!set.isBounded())
        return std::nullopt;
    if (set.isPoint())
        return Range{set.min, intImm(1, set.min.dtype())};
    const Expr last = endOf(BinaryOp::Sub, set.max, set.min);
    const Expr extent = endOf(BinaryOp::Add, last, intImm(1, set.min.dtype()));
    if (!extent)
        return std::nullopt;
    return Range{set.min, analyzer.simplify(extent)};
}

} // namespace nestwright::arith
