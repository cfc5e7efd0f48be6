// SPDX-License-Identifier: Apache-2.0
#include "core/script/tvmscript/expr.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/script/python/sequences.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <limits>

namespace nestwright::script {

using ir::Expr;

Value ExprReader::value(const py::Expr &e)
{
    try {
        return dispatch(e);
    } catch (support::UserError &error) {
        if (!error.diagnostic().locations.empty())
            throw;
        // Raised by a builder, which knows no place.
        const support::Diagnostic &found = error.diagnostic();
        m_context.fail(e->at, found.code, found.message, found.hint);
    }
}

Value ExprReader::dispatch(const py::Expr &e)
{
    switch (e->kind) {
    case py::ExprKind::Name: return name(*e->as<py::Name>());
    case py::ExprKind::IntLiteral: {
        const auto *literal = e->as<py::IntLiteral>();
        if (literal->wide)
            return {ir::intImm(literal->value, ir::DataType::uint(64))};
        return {Expr(literal->value)};
    }
    case py::ExprKind::FloatLiteral: return {FloatValue{e->as<py::FloatLiteral>()->value}};
    case py::ExprKind::StringLiteral: return {ir::stringImm(e->as<py::StringLiteral>()->value)};
    case py::ExprKind::BoolLiteral: return {ir::boolImm(e->as<py::BoolLiteral>()->value)};
    case py::ExprKind::NoneLiteral: return {NoneValue()};
    case py::ExprKind::Unary: return unary(*e->as<py::Unary>());
    case py::ExprKind::Binary: return binary(*e->as<py::Binary>());
    case py::ExprKind::Compare: return compare(*e->as<py::Compare>());
    case py::ExprKind::BoolOp: return boolOp(*e->as<py::BoolOp>());
    case py::ExprKind::Conditional: return conditional(*e->as<py::Conditional>());
    case py::ExprKind::Attribute: return attribute(e, *e->as<py::Attribute>());
    case py::ExprKind::Subscript: return subscript(*e->as<py::Subscript>());
    case py::ExprKind::Call: return call(*e->as<py::Call>());
    case py::ExprKind::Tuple:
    case py::ExprKind::List: {
        ListValue list;
        const auto &items =
            e->kind == py::ExprKind::Tuple ? e->as<py::Tuple>()->items : e->as<py::List>()->items;
        list.items = this->items(items);
        return {std::move(list)};
    }
    case py::ExprKind::Dict: {
        DictValue dict;
        for (const auto &[key, item] : e->as<py::Dict>()->items) {
            if (!key)
                m_context.fail(item->at, "script.unsupported", "'**' is not understood in a dictionary");
            dict.items.emplace_back(value(key), value(item));
        }
        return {std::move(dict)};
    }
    case py::ExprKind::Lambda:
    case py::ExprKind::Slice:
    case py::ExprKind::Starred:
    case py::ExprKind::EllipsisLiteral:
    case py::ExprKind::Comprehension: break;
    }
    m_context.fail(e->at, "script.unsupported", "this kind of expression is not understood in TVMScript");
}

Value ExprReader::name(const py::Name &node)
{
    if (const Value *known = m_context.find(node.id)) {
        const auto *e = known->as<Expr>();
        if (e && e->as<ir::VarNode>() && !m_context.namesThread
            && m_context.idleThreads.contains(ir::Var::from(*e)))
            m_context.fail(node.at, "script.thread",
                           "the thread axis '" + node.id + "' is used where no T.launch_thread launches it");
        return *known;
    }
    const std::string canonical = m_context.canonical(node.id);
    if (!canonical.empty())
        return {FunctionValue{canonical}};
    for (const std::string_view builtin : {"range", "float", "int", "bool", "max", "min", "abs", "len"}) {
        if (node.id == builtin)
            return {FunctionValue{node.id}};
    }
    if (node.id == "metadata") // metadata["relax.expr.Constant"][0]
        m_context.fail(node.at, "script.unsupported",
                       "'metadata' stands for an object of TVM that has no text of its own",
                       "leave out the attribute that it belongs to");
    m_context.fail(node.at, "script.unknown-name", "the name '" + node.id + "' is not defined here",
                   m_context.suggestion(node.id));
}

namespace {

/// The type of this name; a few have two.
std::optional<ir::DataType> typeNamed(const std::string &name)
{
    return ir::DataType::parse(name == "boolean"                       ? "bool"
                               : name == "ptr" || name == "buffer_var" ? "handle"
                                                                       : name);
}

} // namespace

std::optional<ir::DataType> ExprReader::typeOf(const py::Expr &callee)
{
    const std::string name = functionName(callee);
    return name.starts_with("T.") ? typeNamed(name.substr(2)) : std::nullopt;
}

Value ExprReader::attribute(const py::Expr &e, const py::Attribute &node)
{
    const std::string dotted = py::dottedName(e);
    if (const GlobalFunction *function = m_context.global(dotted))
        return {*function};
    if (!dotted.empty() && !m_context.find(dotted.substr(0, dotted.find('.')))) {
        const std::string canonical = m_context.canonical(dotted);
        if (!canonical.empty()) {
            if (canonical.starts_with("T.")) {
                if (const auto type = typeNamed(canonical.substr(2)))
                    return {TypeValue{*type}};
            }
            return {FunctionValue{canonical}};
        }
    }
    return member(value(node.value), node);
}

Value ExprReader::member(const Value &object, const py::Attribute &node)
{
    const auto list = [](const std::vector<Expr> &items) {
        ListValue result;
        for (const Expr &item : items)
            result.items.push_back({item});
        return Value{std::move(result)};
    };
    if (const auto *buffer = object.as<ir::Buffer>()) {
        if (node.name == "data")
            return {Expr((*buffer)->data)};
        if (node.name == "shape")
            return list(buffer->shape());
        if (node.name == "strides")
            return list((*buffer)->strides);
        if (node.name == "elem_offset")
            return {(*buffer)->elemOffset ? (*buffer)->elemOffset : Expr(0)};
        if (node.name == "dtype")
            return {ir::stringImm(buffer->dtype().str())};
        if (node.name == "access_ptr" || node.name == "scope" || node.name == "vload")
            return {MethodValue{std::make_shared<const Value>(object), node.name}};
    } else if (object.as<Expr>() || object.as<ir::BufferRegion>()) {
        const ir::Var var = object.as<Expr>() ? ir::Var::from(*object.as<Expr>()) : ir::Var();
        if (node.name == "ty" && var && var.dtype().isHandle() && !var->pointee)
            return {TypeValue{var.dtype()}};
        if (node.name == "ty" && var)
            return object; // as later versions say T.handle("float32").ty
        if (node.name == "dtype")
            return {ir::stringImm(toExpr(m_context, object, node.at).dtype().str())};
        if (node.name == "astype")
            return {MethodValue{std::make_shared<const Value>(object), node.name}};
    }
    if (const auto *found = object.as<InstanceValue>()) {
        const Instance &instance = *found->instance;
        if (const auto member = instance.members.find(node.name); member != instance.members.end())
            return member->second;
        if (instance.method(node.name))
            return {MethodValue{std::make_shared<const Value>(object), node.name}};
    }
    const auto *type = object.as<ClassValue>();
    const auto *instance = object.as<InstanceValue>();
    const py::Expr constant =
        type || instance ? classConstant(type ? *type->definition : *instance->instance->type, node.name)
                         : nullptr;
    if (constant) {
        if (std::ranges::contains(m_constants, constant))
            m_context.fail(node.at, "script.unknown-name", '\'' + node.name + "' is defined by itself");
        m_constants.push_back(constant);
        Value result = value(constant);
        m_constants.pop_back();
        return result;
    }
    m_context.fail(node.at, "script.unknown-name", describe(object) + " has no member '" + node.name + '\'');
}

// Operators.

namespace {

Expr arithmetic(py::BinaryOp op, const Expr &a, const Expr &b, const Context &context, py::Position at)
{
    switch (op) {
    case py::BinaryOp::Add: return a + b;
    case py::BinaryOp::Sub: return a - b;
    case py::BinaryOp::Mul: return a * b;
    case py::BinaryOp::Div:
        if (a.dtype().isIntegral() && b.dtype().isIntegral())
            context.fail(at, "script.type", "'/' divides floats, but both operands are integers",
                         "write '//' to round down, or T.truncdiv to round towards zero");
        return ir::truncDiv(a, b);
    case py::BinaryOp::FloorDiv: return ir::floorDiv(a, b);
    case py::BinaryOp::Mod: return ir::floorMod(a, b);
    case py::BinaryOp::Pow: return ir::callIntrinsic(ir::intrinsics::pow, {a, ir::cast(a.dtype(), b)});
    case py::BinaryOp::MatMul: break;
    case py::BinaryOp::ShiftLeft:
        return ir::callIntrinsic(ir::intrinsics::shiftLeft, {a, ir::cast(a.dtype(), b)});
    case py::BinaryOp::ShiftRight:
        return ir::callIntrinsic(ir::intrinsics::shiftRight, {a, ir::cast(a.dtype(), b)});
    case py::BinaryOp::BitAnd:
        return ir::callIntrinsic(ir::intrinsics::bitwiseAnd, {a, ir::cast(a.dtype(), b)});
    case py::BinaryOp::BitOr:
        return ir::callIntrinsic(ir::intrinsics::bitwiseOr, {a, ir::cast(a.dtype(), b)});
    case py::BinaryOp::BitXor:
        return ir::callIntrinsic(ir::intrinsics::bitwiseXor, {a, ir::cast(a.dtype(), b)});
    }
    context.fail(at, "script.unsupported", "'@' is not understood in TVMScript");
}

/// Integer constants folded as Python does, where the result is small: 2 ** 10, 1 << 4, 3 & 1; null
/// otherwise.
Expr foldPython(py::BinaryOp op, const Expr &a, const Expr &b)
{
    const std::int64_t *x = ir::asInt(a), *y = ir::asInt(b);
    if (!x || !y)
        return {};
    constexpr std::int64_t most = std::int64_t{1} << 31;
    switch (op) {
    case py::BinaryOp::Pow: break;
    case py::BinaryOp::ShiftLeft:
        if (*x < 0 || *x >= most || *y >= 31)
            return {};
        break;
    case py::BinaryOp::ShiftRight:
        if (*y >= 63)
            return {};
        break;
    case py::BinaryOp::BitAnd:
    case py::BinaryOp::BitOr:
    case py::BinaryOp::BitXor: break;
    default: return {};
    }
    const auto result = py::arithmetic(op, *x, *y);
    const auto *integer = result ? std::get_if<std::int64_t>(&*result) : nullptr;
    constexpr std::int64_t largestPower = 9'000'000'000'000'000;
    const bool isLarge = integer && (*integer >= largestPower || *integer <= -largestPower);
    return integer && !(isLarge && op == py::BinaryOp::Pow) ? Expr(*integer) : Expr();
}

ir::BinaryOp comparison(py::CompareOp op, const Context &context, py::Position at)
{
    switch (op) {
    case py::CompareOp::EQ: return ir::BinaryOp::EQ;
    case py::CompareOp::NE: return ir::BinaryOp::NE;
    case py::CompareOp::LT: return ir::BinaryOp::LT;
    case py::CompareOp::LE: return ir::BinaryOp::LE;
    case py::CompareOp::GT: return ir::BinaryOp::GT;
    case py::CompareOp::GE: return ir::BinaryOp::GE;
    case py::CompareOp::Is:
    case py::CompareOp::IsNot:
    case py::CompareOp::In:
    case py::CompareOp::NotIn: break;
    }
    context.fail(at, "script.unsupported", "'is' and 'in' are not understood in TVMScript");
}

} // namespace

Value ExprReader::unary(const py::Unary &node)
{
    if (node.op == py::UnaryOp::Not)
        return {ir::logicalNot(condition(node.operand))};
    // Python knows no types of numbers: -2147483648 is an int32 although 2147483648 is none.
    if (const auto *literal = node.operand->as<py::IntLiteral>();
        literal && node.op == py::UnaryOp::Minus && (!literal->wide || literal->value == INT64_MIN))
        return {Expr(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(literal->value)))};
    const Value value = this->value(node.operand);
    if (const auto *literal = value.as<FloatValue>(); literal && node.op != py::UnaryOp::Invert)
        return {FloatValue{node.op == py::UnaryOp::Minus ? -literal->number : literal->number}};
    const Expr operand = toExpr(m_context, value, node.operand->at);
    if (operand.dtype().isHandle())
        m_context.fail(node.at, "script.type", "expected a number but found " + describe({operand}));
    switch (node.op) {
    case py::UnaryOp::Plus: return {operand};
    case py::UnaryOp::Invert: return {ir::callIntrinsic(ir::intrinsics::bitwiseNot, {operand})};
    case py::UnaryOp::Minus:
    case py::UnaryOp::Not: break;
    }
    if (operand.as<ir::IntImm>() || operand.as<ir::FloatImm>())
        return {-operand};
    return {operand * ir::constant(-1, operand.dtype())};
}

