// SPDX-License-Identifier: Apache-2.0
#include "core/ir/builder.h"

#include "core/ir/fold.h"
#include "core/support/errors.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace nestwright::ir {

using support::diagnostic;
using support::UserError;

// Constructors declared in expr.h, buffer.h and attr.h.

Expr::Expr(int value) : Expr(intImm(value)) {}
Expr::Expr(std::int64_t value)
    : Expr(intImm(value, value == static_cast<std::int32_t>(value) ? DataType::int32() : DataType::int64()))
{
}
Expr::Expr(float value) : Expr(floatImm(value)) {}

Var::Var(std::string name, DataType dtype)
{
    auto node = std::make_shared<VarNode>();
    node->dtype = dtype;
    node->name = std::move(name);
    m_node = std::move(node);
}

Var::Var(std::string name, Pointee pointee)
{
    auto node = std::make_shared<VarNode>();
    node->dtype = DataType::handle();
    node->name = std::move(name);
    node->pointee = std::move(pointee);
    m_node = std::move(node);
}

Var Var::like(const Var &var, std::string name)
{
    auto node = std::make_shared<VarNode>(*var.get());
    node->name = std::move(name);
    return Var(std::move(node));
}

Var Var::from(const Expr &e)
{
    Var var;
    if (e.as<VarNode>())
        static_cast<Expr &>(var) = e;
    return var;
}

bool Buffer::hasDefaultOffset() const
{
    const Expr &offset = m_node->elemOffset;
    return !offset || (isConstInt(offset, 0) && offset.dtype() == indexType());
}

Buffer::Buffer(std::string name, std::vector<Expr> shape, DataType dtype, std::string scope)
{
    auto node = std::make_shared<BufferNode>();
    node->data = Var(name, DataType::handle());
    node->name = std::move(name);
    node->shape = std::move(shape);
    node->dtype = dtype;
    node->scope = std::move(scope);
    m_node = std::move(node);
}

AttrValue::AttrValue(const std::string &text) : value(stringImm(text)) {}

AttrValue::AttrValue(AttrRecord record) : value(std::make_shared<const AttrRecord>(std::move(record))) {}

const std::int64_t *AttrValue::asInt() const
{
    const Expr *e = asExpr();
    return e ? ir::asInt(*e) : nullptr;
}

const std::string *AttrValue::asString() const
{
    const Expr *e = asExpr();
    const StringImm *text = e ? e->as<StringImm>() : nullptr;
    return text ? &text->value : nullptr;
}

// Constants.

Expr intImm(std::int64_t value, DataType dtype)
{
    IntImm node;
    node.dtype = dtype;
    node.value = wrapToType(value, dtype);
    return make(std::move(node));
}

Expr floatImm(double value, DataType dtype)
{
    FloatImm node;
    node.dtype = dtype;
    node.value = roundToType(value, dtype);
    return make(std::move(node));
}

Expr boolImm(bool value) { return intImm(value ? 1 : 0, DataType::boolean()); }

Expr stringImm(std::string value)
{
    StringImm node;
    node.dtype = DataType::handle();
    node.value = std::move(value);
    return make(std::move(node));
}

Expr constant(double value, DataType dtype)
{
    if (dtype.isVector())
        return broadcast(constant(value, dtype.element()), dtype.lanes);
    return dtype.isFloating() ? floatImm(value, dtype) : intImm(static_cast<std::int64_t>(value), dtype);
}

namespace {

double greatestFinite(DataType dtype)
{
    if (dtype.code == TypeCode::BFloat)
        return 3.3895313892515355e38;
    switch (dtype.bits) {
    case 16: return 65504.0;
    case 64: return std::numeric_limits<double>::max();
    default: return std::numeric_limits<float>::max();
    }
}

std::uint64_t allBits(DataType dtype) { return ~std::uint64_t{0} >> (64 - dtype.bits); }

} // namespace

Expr minValue(DataType dtype)
{
    if (dtype.isFloating())
        return constant(-greatestFinite(dtype), dtype);
    if (dtype.isUInt() || dtype.isBool())
        return intImm(0, dtype);
    return intImm(-static_cast<std::int64_t>(allBits(dtype) >> 1) - 1, dtype);
}

Expr maxValue(DataType dtype)
{
    if (dtype.isFloating())
        return constant(greatestFinite(dtype), dtype);
    const std::uint64_t all = allBits(dtype);
    return intImm(static_cast<std::int64_t>(dtype.isUInt() || dtype.isBool() ? all : all >> 1), dtype);
}

