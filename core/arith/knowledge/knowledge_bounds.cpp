// SPDX-License-Identifier: Apache-2.0
/// Bounds and remainders of expressions, from the leaves up.
#include "core/arith/knowledge/knowledge.h"

#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"

#include <algorithm>
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

ConstIntBound Knowledge::boundOfVar(const Var &var)
{
    if (const Expr value = valueOf(var))
        return bound(value);
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
    const ConstIntBound own = compute(e);
    ConstIntBound result = own;
    for (const Info &info : m_infos) {
        if (sameExpr(info.expr, e))
            result = intersect(result, info.bound);
    }
    if (result.min > result.max) // contradicting assumptions: this code is never reached
        result = own;
    m_boundCache.insert(e, result);
    return result;
}

ConstIntBound Knowledge::compute(const Expr &e)
{
    const ConstIntBound type = boundOfType(e.dtype());
    switch (e.kind()) {
    case ExprKind::Var: return boundOfVar(Var::from(e));
    case ExprKind::Binary: {
        const auto &node = *e.as<Binary>();
        return node.op < BinaryOp::EQ && node.dtype.isIntegral() ? computeBinary(node) : type;
    }
    case ExprKind::Cast: {
        // Index arithmetic does not leave its type; data that is cast to a narrow or unsigned one wraps
        // around.
        const ConstIntBound value = bound(e.as<Cast>()->value), kept = intersect(value, type);
        const bool wraps = !e.dtype().element().isIndex();
        return kept.min > kept.max || (wraps && kept != value) ? type : kept;
    }
    case ExprKind::Select: {
        const auto &node = *e.as<Select>();
        return hull(bound(node.trueValue), bound(node.falseValue));
    }
    case ExprKind::Let: {
        const auto &node = *e.as<Let>();
        if (m_bounds.contains(node.var) || m_values.contains(node.var))
            return bound(node.body);
        m_bounds[node.var] = bound(node.value);
        const ConstIntBound result = bound(node.body);
        m_bounds.erase(node.var);
        m_boundCache.clear();
        return result;
    }
    case ExprKind::Broadcast: return bound(e.as<Broadcast>()->value);
    case ExprKind::Ramp: {
        const auto &node = *e.as<Ramp>();
        const ConstIntBound first = bound(node.base);
        const ConstIntBound last =
            bound(node.base + intImm(node.lanes - 1, node.stride.dtype()) * node.stride);
        return hull(first, last);
    }
    case ExprKind::Call: return e.dtype().isIntegral() ? computeCall(*e.as<Call>()) : type;
    default: return type;
    }
}

ConstIntBound Knowledge::computeCall(const Call &node)
{
    const ConstIntBound type = boundOfType(node.dtype);
    if (node.callee == intrinsics::shiftLeft || node.callee == intrinsics::shiftRight) {
        const ConstIntBound a = bound(node.args[0]), b = bound(node.args[1]);
        const bool toLeft = node.callee == intrinsics::shiftLeft;
        if (b.min < 0 || b.max >= node.dtype.bits || (toLeft && a.min < 0))
            return type;
        const ConstIntBound result = toLeft ? shiftLeftBound(a, b) : shiftRightBound(a, b);
        return type.contains(result.min) && type.contains(result.max) ? result : type;
    }
    if (node.callee == intrinsics::vscale) // at least one granule of a scalable vector
        return {1, type.max};
    if (node.callee != intrinsics::bitwiseAnd)
        return type;
    const ConstIntBound a = bound(node.args[0]), b = bound(node.args[1]);
    if (a.min >= 0 && b.min >= 0)
        return {0, std::min(a.max, b.max)};
    return b.min >= 0 ? ConstIntBound{0, b.max} : a.min >= 0 ? ConstIntBound{0, a.max} : type;
}

namespace {

/// Remainders, by a positive divisor, of values that are all base modulo coeff; tighter than `all` where
/// coeff and divisor have a common factor.
ConstIntBound spacedRests(ModularSet values, std::int64_t divisor, ConstIntBound all, bool truncates)
{
    const std::int64_t step = std::gcd(values.coeff, divisor);
    if (step <= 1)
        return all;
    const std::int64_t first = floorMod(values.base, step), last = divisor - step + first;
    if (!truncates || all.min >= 0)
        return intersect(all, {first, last});
    return first == 0 ? intersect(all, {-last, last}) : all;
}

} // namespace

