// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/operators.h"

#include "core/frontend/te_script/builtins.h"
#include "core/frontend/te_script/interpreter.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/script/python/sequences.h"

#include <algorithm>
#include <format>
#include <limits>

namespace nestwright::te {

namespace {

void checkIntegers(Interpreter &interpreter, std::string_view op, const Expr &a, const Expr &b,
                   py::Position at)
{
    if (!a.dtype().isIntegral() || !b.dtype().isIntegral()) {
        interpreter.fail(at, "te.type-mismatch",
                         std::format("\"{}\" works on integers, but its operands are of type {} and {}", op,
                                     a.dtype().str(), b.dtype().str()),
                         "cast to an integer type, or use / for floating-point numbers");
    }
}

/// Constants take the type of the other operand, as with + and -.
Expr pairIntrinsic(const ir::Intrinsic &intrinsic, const Expr &a, const Expr &b)
{
    const DataType dtype = ir::binary(ir::BinaryOp::Add, a, b).dtype();
    return ir::callIntrinsic(intrinsic, {ir::converted(dtype, a), ir::converted(dtype, b)});
}

Value exprOperator(Interpreter &interpreter, py::BinaryOp op, const Expr &a, const Expr &b, py::Position at)
{
    const bool bools = a.dtype().isBool() && b.dtype().isBool();
    switch (op) {
    case py::BinaryOp::Add: return a + b;
    case py::BinaryOp::Sub: return a - b;
    case py::BinaryOp::Mul: return a * b;
    case py::BinaryOp::Div:
        if (!a.dtype().isFloating() && !b.dtype().isFloating()) {
            interpreter.fail(at, "te.ambiguous-division", "\"/\" of integers leaves open how to round",
                             "use // (towards minus infinity) or te.truncdiv(a, b) (towards zero)");
        }
        return te::divide(a, b);
    case py::BinaryOp::FloorDiv: checkIntegers(interpreter, "//", a, b, at); return ir::floorDiv(a, b);
    case py::BinaryOp::Mod: checkIntegers(interpreter, "%", a, b, at); return ir::floorMod(a, b);
    case py::BinaryOp::Pow: return pairIntrinsic(ir::intrinsics::pow, a, b);
    case py::BinaryOp::ShiftLeft:
        checkIntegers(interpreter, "<<", a, b, at);
        return pairIntrinsic(ir::intrinsics::shiftLeft, a, b);
    case py::BinaryOp::ShiftRight:
        checkIntegers(interpreter, ">>", a, b, at);
        return pairIntrinsic(ir::intrinsics::shiftRight, a, b);
    case py::BinaryOp::BitAnd:
        checkIntegers(interpreter, "&", a, b, at);
        return bools ? ir::logicalAnd(a, b) : pairIntrinsic(ir::intrinsics::bitwiseAnd, a, b);
    case py::BinaryOp::BitOr:
        checkIntegers(interpreter, "|", a, b, at);
        return bools ? ir::logicalOr(a, b) : pairIntrinsic(ir::intrinsics::bitwiseOr, a, b);
    case py::BinaryOp::BitXor:
        checkIntegers(interpreter, "^", a, b, at);
        return pairIntrinsic(ir::intrinsics::bitwiseXor, a, b);
    case py::BinaryOp::MatMul:
        interpreter.fail(at, "te.unsupported", "\"@\" is not understood",
                         "write te.sum(A[i, k] * B[k, j], axis=k)");
    }
    return {};
}

/// Strings and lists joined or repeated; nothing where the operator is none of these.
std::optional<Value> sequenceOperator(Interpreter &interpreter, py::BinaryOp op, const Value &a,
                                      const Value &b, py::Position at)
{
    if (op == py::BinaryOp::Mul && asInteger(a))
        return sequenceOperator(interpreter, op, b, a, at);
    if (const auto *text = a.as<std::string>()) {
        if (op == py::BinaryOp::Mod)
            return Value(SkippedValue{"a formatted string"});
        if (const auto *more = b.as<std::string>(); more && op == py::BinaryOp::Add) {
            interpreter.countText(static_cast<std::int64_t>(text->size() + more->size()), at);
            return Value(*text + *more);
        }
        if (const auto times = asInteger(b); times && op == py::BinaryOp::Mul) {
            interpreter.countText(py::repeatedLength(text->size(), *times), at);
            return Value(py::repeated(*text, *times));
        }
    }
    const auto *left = a.as<ListValue>();
    if (!left)
        return std::nullopt;
    std::vector<Value> items;
    if (const auto *right = b.as<ListValue>(); right && op == py::BinaryOp::Add) {
        interpreter.countList(static_cast<std::int64_t>(left->items->size() + right->items->size()), at);
        items = py::joined(*left->items, *right->items);
    } else if (const auto times = asInteger(b); times && op == py::BinaryOp::Mul) {
        interpreter.countList(py::repeatedLength(left->items->size(), *times), at);
        items = py::repeated(*left->items, *times);
    } else {
        return std::nullopt;
    }
    return left->isTuple ? Value::tuple(std::move(items)) : Value::list(std::move(items));
}

[[noreturn]] void failOperands(Interpreter &interpreter, std::string_view op, const Value &a, const Value &b,
                               py::Position at)
{
    for (const Value *value : {&a, &b}) {
        if (const auto *reduction = value->as<Reduction>()) {
            interpreter.fail(at, "te.nested-reduction",
                             std::format("a reduction ({}) must be the whole body of a te.compute, but here "
                                         "it is an operand of \"{}\"",
                                         reduction->combiner->name, op),
                             "compute the reduction as a tensor of its own, then use its elements");
        }
    }
    interpreter.fail(at, "te.type",
                     std::format("\"{}\" does not work on {} and {}", op, a.kindText(), b.kindText()));
}

ir::BinaryOp exprOp(py::CompareOp op)
{
    switch (op) {
    case py::CompareOp::NE: return ir::BinaryOp::NE;
    case py::CompareOp::LT: return ir::BinaryOp::LT;
    case py::CompareOp::LE: return ir::BinaryOp::LE;
    case py::CompareOp::GT: return ir::BinaryOp::GT;
    case py::CompareOp::GE: return ir::BinaryOp::GE;
    default: return ir::BinaryOp::EQ;
    }
}

std::optional<Value> contains(py::CompareOp op, const Value &a, const Value &b)
{
    const bool wanted = op == py::CompareOp::In;
    if (const auto *text = b.as<std::string>()) {
        if (const auto *part = a.as<std::string>())
            return Value((text->find(*part) != std::string::npos) == wanted);
        return std::nullopt;
    }
    if (const auto *dict = b.as<DictValue>())
        return Value((findItem(*dict, a) != nullptr) == wanted);
    if (const auto *list = b.as<ListValue>()) {
        for (const Value &item : *list->items) {
            if (plainEqual(item, a).value_or(false))
                return Value(wanted);
        }
        return Value(!wanted);
    }
    return std::nullopt;
}

} // namespace

Value unaryOperator(Interpreter &interpreter, py::UnaryOp op, const Value &operand, py::Position at)
{
    if (const auto number = py::numberOf(operand.variant()))
        return Value::of(orFail(interpreter, py::signedNumber(op, *number), at));
    const Expr e = toExpr(operand);
    if (op == py::UnaryOp::Minus && e)
        return -e;
    if (op == py::UnaryOp::Plus)
        return operand;
    if (op == py::UnaryOp::Invert && e && e.dtype().isIntegral())
        return e.dtype().isBool() ? ir::logicalNot(e) : ir::callIntrinsic(ir::intrinsics::bitwiseNot, {e});
    interpreter.fail(at, "te.type", std::format("the sign does not work on {}", operand.kindText()));
}

Value binaryOperator(Interpreter &interpreter, py::BinaryOp op, const Value &a, const Value &b,
                     py::Position at)
{
    if (a.isSkipped())
        return a;
    if (b.isSkipped())
        return b;
    const auto left = py::numberOf(a.variant()), right = py::numberOf(b.variant());
    if (left && right)
        return Value::of(orFail(interpreter, py::arithmetic(op, *left, *right), at));
    if (auto joined = sequenceOperator(interpreter, op, a, b, at))
        return *joined;
    const Expr x = toExpr(a), y = toExpr(b);
    if (x && y)
        return exprOperator(interpreter, op, x, y, at);
    failOperands(interpreter, py::spelling(op), a, b, at);
}

Value compareOperator(Interpreter &interpreter, py::CompareOp op, const Value &a, const Value &b,
                      py::Position at)
{
    if (op == py::CompareOp::Is || op == py::CompareOp::IsNot) {
        if (a.isNone() || b.isNone())
            return (a.isNone() && b.isNone()) == (op == py::CompareOp::Is);
        const bool isSameKind = a.variant().index() == b.variant().index();
        return (isSameKind && plainEqual(a, b).value_or(false)) == (op == py::CompareOp::Is);
    }
    if (a.isSkipped())
        return a;
    if (b.isSkipped())
        return b;
    if (op == py::CompareOp::In || op == py::CompareOp::NotIn) {
        if (const auto *list = b.as<ListValue>())
            interpreter.countItems(static_cast<std::int64_t>(list->items->size()), at);
        if (auto found = contains(op, a, b))
            return *found;
        failOperands(interpreter, py::spelling(op), a, b, at);
    }
    const auto left = py::numberOf(a.variant()), right = py::numberOf(b.variant());
    if (left && right)
        return py::holds(op, py::order(*left, *right));
    if (const auto *text = a.as<std::string>(), *other = b.as<std::string>(); text && other)
        return py::holds(op, *text <=> *other);
    const Expr x = toExpr(a), y = toExpr(b);
    if (x && y)
        return ir::binary(exprOp(op), x, y);
    if (const auto equal = plainEqual(a, b); op == py::CompareOp::EQ || op == py::CompareOp::NE)
        return equal.value_or(false) == (op == py::CompareOp::EQ);
    failOperands(interpreter, py::spelling(op), a, b, at);
}

} // namespace nestwright::te
