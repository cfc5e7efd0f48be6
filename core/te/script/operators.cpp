// SPDX-License-Identifier: Apache-2.0
#include "core/te/script/operators.h"

#include "core/ir/builder.h"
#include "core/ir/fold.h"
#include "core/ir/intrinsics.h"
#include "core/script/python/sequences.h"
#include "core/te/script/builtins.h"
#include "core/te/script/interpreter.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <format>
#include <limits>

namespace nestwright::te {

namespace {

std::string_view spelling(py::BinaryOp op)
{
    switch (op) {
    case py::BinaryOp::Add: return "+";
    case py::BinaryOp::Sub: return "-";
    case py::BinaryOp::Mul: return "*";
    case py::BinaryOp::Div: return "/";
    case py::BinaryOp::FloorDiv: return "//";
    case py::BinaryOp::Mod: return "%";
    case py::BinaryOp::Pow: return "**";
    case py::BinaryOp::MatMul: return "@";
    case py::BinaryOp::ShiftLeft: return "<<";
    case py::BinaryOp::ShiftRight: return ">>";
    case py::BinaryOp::BitAnd: return "&";
    case py::BinaryOp::BitOr: return "|";
    case py::BinaryOp::BitXor: return "^";
    }
    return "?";
}

[[noreturn]] void failDivision(Interpreter &interpreter, py::Position at)
{
    interpreter.fail(at, "te.division-by-zero", "division by zero");
}

bool isBitwise(py::BinaryOp op)
{
    return op == py::BinaryOp::BitAnd || op == py::BinaryOp::BitOr || op == py::BinaryOp::BitXor;
}

std::int64_t powerOf(Interpreter &interpreter, std::int64_t base, std::int64_t exponent, py::Position at)
{
    std::int64_t result = 1;
    for (std::int64_t i = 0; i < exponent && result != 0; ++i) {
        if (i > 64 && (base == 1 || base == -1))
            return base == 1 || exponent % 2 == 0 ? 1 : -1;
        if (__builtin_mul_overflow(result, base, &result))
            interpreter.fail(at, "te.overflow",
                             std::format("{} ** {} does not fit into 64 bits", base, exponent));
    }
    return result;
}

Value integerOperator(Interpreter &interpreter, py::BinaryOp op, std::int64_t a, std::int64_t b,
                      py::Position at)
{
    std::optional<std::int64_t> result;
    switch (op) {
    case py::BinaryOp::Add: result = ir::checkedBinary(ir::BinaryOp::Add, a, b); break;
    case py::BinaryOp::Sub: result = ir::checkedBinary(ir::BinaryOp::Sub, a, b); break;
    case py::BinaryOp::Mul: result = ir::checkedBinary(ir::BinaryOp::Mul, a, b); break;
    case py::BinaryOp::Div:
        if (b == 0)
            failDivision(interpreter, at);
        return static_cast<double>(a) / static_cast<double>(b);
    case py::BinaryOp::FloorDiv:
        if (b == 0)
            failDivision(interpreter, at);
        result = ir::checkedBinary(ir::BinaryOp::FloorDiv, a, b);
        break;
    case py::BinaryOp::Mod:
        if (b == 0)
            failDivision(interpreter, at);
        return ir::floorMod(a, b);
    case py::BinaryOp::Pow:
        if (b < 0)
            return std::pow(static_cast<double>(a), static_cast<double>(b));
        return powerOf(interpreter, a, b, at);
    case py::BinaryOp::ShiftLeft:
        if (b >= 0 && b <= 62)
            result = ir::checkedBinary(ir::BinaryOp::Mul, a, std::int64_t{1} << b);
        else if (b > 62 && a == 0)
            result = 0;
        break;
    case py::BinaryOp::ShiftRight:
        if (b < 0)
            interpreter.fail(at, "te.type", "a shift by a negative number");
        return a >> std::min<std::int64_t>(b, 63);
    case py::BinaryOp::BitAnd: return a & b;
    case py::BinaryOp::BitOr: return a | b;
    case py::BinaryOp::BitXor: return a ^ b;
    case py::BinaryOp::MatMul: interpreter.fail(at, "te.unsupported", "\"@\" is not understood");
    }
    if (!result)
        interpreter.fail(at, "te.overflow",
                         std::format("{} {} {} does not fit into 64 bits", a, spelling(op), b));
    return *result;
}

/// Exact, with the sign of the divisor.
double floatRest(double a, double b)
{
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : std::copysign(rest, b);
}

Value floatOperator(Interpreter &interpreter, py::BinaryOp op, double a, double b, py::Position at)
{
    switch (op) {
    case py::BinaryOp::Add: return a + b;
    case py::BinaryOp::Sub: return a - b;
    case py::BinaryOp::Mul: return a * b;
    case py::BinaryOp::Div:
        if (b == 0)
            failDivision(interpreter, at);
        return a / b;
    case py::BinaryOp::FloorDiv:
        if (b == 0)
            failDivision(interpreter, at);
        return std::round((a - floatRest(a, b)) / b);
    case py::BinaryOp::Mod:
        if (b == 0)
            failDivision(interpreter, at);
        return floatRest(a, b);
    case py::BinaryOp::Pow: return std::pow(a, b);
    default: interpreter.fail(at, "te.type", std::format("\"{}\" works on ints only", spelling(op)));
    }
}

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
    return ir::callIntrinsic(intrinsic, {ir::cast(dtype, a), ir::cast(dtype, b)});
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

std::string_view spelling(py::CompareOp op)
{
    switch (op) {
    case py::CompareOp::EQ: return "==";
    case py::CompareOp::NE: return "!=";
    case py::CompareOp::LT: return "<";
    case py::CompareOp::LE: return "<=";
    case py::CompareOp::GT: return ">";
    case py::CompareOp::GE: return ">=";
    case py::CompareOp::Is: return "is";
    case py::CompareOp::IsNot: return "is not";
    case py::CompareOp::In: return "in";
    case py::CompareOp::NotIn: return "not in";
    }
    return "?";
}

bool inOrder(py::CompareOp op, std::partial_ordering order)
{
    switch (op) {
    case py::CompareOp::LT: return order < 0;
    case py::CompareOp::LE: return order <= 0;
    case py::CompareOp::GT: return order > 0;
    case py::CompareOp::GE: return order >= 0;
    case py::CompareOp::NE: return order != 0;
    default: return order == 0;
    }
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
    if (op == py::UnaryOp::Minus) {
        if (const auto number = asInteger(operand))
            return integerOperator(interpreter, py::BinaryOp::Sub, 0, *number, at);
        if (const auto *number = operand.as<double>())
            return -*number;
        if (const Expr e = toExpr(operand))
            return -e;
    }
    if (op == py::UnaryOp::Plus) {
        const auto number = asInteger(operand);
        return number ? Value(*number) : operand;
    }
    if (op == py::UnaryOp::Invert) {
        if (const auto number = asInteger(operand))
            return ~*number;
        if (const Expr e = toExpr(operand); e && e.dtype().isIntegral())
            return e.dtype().isBool() ? ir::logicalNot(e)
                                      : ir::callIntrinsic(ir::intrinsics::bitwiseNot, {e});
    }
    interpreter.fail(at, "te.type", std::format("the sign does not work on {}", operand.kindText()));
}

Value binaryOperator(Interpreter &interpreter, py::BinaryOp op, const Value &a, const Value &b,
                     py::Position at)
{
    if (a.isSkipped())
        return a;
    if (b.isSkipped())
        return b;
    const auto leftInt = asInteger(a), rightInt = asInteger(b);
    if (leftInt && rightInt) {
        Value result = integerOperator(interpreter, op, *leftInt, *rightInt, at);
        return a.as<bool>() && b.as<bool>() && isBitwise(op) ? Value(*asInteger(result) != 0) : result;
    }
    const auto left = asNumber(a), right = asNumber(b);
    if (left && right)
        return floatOperator(interpreter, op, *left, *right, at);
    if (auto joined = sequenceOperator(interpreter, op, a, b, at))
        return *joined;
    const Expr x = toExpr(a), y = toExpr(b);
    if (x && y)
        return exprOperator(interpreter, op, x, y, at);
    failOperands(interpreter, spelling(op), a, b, at);
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
        failOperands(interpreter, spelling(op), a, b, at);
    }
    const auto leftInt = asInteger(a), rightInt = asInteger(b);
    if (leftInt && rightInt)
        return inOrder(op, *leftInt <=> *rightInt);
    const auto left = asNumber(a), right = asNumber(b);
    if (left && right)
        return inOrder(op, *left <=> *right);
    if (const auto *text = a.as<std::string>(), *other = b.as<std::string>(); text && other)
        return inOrder(op, *text <=> *other);
    const Expr x = toExpr(a), y = toExpr(b);
    if (x && y)
        return ir::binary(exprOp(op), x, y);
    if (const auto equal = plainEqual(a, b); op == py::CompareOp::EQ || op == py::CompareOp::NE)
        return equal.value_or(false) == (op == py::CompareOp::EQ);
    failOperands(interpreter, spelling(op), a, b, at);
}

} // namespace nestwright::te
