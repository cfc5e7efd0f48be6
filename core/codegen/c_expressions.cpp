// SPDX-License-Identifier: Apache-2.0
#include "core/codegen/c_family.h"
#include "core/codegen/codes.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/ndarray.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/stack_room.h"

#include <cmath>
#include <format>
#include <limits>
#include <optional>
#include <utility>

namespace nestwright::codegen {

using ir::BinaryOp;
using ir::DataType;
using ir::Expr;
using ir::ExprKind;
using ir::TypeCode;

namespace {

bool isHalf(DataType type) { return type.isFloating() && type.bits == 16; }

/// The argument of `function`, where `text` is nothing but a call of it.
std::optional<std::string> argumentOf(std::string_view text, const std::string &function)
{
    if (!text.starts_with(function + '(') || !text.ends_with(')'))
        return std::nullopt;
    const std::string_view argument = text.substr(function.size() + 1, text.size() - function.size() - 2);
    int depth = 0;
    for (const char each : argument) {
        depth += each == '(' ? 1 : each == ')' ? -1 : 0;
        if (depth < 0) // closed before the end
            return std::nullopt;
    }
    return std::string(argument);
}

} // namespace

/// Values read from memory may be as large as their type allows; sums of loop variables may not.
bool CFamilyEmitter::mayWrap(const Expr &e) const
{
    bool found = false;
    ir::forEachExpr(e, [&](const Expr &part) {
        const ir::Var var = ir::Var::from(part);
        const auto bound = var ? m_lets.find(var) : m_lets.end();
        found = found || part.as<ir::BufferLoad>() || (var && m_fromMemory.contains(var))
                || (bound != m_lets.end() && mayWrap(bound->second));
        return !found;
    });
    return found;
}

std::string CFamilyEmitter::wrapped(const Text &text, int least)
{
    return text.precedence < least ? '(' + text.code + ')' : text.code;
}

std::string CFamilyEmitter::memoryType(DataType type) const
{
    if (type.isBool())
        return "uint8_t";
    return isHalf(type) ? "uint16_t" : valueType(type);
}

std::string CFamilyEmitter::valueType(DataType type) const
{
    switch (type.code) {
    case TypeCode::Int: return "int" + std::to_string(type.bits) + "_t";
    case TypeCode::UInt: return "uint" + std::to_string(type.bits) + "_t";
    case TypeCode::Bool: return "int";
    case TypeCode::Float: return type.bits == 64 ? "double" : "float";
    case TypeCode::BFloat: return "float";
    case TypeCode::Handle: return "void *";
    case TypeCode::Void: return "void";
    case TypeCode::Narrow: break;
    }
    std::unreachable();
}

std::string CFamilyEmitter::suffix(DataType type)
{
    if (type.code == TypeCode::BFloat)
        return "bf16";
    const char letter = type.isFloating() ? 'f' : type.isUInt() ? 'u' : 'i';
    return letter + std::to_string(type.isBool() ? 32 : type.bits);
}

/// A 16-bit float after an operation in float; any other text as it is.
CFamilyEmitter::Text CFamilyEmitter::rounded(Text text, DataType type)
{
    if (!isHalf(type))
        return text;
    return {helper("nw_round_" + suffix(type)) + '(' + text.code + ')', Primary};
}

/// A value as memory holds it. Of a 16-bit float what another place holds is copied as it is, and a result is
/// rounded once.
std::string CFamilyEmitter::inMemory(const Expr &value)
{
    const DataType type = value.dtype();
    if (!isHalf(type))
        return code(value);
    const auto *lanes = value.as<ir::Broadcast>();
    if (const auto *number = (lanes ? lanes->value : value).as<ir::FloatImm>()) {
        const float x = static_cast<float>(number->value);
        return std::format("0x{:04x} /* {} */",
                           type.code == TypeCode::BFloat ? ir::floatToBfloat16(x) : ir::floatToHalf(x), x);
    }
    const std::set<std::string> before = m_helpers;
    std::string text = code(value);
    const std::set<std::string> used = std::exchange(m_helpers, before);
    if (const auto bits = argumentOf(text, "nw_from_" + suffix(type)))
        text = *bits;
    else
        text = helper("nw_to_" + suffix(type)) + '('
               + argumentOf(text, "nw_round_" + suffix(type)).value_or(text) + ')';
    for (const std::string &each : used) {
        if (each.starts_with("extern "))
            m_helpers.insert(each);
        else if (text.contains(each + '('))
            helper(each);
    }
    return text;
}

CFamilyEmitter::Text CFamilyEmitter::expr(const Expr &e)
{
    support::checkStackRoom();
    switch (e.kind()) {
    case ExprKind::IntImm: return constant(*e.as<ir::IntImm>());
    case ExprKind::FloatImm: return constant(*e.as<ir::FloatImm>());
    case ExprKind::StringImm: return {std::format("\"{}\"", e.as<ir::StringImm>()->value), Primary};
    case ExprKind::Var: {
        if (const auto special = m_special.find(ir::Var::from(e)); special != m_special.end())
            return {special->second, Primary};
        if (const auto lanes = m_vectors.find(ir::Var::from(e)); lanes != m_vectors.end())
            return {lanes->second + '[' + m_lane + ']', Primary};
        const auto bound = m_lets.find(ir::Var::from(e));
        return bound == m_lets.end() ? Text{m_names.of(ir::Var::from(e)), Primary} : expr(bound->second);
    }
    case ExprKind::Cast: return cast(*e.as<ir::Cast>());
    case ExprKind::Binary: return binary(*e.as<ir::Binary>());
    case ExprKind::Not: return {'!' + code(e.as<ir::Not>()->a, Prefix), Prefix};
    case ExprKind::Select: {
        const auto &node = *e.as<ir::Select>();
        return {code(node.condition, Or) + " ? " + code(node.trueValue, Or) + " : "
                    + code(node.falseValue, Or),
                Conditional};
    }
    case ExprKind::Let: {
        const auto &node = *e.as<ir::Let>();
        m_lets[node.var] = node.value;
        return expr(node.body);
    }
    case ExprKind::BufferLoad: return load(*e.as<ir::BufferLoad>());
    case ExprKind::Ramp: {
        const auto &node = *e.as<ir::Ramp>();
        const std::string steps =
            ir::isConstInt(node.stride, 1) ? m_lane : m_lane + " * " + code(node.stride, Prefix);
        return ir::isConstInt(node.base, 0) ? Text{steps, ir::isConstInt(node.stride, 1) ? Primary : Product}
                                            : Text{code(node.base, Sum) + " + " + steps, Sum};
    }
    case ExprKind::Broadcast: return expr(e.as<ir::Broadcast>()->value);
    case ExprKind::Call: return call(*e.as<ir::Call>());
    }
    std::unreachable();
}

CFamilyEmitter::Text CFamilyEmitter::constant(const ir::IntImm &node) const
{
    const std::int64_t value = node.value;
    if (node.dtype.isUInt())
        return {node.dtype.bits == 64 ? std::format("UINT64_C({})", static_cast<std::uint64_t>(value))
                                      : std::format("{}u", value),
                Primary};
    if (value == std::numeric_limits<std::int64_t>::min())
        return {"INT64_MIN", Primary};
    if (value == std::numeric_limits<std::int32_t>::min())
        return {"INT32_MIN", Primary};
    const bool isLong = value != static_cast<std::int32_t>(value);
    return {isLong ? std::format("INT64_C({})", value) : std::format("{}", value),
            value < 0 ? Prefix : Primary};
}

CFamilyEmitter::Text CFamilyEmitter::constant(const ir::FloatImm &node)
{
    if (std::isnan(node.value) || std::isinf(node.value)) {
        m_headers.insert("math.h");
        if (std::isnan(node.value))
            return {"NAN", Primary};
        return node.value > 0 ? Text{"INFINITY", Primary} : Text{"-INFINITY", Prefix};
    }
    const bool isDouble = node.dtype.bits == 64;
    std::string text =
        isDouble ? std::format("{}", node.value) : std::format("{}", static_cast<float>(node.value));
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return {isDouble ? text : text + 'f', node.value < 0 ? Prefix : Primary};
}

CFamilyEmitter::Text CFamilyEmitter::cast(const ir::Cast &node)
{
    const DataType from = node.value.dtype(), to = node.dtype;
    Text value = expr(node.value);
    if (to.isBool())
        return {wrapped(value, Sum) + " != 0", Compare};
    if (isHalf(to) && from.isFloating() && from.bits == 64)
        return rounded({helper("nw_odd_f32") + '(' + value.code + ')', Primary}, to);
    if (isHalf(to))
        return rounded({"(float)" + wrapped(value, Prefix), Prefix}, to);
    if (from.element() == to.element() || (isHalf(from) && valueType(to) == "float"))
        return value;
    if (from.isFloating() && to.isIntegral())
        return {'(' + valueType(to) + ')' + toInteger(value.code, from, to), Prefix};
    return {'(' + valueType(to) + ')' + wrapped(value, Prefix), Prefix};
}

/// A call of the helper that cuts a floating-point number to an integer.
std::string CFamilyEmitter::toInteger(const std::string &value, DataType from, DataType to)
{
    const std::string bits = std::to_string(to.bits);
    const std::string most = (to.isUInt() ? "UINT" : "INT") + bits + "_MAX";
    const std::string least = to.isUInt() ? "0" : "INT" + bits + "_MIN";
    if (from.bits <= 32 && to.bits <= 16)
        return helper("nw_to_narrow") + '(' + value + ", " + least + ", " + most + ')';
    if (from.bits <= 32 && to == DataType::int32().withLanes(to.lanes))
        return helper("nw_to_i32") + '(' + value + ')';
    if (to.isUInt())
        return helper("nw_to_uint") + '(' + value + ", " + most + ')';
    return helper("nw_to_int") + '(' + value + ", " + least + ", " + most + ')';
}

CFamilyEmitter::Text CFamilyEmitter::binary(const ir::Binary &node)
{
    switch (node.op) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Mul: return arithmetic(node);
    case BinaryOp::Div:
    case BinaryOp::Mod:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod: return division(node);
    case BinaryOp::Min:
    case BinaryOp::Max: return extremum(node);
    case BinaryOp::EQ:
    case BinaryOp::NE:
    case BinaryOp::LT:
    case BinaryOp::LE:
    case BinaryOp::GT:
    case BinaryOp::GE:
        return {code(node.a, Sum) + ' ' + std::string(ir::spelling(node.op)) + ' ' + code(node.b, Sum),
                Compare};
    case BinaryOp::And: return {code(node.a, And) + " && " + code(node.b, Compare), And};
    case BinaryOp::Or: {
        // An "and" inside an "or" gets parentheses, as compilers advise.
        const auto side = [&](const Expr &e) {
            const Text text = expr(e);
            return text.precedence == Or ? text.code : wrapped(text, Compare);
        };
        return {side(node.a) + " || " + side(node.b), Or};
    }
    }
    std::unreachable();
}