ConstIntBound Knowledge::computeBinary(const Binary &node)
{
    const ConstIntBound a = bound(node.a), b = bound(node.b);
    ConstIntBound result;
    if ((node.op == BinaryOp::FloorMod || node.op == BinaryOp::Mod) && b.isConst() && b.min > 0) {
        const bool truncates = node.op == BinaryOp::Mod;
        const ConstIntBound all = truncates ? truncModBound(a, b) : floorModBound(a, b);
        return spacedRests(modular(node.a), b.min, all, truncates);
    }
    switch (node.op) {
    case BinaryOp::Add: result = a + b; break;
    case BinaryOp::Sub: result = a - b; break;
    case BinaryOp::Mul: result = a * b; break;
    case BinaryOp::Div: result = truncDivBound(a, b); break;
    case BinaryOp::Mod: result = truncModBound(a, b); break;
    case BinaryOp::FloorDiv: result = floorDivBound(a, b); break;
    case BinaryOp::FloorMod: result = floorModBound(a, b); break;
    case BinaryOp::Min: result = minBound(a, b); break;
    case BinaryOp::Max: result = maxBound(a, b); break;
    default: break;
    }
    // Unsigned and narrow arithmetic wraps around; only bounds inside the type are known.
    const ConstIntBound type = boundOfType(node.dtype);
    const bool wraps = node.dtype.isUInt() || node.dtype.bits < 32;
    if (wraps && (result.min < type.min || result.max > type.max))
        return type;
    return result;
}

ModularSet Knowledge::modular(const Expr &e)
{
    if (const std::int64_t *value = asInt(e))
        return makeModular(0, *value);
    if (!e.dtype().isIndex()) // narrow arithmetic wraps around
        return ModularSet::anything();
    return computeModular(e);
}

ModularSet Knowledge::computeModular(const Expr &e)
{
    if (e.as<VarNode>()) {
        const Var var = Var::from(e);
        const Expr value = valueOf(var);
        ModularSet result = value ? modular(value) : ModularSet::anything();
        for (const Residue &residue : m_residues) {
            if (residue.var == var)
                result = intersect(result, residue.set);
        }
        return result;
    }
    if (const auto *node = e.as<Select>())
        return hull(modular(node->trueValue), modular(node->falseValue));
    if (const auto *node = e.as<Cast>())
        return node->value.dtype().isInt() && node->value.dtype().bits <= e.dtype().bits
                   ? modular(node->value)
                   : ModularSet::anything();
    if (const auto *node = e.as<Call>())
        return modularCall(*node);
    if (const auto *node = e.as<Let>()) {
        if (m_values.contains(node->var) || std::ranges::contains(m_residues, node->var, &Residue::var))
            return ModularSet::anything(); // another variable of this name is known
        m_residues.push_back({node->var, modular(node->value)});
        const ModularSet result = modular(node->body);
        m_residues.pop_back();
        return result;
    }
    const auto *node = e.as<Binary>();
    if (!node)
        return ModularSet::anything();
    const bool roundsDown = node->op == BinaryOp::FloorDiv || node->op == BinaryOp::FloorMod;
    switch (node->op) {
    case BinaryOp::Add: return modular(node->a) + modular(node->b);
    case BinaryOp::Sub: return modular(node->a) - modular(node->b);
    case BinaryOp::Mul: return modular(node->a) * modular(node->b);
    case BinaryOp::Div:
    case BinaryOp::FloorDiv:
        return divModular(modular(node->a), modular(node->b), roundsDown || bound(node->a).min >= 0);
    case BinaryOp::Mod:
    case BinaryOp::FloorMod:
        return restModular(modular(node->a), modular(node->b), roundsDown || bound(node->a).min >= 0);
    case BinaryOp::Min:
    case BinaryOp::Max: return hull(modular(node->a), modular(node->b));
    default: return ModularSet::anything();
    }
}

ModularSet Knowledge::modularCall(const Call &node)
{
    if (node.callee != intrinsics::shiftRight && node.callee != intrinsics::bitwiseAnd)
        return ModularSet::anything();
    const ModularSet b = modular(node.args[1]);
    if (!b.isConst() || b.base < 0 || b.base > 62)
        return ModularSet::anything();
    if (node.callee == intrinsics::shiftRight)
        return divModular(modular(node.args[0]), ModularSet::constant(std::int64_t{1} << b.base), true);
    const std::int64_t range = b.base + 1;
    const bool isMask = (range & b.base) == 0;
    return isMask ? restModular(modular(node.args[0]), ModularSet::constant(range), true)
                  : ModularSet::anything();
}

} // namespace nestwright::arith