/// Lists joined and repeated; nothing for other operands.
std::optional<Value> ExprReader::combinedLists(const py::Binary &node, const Value &left, const Value &right)
{
    const auto *a = left.as<ListValue>(), *b = right.as<ListValue>();
    if (a && b && node.op == py::BinaryOp::Add)
        return Value{ListValue{py::joined(a->items, b->items)}};
    if (!a == !b || node.op != py::BinaryOp::Mul)
        return std::nullopt;
    const ValueList &items = (a ? a : b)->items;
    const py::Expr &number = a ? node.right : node.left;
    const std::int64_t times = toInt(m_context, a ? right : left, number->at, "how often a list is repeated");
    if (py::repeatedLength(items.size(), times) > mostParts)
        failLarge(m_context, node.at);
    return Value{ListValue{py::repeated(items, times)}};
}

Value ExprReader::binary(const py::Binary &node)
{
    const Value left = value(node.left), right = value(node.right);
    if (std::optional<Value> lists = combinedLists(node, left, right))
        return *std::move(lists);
    const auto *p = left.as<FloatValue>(), *q = right.as<FloatValue>();
    if (p && q) {
        if (const auto folded = py::arithmetic(node.op, p->number, q->number))
            return {FloatValue{py::realOf(*folded)}};
    }
    const Expr x = toExprLike(m_context, left, right, node.left->at);
    const Expr y = toExprLike(m_context, right, left, node.right->at);
    for (const Expr *operand : {&x, &y}) {
        if (operand->dtype().isHandle() || operand->dtype().code == ir::TypeCode::Void)
            m_context.fail(node.at, "script.type", "expected a number but found " + describe({*operand}));
    }
    if (Expr folded = foldPython(node.op, x, y))
        return {folded};
    return {arithmetic(node.op, x, y, m_context, node.at)};
}

