// SPDX-License-Identifier: Apache-2.0
/// Rules for vectors: ramps and broadcasts.
#include "core/arith/rewrite.h"

#include "core/ir/builder.h"

namespace nestwright::arith {

using namespace ir;

namespace {

bool isIndexVector(DataType dtype) { return dtype.isInt() && dtype.bits >= 32; }

} // namespace

Expr RewriteSimplifier::vectorBinary(BinaryOp op, const Expr &a, const Expr &b)
{
    const auto *splatA = a.as<Broadcast>();
    const auto *splatB = b.as<Broadcast>();
    if (splatA && splatB && splatA->lanes == splatB->lanes)
        return ir::broadcast(binary(op, splatA->value, splatB->value), splatA->lanes);
    if (!isIndexVector(a.dtype()))
        return ir::binary(op, a, b);
    if (isComparison(op))
        return vectorCompare(op, a, b);
    const auto *rampA = a.as<Ramp>();
    const auto *rampB = b.as<Ramp>();
    if (op == BinaryOp::Add || op == BinaryOp::Sub) {
        const Expr zero = constant(0, a.dtype().element());
        const bool splats = (rampA && splatB && rampA->lanes == splatB->lanes)
                            || (splatA && rampB && splatA->lanes == rampB->lanes);
        if ((rampA && rampB && rampA->lanes == rampB->lanes) || splats) {
            const Expr base =
                binary(op, rampA ? rampA->base : splatA->value, rampB ? rampB->base : splatB->value);
            const Expr stride = binary(op, rampA ? rampA->stride : zero, rampB ? rampB->stride : zero);
            const int lanes = rampA ? rampA->lanes : rampB->lanes;
            return isConstInt(stride, 0) ? ir::broadcast(base, lanes) : ir::ramp(base, stride, lanes);
        }
    }
    if (op == BinaryOp::Mul && ((rampA && splatB) || (splatA && rampB))) {
        const Ramp &node = rampA ? *rampA : *rampB;
        const Broadcast &splat = rampA ? *splatB : *splatA;
        if (node.lanes == splat.lanes) {
            const Expr stride = binary(op, node.stride, splat.value);
            const Expr base = binary(op, node.base, splat.value);
            return isConstInt(stride, 0) ? ir::broadcast(base, node.lanes)
                                         : ir::ramp(base, stride, node.lanes);
        }
    }
    if ((op == BinaryOp::FloorDiv || op == BinaryOp::FloorMod) && rampA && splatB
        && rampA->lanes == splatB->lanes) {
        if (Expr result = vectorQuotient(op, *rampA, splatB->value))
            return result;
    }
    if (op == BinaryOp::Min || op == BinaryOp::Max) {
        const ConstIntBound difference = m_knowledge.bound(vectorBinary(BinaryOp::Sub, a, b));
        if (difference.max <= 0)
            return op == BinaryOp::Min ? a : b;
        if (difference.min >= 0)
            return op == BinaryOp::Min ? b : a;
    }
    return ir::binary(op, a, b);
}

/// A ramp divided by one number: again a ramp, or all lanes fall between two multiples; null otherwise.
Expr RewriteSimplifier::vectorQuotient(BinaryOp op, const Ramp &a, const Expr &divisor)
{
    const std::int64_t *number = asInt(divisor);
    const std::int64_t *stride = asInt(a.stride);
    if (!number || !stride || *number <= 0)
        return {};
    const bool isDivision = op == BinaryOp::FloorDiv;
    if (*stride % *number == 0) {
        const Expr first = binary(op, a.base, divisor);
        if (!isDivision)
            return ir::broadcast(first, a.lanes);
        return ir::ramp(first, intImm(*stride / *number, a.stride.dtype()), a.lanes);
    }
    const ConstIntBound rest = m_knowledge.bound(binary(BinaryOp::FloorMod, a.base, divisor));
    const std::int64_t reach = satMul(*stride, a.lanes - 1);
    if (satAdd(rest.max, std::max<std::int64_t>(reach, 0)) >= *number
        || satAdd(rest.min, std::min<std::int64_t>(reach, 0)) < 0)
        return {};
    const Expr first = binary(op, a.base, divisor);
    return isDivision ? ir::broadcast(first, a.lanes) : ir::ramp(first, a.stride, a.lanes);
}

Expr RewriteSimplifier::vectorCompare(BinaryOp op, const Expr &a, const Expr &b)
{
    switch (op) {
    case BinaryOp::GT: return vectorCompare(BinaryOp::LT, b, a);
    case BinaryOp::GE: return logicalNot(vectorCompare(BinaryOp::LT, a, b));
    case BinaryOp::LE: return logicalNot(vectorCompare(BinaryOp::LT, b, a));
    case BinaryOp::NE: return logicalNot(vectorCompare(BinaryOp::EQ, a, b));
    default: break;
    }
    const ConstIntBound difference = m_knowledge.bound(vectorBinary(BinaryOp::Sub, a, b));
    const int lanes = a.dtype().lanes;
    if (op == BinaryOp::LT && (difference.max < 0 || difference.min >= 0))
        return ir::broadcast(boolImm(difference.max < 0), lanes);
    if (op == BinaryOp::EQ && (difference == ConstIntBound{0, 0} || !difference.contains(0)))
        return ir::broadcast(boolImm(difference.contains(0)), lanes);
    return binaryNode(op, a, b);
}

} // namespace nestwright::arith