CFamilyEmitter::Text CFamilyEmitter::arithmetic(const ir::Binary &node)
{
    const DataType type = node.a.dtype();
    if (type.isBool()) { // the number that comes out is true where it is not 0
        const char *mark = node.op == BinaryOp::Add ? " | " : node.op == BinaryOp::Sub ? " ^ " : " & ";
        return {'(' + code(node.a, Prefix) + mark + code(node.b, Prefix) + ')', Primary};
    }
    const int level = node.op == BinaryOp::Mul ? Product : Sum;
    const std::string mark = ' ' + std::string(ir::spelling(node.op)) + ' ';
    const bool isNarrow = type.isIntegral() && type.bits < 32;
    if (type.isInt() && !isNarrow && (mayWrap(node.a) || mayWrap(node.b))) {
        // Signed arithmetic of data wraps around, which C leaves undefined.
        const std::string asUnsigned = "(uint" + std::to_string(type.bits) + "_t)";
        return {'(' + valueType(type) + ")(" + asUnsigned + code(node.a, Prefix) + mark + asUnsigned
                    + code(node.b, Prefix) + ')',
                Prefix};
    }
    Text result{code(node.a, level) + mark + code(node.b, level + 1), level};
    if (isNarrow)
        return {'(' + valueType(type) + ")(" + result.code + ')', Prefix};
    return rounded(std::move(result), type);
}

