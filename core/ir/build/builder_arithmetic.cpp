// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/fold.h"
#include "core/support/errors/errors.h"

#include <utility>

namespace nestwright::ir {

using support::diagnostic;
using support::UserError;

bool isComparison(BinaryOp op) { return op >= BinaryOp::EQ && op <= BinaryOp::GE; }
bool isLogical(BinaryOp op) { return op == BinaryOp::And || op == BinaryOp::Or; }
bool isDivision(BinaryOp op)
{
    return op == BinaryOp::Div || op == BinaryOp::Mod || op == BinaryOp::FloorDiv || op == BinaryOp::FloorMod;
}

std::string_view spelling(BinaryOp op)
{
    switch (op) {
    case BinaryOp::Add: return "+";
    case BinaryOp::Sub: return "-";
    case BinaryOp::Mul: return "*";
    case BinaryOp::Div: return "truncdiv";
    case BinaryOp::Mod: return "truncmod";
    case BinaryOp::FloorDiv: return "//";
    case BinaryOp::FloorMod: return "%";
    case BinaryOp::Min: return "min";
    case BinaryOp::Max: return "max";
    case BinaryOp::EQ: return "==";
    case BinaryOp::NE: return "!=";
    case BinaryOp::LT: return "<";
    case BinaryOp::LE: return "<=";
    case BinaryOp::GT: return ">";
    case BinaryOp::GE: return ">=";
    case BinaryOp::And: return "and";
    case BinaryOp::Or: return "or";
    }
    std::unreachable();
}

Expr binaryNode(BinaryOp op, Expr a, Expr b)
{
    const bool isBool = isComparison(op) || isLogical(op);
    Binary node;
    node.dtype = isBool ? DataType::boolean(a.dtype().lanes) : a.dtype();
    node.op = op;
    node.a = std::move(a);
    node.b = std::move(b);
    return make(std::move(node));
}

namespace {

/// Rank of a scalar type when two meet: the higher one wins.
int rank(DataType type)
{
    if (type.isBool())
        return 0;
    if (type.isFloating())
        return 1000 + type.bits + (type.code == TypeCode::Float ? 1 : 0);
    return type.bits * 2 + (type.isUInt() ? 1 : 0);
}

/// A constant takes the type of the other side unless that would lose a fraction or change the number.
bool adapts(const Expr &e, DataType other)
{
    if (const auto *imm = e.as<IntImm>(); imm && !other.isBool())
        return !other.isIntegral() || imm->dtype.isBool() || wrapToType(imm->value, other) == imm->value;
    return e.as<FloatImm>() && other.isFloating();
}

/// Both operands in their common type.
void matchTypes(Expr &a, Expr &b)
{
    if (a.dtype().lanes != b.dtype().lanes) {
        if (a.dtype().lanes == 1)
            a = broadcast(a, b.dtype().lanes);
        else if (b.dtype().lanes == 1)
            b = broadcast(b, a.dtype().lanes);
    }
    const DataType ta = a.dtype(), tb = b.dtype();
    if (ta == tb)
        return;
    if (ta.isHandle() || tb.isHandle() || ta.lanes != tb.lanes)
        throw UserError(diagnostic("type.mismatch", "operands of types " + ta.str() + " and " + tb.str()
                                                        + " have no common type")
                            .withHint("cast one of them"));
    const bool constantA = adapts(a, tb.element());
    const bool constantB = adapts(b, ta.element());
    const bool toB = constantA != constantB ? constantA : rank(ta) < rank(tb);
    if (toB && !(tb.isBool() && !constantB))
        a = converted(tb, a);
    else
        b = converted(ta, b);
}

/// x op neutral = x, and the absorbing cases; null when none applies.
Expr dropNeutral(BinaryOp op, const Expr &a, const Expr &b)
{
    const bool integral = a.dtype().isIntegral() && !a.dtype().isVector();
    switch (op) {
    case BinaryOp::Add:
        if (integral && isConstInt(a, 0))
            return b;
        return integral && isConstInt(b, 0) ? a : Expr();
    case BinaryOp::Sub: return integral && isConstInt(b, 0) ? a : Expr();
    case BinaryOp::Mul:
        if (integral && (isConstInt(a, 1) || isConstInt(b, 0)))
            return b;
        return integral && (isConstInt(b, 1) || isConstInt(a, 0)) ? a : Expr();
    case BinaryOp::Div:
    case BinaryOp::FloorDiv:
        if (integral && isConstInt(b, 1))
            return a;
        return integral && isConstInt(a, 0) && !isConstInt(b, 0) ? a : Expr();
    case BinaryOp::Mod:
    case BinaryOp::FloorMod:
        if (integral && isConstInt(b, 1))
            return constant(0, a.dtype());
        return integral && isConstInt(a, 0) && !isConstInt(b, 0) ? a : Expr();
    case BinaryOp::Min:
    case BinaryOp::Max: return a.same(b) ? a : Expr();
    case BinaryOp::And:
        if (isTrue(a) || isFalse(b))
            return b;
        return isTrue(b) || isFalse(a) ? a : Expr();
    case BinaryOp::Or:
        if (isFalse(a) || isTrue(b))
            return b;
        return isFalse(b) || isTrue(a) ? a : Expr();
    default: return {};
    }
}

} // namespace

Expr binary(BinaryOp op, Expr a, Expr b)
{
    NW_ASSERT(a && b, "an operand is null");
    if (isLogical(op)) {
        if (!a.dtype().isBool())
            a = ne(a, constant(0, a.dtype()));
        if (!b.dtype().isBool())
            b = ne(b, constant(0, b.dtype()));
    }
    matchTypes(a, b);
    if (Expr folded = foldBinary(op, a, b))
        return folded;
    if (Expr kept = dropNeutral(op, a, b))
        return kept;
    return binaryNode(op, std::move(a), std::move(b));
}

Expr operator-(const Expr &a)
{
    if (const auto *imm = a.as<IntImm>())
        return intImm(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(imm->value)), imm->dtype);
    if (const auto *imm = a.as<FloatImm>())
        return imm->written ? writtenFloat(-*imm->written, imm->dtype) : floatImm(-imm->value, imm->dtype);
    return constant(0, a.dtype()) - a;
}

