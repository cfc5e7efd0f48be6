// SPDX-License-Identifier: Apache-2.0
/// Bounds and rests of expressions, from the leaves up.
#include "core/arith/knowledge.h"

#include "core/arith/same_expr.h"
#include "core/ir/builder.h"

#include <numeric>

namespace nestwright::arith {

using namespace ir;

ConstIntBound boundOfType(DataType dtype)
{
    if (dtype.isBool())
        return {0, 1};
    if (!dtype.isIntegral() || dtype.bits == 0 || dtype.bits >= 64)
        return dtype.isUInt() ? ConstIntBound{0, ConstIntBound::posInf} : ConstIntBound{};
    if (dtype.isUInt())
        return {0, (std::int64_t{1} << dtype.bits) - 1};
    const std::int64_t half = std::int64_t{1} << (dtype.bits - 1);
    return {-half, half - 1};
}

ConstIntBound Knowledge::boundOfVar(const Var &var) const
{
    const auto found = m_bounds.find(var);
    return found == m_bounds.end() ? boundOfType(var->dtype) : found->second;
}

ConstIntBound Knowledge::bound(const Expr &e)
{
    if (const std::int64_t *value = asInt(e)) {
        if (e.dtype() == DataType::uint(64) && *value < 0)
            return {0, ConstIntBound::posInf};
        const std::int64_t kept = std::max(*value, ConstIntBound::negInf);
        return {kept, kept};
    }
    if (const ConstIntBound *known = m_boundCache.find(e))
        return *known;
    ConstIntBound result = compute(e);
    for (const Fact &fact : m_facts) {
        if (fact.sum.terms.size() == 1 && sameExpr(fact.sum.terms.front().atom, e))
            result = intersect(result, fact.bound);
    }
    if (result.min
        > result.max) // contradicting assumptions: this code is never reached; stay with what is consistent
        result = compute(e);
    m_boundCache.insert(e, result);
    return result;
}

ConstIntBound Knowledge::compute(const Expr &e)
{
    if (e.as<VarNode>()) {
        const Expr value = valueOf(Var::from(e));
        return value ? bound(value) : boundOfVar(Var::from(e));
    }
    if (const auto *node = e.as<Binary>())
        return node->a.dtype().isIntegral() ? computeBinary(*node) : boundOfType(e.dtype());
    if (const auto *node = e.as<Cast>()) {
        if (!node->value.dtype().isIntegral())
            return boundOfType(e.dtype());
        const ConstIntBound value = bound(node->value);
        const ConstIntBound type = boundOfType(e.dtype());
        return type.min <= value.min && value.max <= type.max ? value : type;
    }
    if (const auto *node = e.as<Select>())
        return hull(bound(node->trueValue), bound(node->falseValue));
    if (const auto *node = e.as<Broadcast>())
        return bound(node->value);
    if (const auto *node = e.as<Ramp>())
        return bound(node->base) + bound(node->stride) * ConstIntBound{0, node->lanes - 1};
    if (const auto *node = e.as<Call>()) {
        if (node->name == "if_then_else")
            return hull(bound(node->args[1]), bound(node->args[2]));
        if (node->name == "likely")
            return bound(node->args[0]);
    }
    return boundOfType(e.dtype());
}

ConstIntBound Knowledge::computeBinary(const Binary &node)
{
    if (isComparison(node.op) || node.op == BinaryOp::And || node.op == BinaryOp::Or)
        return {0, 1};
    if (!m_facts.empty() && node.op <= BinaryOp::Mul && node.dtype.isInt() && !node.dtype.isVector()) {
        LinearSum sum;
        sum.add(binaryNode(node.op, node.a, node.b));
        if (sum.terms.size() > 1
            || (sum.terms.size() == 1 && sum.terms.front().atom.kind() != ExprKind::Binary))
            return bound(sum);
    }
    const ConstIntBound a = bound(node.a), b = bound(node.b);
    ConstIntBound result;
    switch (node.op) {
    case BinaryOp::Add: result = a + b; break;
    case BinaryOp::Sub: result = a - b; break;
    case BinaryOp::Mul: result = a * b; break;
    case BinaryOp::Div: result = truncDivBound(a, b); break;
    case BinaryOp::Mod: result = truncModBound(a, b); break;
    case BinaryOp::FloorDiv: result = floorDivBound(a, b); break;
    case BinaryOp::FloorMod: {
        result = floorModBound(a, b);
        // Values that are all r modulo g leave rests that are r modulo gcd(g, b).
        const std::int64_t divisor = b.isConst() ? b.min : 0;
        const ModularSet rests = divisor > 1 ? modular(node.a) : ModularSet::anything();
        const std::int64_t step = std::gcd(rests.coeff, divisor);
        if (step > 1)
            result =
                intersect(result, {floorMod(rests.base, step), divisor - step + floorMod(rests.base, step)});
        break;
    }
    case BinaryOp::Min: result = minBound(a, b); break;
    case BinaryOp::Max: result = maxBound(a, b); break;
    default: break;
    }
    // Unsigned arithmetic wraps around; only what stays inside the type can be told.
    const ConstIntBound type = boundOfType(node.dtype);
    if (node.dtype.isUInt() && (result.min < type.min || result.max > type.max))
        return type;
    return result;
}

ModularSet Knowledge::modular(const Expr &e)
{
    if (const std::int64_t *value = asInt(e))
        return makeModular(0, *value);
    if (!e.dtype().isInt() || e.dtype().isVector())
        return ModularSet::anything();
    ModularSet result = computeModular(e);
    for (const Residue &residue : m_residues) {
        if (sameExpr(residue.expr, e))
            result = intersect(result, residue.set);
    }
    return result;
}

ModularSet Knowledge::computeModular(const Expr &e)
{
    if (e.as<VarNode>()) {
        const Expr value = valueOf(Var::from(e));
        return value ? modular(value) : ModularSet::anything();
    }
    if (const auto *node = e.as<Select>())
        return hull(modular(node->trueValue), modular(node->falseValue));
    if (const auto *node = e.as<Cast>())
        return node->value.dtype().isInt() && node->value.dtype().bits <= e.dtype().bits
                   ? modular(node->value)
                   : ModularSet::anything();
    const auto *node = e.as<Binary>();
    if (!node)
        return ModularSet::anything();
    switch (node->op) {
    case BinaryOp::Add: return modular(node->a) + modular(node->b);
    case BinaryOp::Sub: return modular(node->a) - modular(node->b);
    case BinaryOp::Mul: return modular(node->a) * modular(node->b);
    case BinaryOp::FloorDiv: return floorDivModular(modular(node->a), modular(node->b));
    case BinaryOp::FloorMod: return floorModModular(modular(node->a), modular(node->b));
    case BinaryOp::Min:
    case BinaryOp::Max: return hull(modular(node->a), modular(node->b));
    default: return ModularSet::anything();
    }
}

} // namespace nestwright::arith