const std::int64_t *asInt(const Expr &e)
{
    const auto *imm = e.as<IntImm>();
    return imm ? &imm->value : nullptr;
}

bool isConstInt(const Expr &e, std::int64_t value)
{
    const std::int64_t *number = asInt(e);
    return number && *number == value;
}

bool isTrue(const Expr &e) { return e && e.dtype().isBool() && isConstInt(e, 1); }
bool isFalse(const Expr &e) { return e && e.dtype().isBool() && isConstInt(e, 0); }

// Arithmetic.

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

bool isConstant(const Expr &e) { return e.as<IntImm>() || e.as<FloatImm>(); }

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
        a = cast(tb, a);
    else
        b = cast(ta, b);
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
        return floatImm(-imm->value, imm->dtype);
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

Expr let(const Var &var, const Expr &value, const Expr &body)
{
    Let node;
    node.dtype = body.dtype();
    node.var = var;
    node.value = value;
    node.body = body;
    return make(std::move(node));
}

Expr load(const Buffer &buffer, std::vector<Expr> indices)
{
    BufferLoad node;
    int lanes = buffer.dtype().lanes;
    if (!indices.empty())
        lanes *= indices.back().dtype().lanes;
    node.dtype = buffer.dtype().withLanes(lanes);
    node.buffer = buffer;
    node.indices = std::move(indices);
    return make(std::move(node));
}

Expr ramp(const Expr &base, const Expr &stride, int lanes)
{
    Ramp node;
    node.dtype = base.dtype().withLanes(base.dtype().lanes * lanes);
    node.base = base;
    node.stride = cast(base.dtype(), stride);
    node.lanes = lanes;
    return make(std::move(node));
}

Expr broadcast(const Expr &value, int lanes)
{
    Broadcast node;
    node.dtype = value.dtype().withLanes(value.dtype().lanes * lanes);
    node.value = value;
    node.lanes = lanes;
    return make(std::move(node));
}

Expr call(DataType dtype, std::string name, std::vector<Expr> args)
{
    Call node;
    node.dtype = dtype;
    node.name = std::move(name);
    node.args = std::move(args);
    return make(std::move(node));
}

// Statements.

Stmt store(const Buffer &buffer, const Expr &value, std::vector<Expr> indices)
{
    int lanes = buffer.dtype().lanes;
    if (!indices.empty())
        lanes *= indices.back().dtype().lanes;
    BufferStore node;
    node.buffer = buffer;
    node.value = cast(buffer.dtype().withLanes(lanes), value);
    node.indices = std::move(indices);
    return make(std::move(node));
}

Stmt evaluate(const Expr &value)
{
    Evaluate node;
    node.value = value;
    return make(std::move(node));
}

bool isNoOp(const Stmt &s)
{
    const auto *node = s.as<Evaluate>();
    return node && isConstant(node->value);
}

Stmt seq(std::vector<Stmt> stmts)
{
    std::vector<Stmt> flat;
    for (Stmt &s : stmts) {
        if (const auto *inner = s.as<Seq>())
            flat.insert(flat.end(), inner->stmts.begin(), inner->stmts.end());
        else if (s && !isNoOp(s))
            flat.push_back(std::move(s));
    }
    if (flat.empty())
        return evaluate(0);
    if (flat.size() == 1)
        return flat.front();
    Seq node;
    node.stmts = std::move(flat);
    return make(std::move(node));
}

Stmt serialFor(const Var &var, const Expr &extent, Stmt body, StmtId id, Origin origin)
{
    For node;
    node.id = id;
    node.origin = std::move(origin);
    node.min = constant(0, var.dtype());
    node.extent = cast(var.dtype(), extent);
    node.var = var;
    node.body = std::move(body);
    return make(std::move(node));
}

Stmt ifThenElse(const Expr &condition, Stmt thenCase, Stmt elseCase)
{
    IfThenElse node;
    node.condition = condition;
    node.thenCase = std::move(thenCase);
    node.elseCase = std::move(elseCase);
    return make(std::move(node));
}

std::vector<Range> pointRegion(const std::vector<Expr> &indices)
{
    std::vector<Range> region;
    region.reserve(indices.size());
    for (const Expr &index : indices)
        region.push_back({index, constant(1, index.dtype())});
    return region;
}

BufferRegion fullRegion(const Buffer &buffer)
{
    BufferRegion region{buffer, {}};
    for (const Expr &extent : buffer.shape())
        region.region.push_back({constant(0, extent.dtype()), extent});
    return region;
}

} // namespace nestwright::ir