CFamilyEmitter::Text CFamilyEmitter::division(const ir::Binary &node)
{
    const DataType type = node.a.dtype();
    const bool isQuotient = node.op == BinaryOp::Div || node.op == BinaryOp::FloorDiv;
    const bool isFloor = node.op == BinaryOp::FloorDiv || node.op == BinaryOp::FloorMod;
    if (type.isFloating()) {
        if (node.op == BinaryOp::Div)
            return rounded({code(node.a, Product) + " / " + code(node.b, Prefix), Product}, type);
        m_headers.insert("math.h");
        const std::string a = code(node.a), b = code(node.b);
        if (node.op == BinaryOp::Mod)
            return rounded({mathName("fmod", type) + '(' + a + ", " + b + ')', Primary}, type);
        const std::string whole =
            mathName("floor", type) + '(' + code(node.a, Product) + " / " + code(node.b, Prefix) + ')';
        if (node.op == BinaryOp::FloorDiv)
            return rounded({whole, Primary}, type);
        return rounded({code(node.a, Sum) + " - " + whole + " * " + code(node.b, Prefix), Sum}, type);
    }
    const auto *lanes = node.b.as<ir::Broadcast>();
    const std::int64_t *divisor = ir::asInt(lanes ? lanes->value : node.b);
    const bool isSafe = divisor && *divisor > 0;
    const bool truncates = !isFloor || type.isUInt() || m_analyzer.canProveGreaterEqual(node.a, 0);
    if (isSafe && truncates)
        return {code(node.a, Product) + (isQuotient ? " / " : " % ") + code(node.b, Prefix), Product};
    const std::string kind = type.isUInt() ? "u64" : "i64";
    std::string name = isFloor && !type.isUInt() ? (isQuotient ? "nw_floordiv" : "nw_floormod")
                                                 : (isQuotient ? "nw_div" : "nw_mod");
    m_usesError = m_usesError || !isSafe;
    const Text call{helper(name + '_' + kind) + '(' + code(node.a) + ", " + code(node.b) + ", "
                        + (isSafe ? "NULL" : "&nw_error") + ')',
                    Primary};
    // The least number divided by -1 is one more than the type has.
    return isSafe || !isQuotient || type.bits == 64 ? call
                                                    : Text{'(' + valueType(type) + ')' + call.code, Prefix};
}