Value ExprReader::compare(const py::Compare &node)
{
    Expr result;
    Value left = value(node.first);
    for (const auto &[op, operand] : node.rest) {
        Value right = value(operand);
        const Expr part =
            ir::binary(comparison(op, m_context, node.at), toExprLike(m_context, left, right, node.at),
                       toExprLike(m_context, right, left, operand->at));
        result = result ? ir::logicalAnd(result, part) : part;
        left = std::move(right);
    }
    return {result};
}

namespace {

Expr toVector(const Expr &e, int lanes) { return e.dtype().isVector() ? e : ir::broadcast(e, lanes); }

} // namespace

Value ExprReader::boolOp(const py::BoolOp &node)
{
    Expr result = condition(node.operands.front());
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
        const Expr operand = condition(node.operands[i]);
        if (result.dtype().isVector() && operand.dtype().isVector()
            && result.dtype().lanes != operand.dtype().lanes)
            m_context.fail(node.operands[i]->at, "script.type",
                           "conditions of " + result.dtype().str() + " and " + operand.dtype().str()
                               + " cannot be combined",
                           "give both the same number of lanes");
        const int lanes = std::max(result.dtype().lanes, operand.dtype().lanes);
        if (lanes > 1) // of vectors each lane is combined
            result = ir::callIntrinsic(node.isAnd ? ir::intrinsics::bitwiseAnd : ir::intrinsics::bitwiseOr,
                                       {toVector(result, lanes), toVector(operand, lanes)});
        else
            result = node.isAnd ? ir::logicalAnd(result, operand) : ir::logicalOr(result, operand);
    }
    return {result};
}

Value ExprReader::conditional(const py::Conditional &node)
{
    const Expr test = condition(node.condition);
    if (ir::isTrue(test) || ir::isFalse(test))
        return value(ir::isTrue(test) ? node.trueValue : node.falseValue);
    m_context.fail(node.at, "script.unsupported", "a Python conditional needs a constant condition",
                   "write T.if_then_else(condition, a, b)");
}

} // namespace nestwright::script
