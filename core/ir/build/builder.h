// SPDX-License-Identifier: Apache-2.0
/// Making nodes: arithmetic with the usual type matching and constant folding, and statements.
#pragma once

#include "core/ir/node/stmt.h"

#include <string_view>

namespace nestwright::ir {

/// A handle to an immutable copy of `node`: `make(Ramp{...})`.
template <class Node> auto make(Node node)
{
    auto shared = std::make_shared<const Node>(std::move(node));
    if constexpr (std::is_base_of_v<ExprNode, Node>)
        return Expr(std::move(shared));
    else
        return Stmt(std::move(shared));
}

// Constants.
Expr intImm(std::int64_t value, DataType dtype = DataType::int32());
Expr floatImm(double value, DataType dtype = DataType::float32());
/// The same, printed with the digits of `number`, as a program gives it; of a vector type in every lane.
Expr writtenFloat(double number, DataType dtype = DataType::float32());
Expr boolImm(bool value);
Expr stringImm(std::string value);
/// `value` as a constant of `dtype` (integral, floating, or a broadcast of one).
Expr constant(double value, DataType dtype);
/// The least and the greatest value of an integral or floating `dtype`; of floats the finite ones.
Expr minValue(DataType dtype);
Expr maxValue(DataType dtype);

/// The constant integer (or bool) that `e` is, else null.
const std::int64_t *asInt(const Expr &e);
bool isConstInt(const Expr &e, std::int64_t value);
bool isTrue(const Expr &e);
bool isFalse(const Expr &e);

/// The node itself, without folding or type matching; `a` and `b` must have one dtype. Comparisons give bool.
Expr binaryNode(BinaryOp op, Expr a, Expr b);
/// Matches the operand types (constants adapt, int32 widens to int64, integers become floats, scalars
/// broadcast), folds constants and drops neutral operands (x + 0, x * 1, x && true, …) without any further
/// algebra. Throws support::UserError with code "type.mismatch" when the operands have no common type.
Expr binary(BinaryOp op, Expr a, Expr b);

inline Expr operator+(const Expr &a, const Expr &b) { return binary(BinaryOp::Add, a, b); }
inline Expr operator-(const Expr &a, const Expr &b) { return binary(BinaryOp::Sub, a, b); }
inline Expr operator*(const Expr &a, const Expr &b) { return binary(BinaryOp::Mul, a, b); }
Expr operator-(const Expr &a);
inline Expr truncDiv(const Expr &a, const Expr &b) { return binary(BinaryOp::Div, a, b); }
inline Expr truncMod(const Expr &a, const Expr &b) { return binary(BinaryOp::Mod, a, b); }
inline Expr floorDiv(const Expr &a, const Expr &b) { return binary(BinaryOp::FloorDiv, a, b); }
inline Expr floorMod(const Expr &a, const Expr &b) { return binary(BinaryOp::FloorMod, a, b); }
inline Expr min(const Expr &a, const Expr &b) { return binary(BinaryOp::Min, a, b); }
inline Expr max(const Expr &a, const Expr &b) { return binary(BinaryOp::Max, a, b); }
inline Expr eq(const Expr &a, const Expr &b) { return binary(BinaryOp::EQ, a, b); }
inline Expr ne(const Expr &a, const Expr &b) { return binary(BinaryOp::NE, a, b); }
inline Expr lt(const Expr &a, const Expr &b) { return binary(BinaryOp::LT, a, b); }
inline Expr le(const Expr &a, const Expr &b) { return binary(BinaryOp::LE, a, b); }
inline Expr gt(const Expr &a, const Expr &b) { return binary(BinaryOp::GT, a, b); }
inline Expr ge(const Expr &a, const Expr &b) { return binary(BinaryOp::GE, a, b); }
inline Expr logicalAnd(const Expr &a, const Expr &b) { return binary(BinaryOp::And, a, b); }
inline Expr logicalOr(const Expr &a, const Expr &b) { return binary(BinaryOp::Or, a, b); }
/// Division of constants: rounds towards minus infinity, ceilDiv towards infinity; `b` must not be 0.
std::int64_t floorDiv(std::int64_t a, std::int64_t b);
std::int64_t floorMod(std::int64_t a, std::int64_t b);
std::int64_t ceilDiv(std::int64_t a, std::int64_t b);

/// One mark for a binary operator, as written in Python ("+", "//", "<=", …);
/// "min"/"max"/"truncdiv"/"truncmod" for those that are functions there.
std::string_view spelling(BinaryOp op);
bool isComparison(BinaryOp op);
/// `and`, `or`.
bool isLogical(BinaryOp op);
/// A quotient or a remainder, whichever way it rounds.
bool isDivision(BinaryOp op);

Expr logicalNot(const Expr &a);
/// Folds a cast to the same type and casts of constants.
Expr cast(DataType dtype, const Expr &value);
/// Converts an operand to the common type: a literal that a program writes is rounded to the type in one
/// step; anything else is cast.
Expr converted(DataType dtype, const Expr &value);
Expr select(const Expr &condition, const Expr &trueValue, const Expr &falseValue);
Expr let(const Var &var, const Expr &value, const Expr &body);
Expr load(const Buffer &buffer, std::vector<Expr> indices);
Expr ramp(const Expr &base, const Expr &stride, int lanes);
Expr broadcast(const Expr &value, int lanes);
Expr call(DataType dtype, Callee callee, std::vector<Expr> args);
/// The call of the intrinsic or function with that name in a text.
Expr call(DataType dtype, std::string_view name, std::vector<Expr> args);

Stmt store(const Buffer &buffer, const Expr &value, std::vector<Expr> indices);
Stmt evaluate(const Expr &value);
/// Flattens nested sequences and drops no-ops; one statement is returned as it is, none as a no-op.
Stmt seq(std::vector<Stmt> stmts);
/// A serial loop over [0, extent).
Stmt serialFor(const Var &var, const Expr &extent, Stmt body, StmtId id = {}, Origin origin = {});
Stmt ifThenElse(const Expr &condition, Stmt thenCase, Stmt elseCase = {});
/// Memory for `buffer`, with the buffer as its view, around `body`.
Stmt allocated(const Buffer &buffer, Stmt body, Attrs annotations = {});
/// `Evaluate(constant)`: does nothing.
bool isNoOp(const Stmt &s);

/// The region of one element at `indices`.
std::vector<Range> pointRegion(const std::vector<Expr> &indices);
/// All of `buffer`.
BufferRegion fullRegion(const Buffer &buffer);

} // namespace nestwright::ir