CFamilyEmitter::Text CFamilyEmitter::extremum(const ir::Binary &node)
{
    const DataType type = node.a.dtype();
    const std::string which = node.op == BinaryOp::Min ? "nw_min_" : "nw_max_";
    const DataType working = type.isFloating() ? DataType::float_(type.bits == 64 ? 64 : 32)
                             : type.isUInt()   ? DataType::uint(64)
                                               : DataType::int64();
    const Text call{helper(which + suffix(working)) + '(' + code(node.a) + ", " + code(node.b) + ')',
                    Primary};
    // Integers are compared in 64 bits, whatever their width.
    return type.isFloating() || type.bits == 64 ? call
                                                : Text{'(' + valueType(type) + ')' + call.code, Prefix};
}

std::string CFamilyEmitter::element(const ir::Buffer &buffer, const Expr &index)
{
    Expr place = index;
    if (buffer->elemOffset && !ir::isConstInt(buffer->elemOffset, 0))
        place = place + buffer->elemOffset;
    return m_names.of(buffer->data) + '[' + code(place) + ']';
}

CFamilyEmitter::Text CFamilyEmitter::load(const ir::BufferLoad &node)
{
    NW_ASSERT(node.indices.size() == 1, "the buffer '" + node.buffer.name() + "' is not flat");
    const DataType type = node.buffer.dtype();
    if (type.lanes > 1)
        throw support::UserError(
            support::diagnostic(codes::unsupported, "the elements of '" + node.buffer.name()
                                                        + "' are vectors, which this target has not"));
    std::string value = element(node.buffer, node.indices.front());
    if (isHalf(type))
        value = helper("nw_from_" + suffix(type)) + '(' + value + ')';
    if (!node.predicate)
        return {value, Primary};
    return {code(node.predicate, Or) + " ? " + value + " : 0", Conditional};
}

} // namespace nestwright::codegen