Expr logicalNot(const Expr &a)
{
    if (isTrue(a) || isFalse(a))
        return boolImm(isFalse(a));
    Not node;
    node.dtype = DataType::boolean(a.dtype().lanes);
    node.a = a;
    return make(std::move(node));
}

Expr cast(DataType dtype, const Expr &value)
{
    if (value.dtype() == dtype)
        return value;
    if (dtype.lanes > 1 && value.dtype().lanes == 1)
        return broadcast(cast(dtype.element(), value), dtype.lanes);
    if (Expr folded = foldCast(dtype, value))
        return folded;
    if (const auto *splat = value.as<Broadcast>())
        return broadcast(cast(dtype.element(), splat->value), splat->lanes);
    Cast node;
    node.dtype = dtype;
    node.value = value;
    return make(std::move(node));
}

Expr converted(DataType dtype, const Expr &value)
{
    const auto *splat = value.as<Broadcast>();
    const auto *number = (splat ? splat->value : value).as<FloatImm>();
    const bool fits = dtype.isFloating() && !dtype.isNarrow()
                      && (value.dtype().lanes == 1 || value.dtype().lanes == dtype.lanes);
    return number && number->written && fits ? writtenFloat(*number->written, dtype) : cast(dtype, value);
}

Expr select(const Expr &condition, const Expr &trueValue, const Expr &falseValue)
{
    Expr a = trueValue, b = falseValue;
    matchTypes(a, b);
    Select node;
    node.dtype = a.dtype();
    node.condition = condition;
    node.trueValue = std::move(a);
    node.falseValue = std::move(b);
    return make(std::move(node));
}

} // namespace nestwright::ir
