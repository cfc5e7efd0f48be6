// SPDX-License-Identifier: Apache-2.0
#include "core/codegen/c_family.h"
#include "core/codegen/codes.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/intrinsic_meaning.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <array>
#include <format>

namespace nestwright::codegen {

using ir::DataType;

namespace {

struct Renamed {
    const ir::Intrinsic &intrinsic;
    std::string_view function;
};
/// Functions of math.h, without the ending "f" of float.
constexpr auto mathFunctions = std::to_array<Renamed>({
    {ir::intrinsics::exp, "exp"},
    {ir::intrinsics::exp2, "exp2"},
    {ir::intrinsics::log, "log"},
    {ir::intrinsics::log2, "log2"},
    {ir::intrinsics::log10, "log10"},
    {ir::intrinsics::log1p, "log1p"},
    {ir::intrinsics::sqrt, "sqrt"},
    {ir::intrinsics::sin, "sin"},
    {ir::intrinsics::cos, "cos"},
    {ir::intrinsics::tan, "tan"},
    {ir::intrinsics::asin, "asin"},
    {ir::intrinsics::acos, "acos"},
    {ir::intrinsics::atan, "atan"},
    {ir::intrinsics::sinh, "sinh"},
    {ir::intrinsics::cosh, "cosh"},
    {ir::intrinsics::tanh, "tanh"},
    {ir::intrinsics::asinh, "asinh"},
    {ir::intrinsics::acosh, "acosh"},
    {ir::intrinsics::atanh, "atanh"},
    {ir::intrinsics::atan2, "atan2"},
    {ir::intrinsics::pow, "pow"},
    {ir::intrinsics::erf, "erf"},
    {ir::intrinsics::hypot, "hypot"},
    {ir::intrinsics::fmod, "fmod"},
    {ir::intrinsics::floor, "floor"},
    {ir::intrinsics::ceil, "ceil"},
    {ir::intrinsics::trunc, "trunc"},
    {ir::intrinsics::round, "round"},
    {ir::intrinsics::nearbyint, "nearbyint"},
    {ir::intrinsics::fabs, "fabs"},
    {ir::intrinsics::abs, "fabs"},
    {ir::intrinsics::fma, "fma"},
    {ir::intrinsics::copysign, "copysign"},
    {ir::intrinsics::nextafter, "nextafter"},
    {ir::intrinsics::ldexp, "ldexp"},
});

[[noreturn]] void unsupported(const std::string &what)
{
    throw support::UserError(support::diagnostic(codes::unsupported, what + " cannot be written in C")
                                 .withHint("choose another target, or express it with other intrinsics"));
}

} // namespace

CFamilyEmitter::Text CFamilyEmitter::call(const ir::Call &node)
{
    const auto &args = node.args;
    if (node.callee == ir::intrinsics::ifThenElse)
        return {code(args[0], Or) + " ? " + code(args[1], Or) + " : " + code(args[2], Or), Conditional};
    if (node.callee == ir::intrinsics::likely || node.callee == ir::intrinsics::ignoreLoopPartition)
        return expr(args[0]);
    if (node.callee == ir::intrinsics::infinity) {
        m_headers.insert("math.h");
        return {"INFINITY", Primary};
    }
    if (node.callee == ir::intrinsics::isNan || node.callee == ir::intrinsics::isInf
        || node.callee == ir::intrinsics::isFinite) {
        m_headers.insert("math.h");
        return {'(' + node.callee.name() + '(' + code(args[0]) + ") != 0)", Primary};
    }
    if (const ir::Expr simple = ir::meaningOf(node))
        return expr(simple);
    if (node.callee == ir::intrinsics::reinterpret)
        return reinterpret(node);
    if (ir::isLlvmCall(node))
        unsupported("the intrinsic '" + ir::llvmIntrinsicName(node) + "' of LLVM");
    if (node.callee == ir::intrinsics::callExtern || node.callee == ir::intrinsics::callPureExtern)
        return externCall(node);
    if (!args.empty() && args[0].dtype().isIntegral())
        return bitwise(node);
    return math(node);
}

CFamilyEmitter::Text CFamilyEmitter::externCall(const ir::Call &node)
{
    const auto *name = node.args[0].as<ir::StringImm>();
    if (!name)
        unsupported("a call of an external function without a constant name");
    // Languages of kernels have the functions of math.h under names of their own.
    std::string function = name->value;
    const std::string_view plain = std::string_view(name->value).substr(0, name->value.size() - 1);
    if (node.dtype == DataType::float32() && function.ends_with('f')
        && std::ranges::contains(mathFunctions, plain, &Renamed::function))
        function = mathName(plain, node.dtype);
    std::string arguments;
    std::string types;
    for (std::size_t i = 1; i < node.args.size(); ++i) {
        arguments += (i > 1 ? ", " : "") + code(node.args[i]);
        types += (i > 1 ? ", " : "") + valueType(node.args[i].dtype());
    }
    m_helpers.insert("extern " + valueType(node.dtype) + ' ' + name->value + '('
                     + (types.empty() ? "void" : types) + ");");
    return {function + '(' + arguments + ')', Primary};
}

/// The bits of the value as an unsigned integer.
std::string CFamilyEmitter::bitsText(const ir::Expr &e)
{
    const DataType type = e.dtype();
    if (type.isHandle())
        unsupported("the address '" + code(e) + "' as a number");
    if (type.bits == 16 && type.isFloating())
        return helper("nw_to_" + suffix(type)) + '(' + code(e) + ')';
    if (type.isFloating())
        return helper("nw_bits_" + suffix(type) + "_to_u" + std::to_string(type.bits)) + '(' + code(e) + ')';
    return "(uint" + std::to_string(std::max<int>(type.bits, 8)) + "_t)" + code(e, Prefix);
}

/// The same bits as another type, whose lanes may be parts of a lane or hold several.
CFamilyEmitter::Text CFamilyEmitter::reinterpret(const ir::Call &node)
{
    const ir::Expr &value = node.args[0];
    const DataType from = value.dtype(), to = node.dtype;
    if (to.isHandle())
        unsupported("a number as the address of something");
    const bool isKnown = from.lanes == to.lanes && from.bits >= 32 && from.isFloating() != to.isFloating();
    if (isKnown)
        return {helper("nw_bits_" + suffix(from) + "_to_" + suffix(to)) + '(' + code(value) + ')', Primary};
    std::string bits;
    if (from.lanes == to.lanes) {
        bits = bitsText(value);
    } else {
        const std::string lane = to.isVector() ? m_lane : "0", outer = m_lane;
        const int ratio = from.bits > to.bits ? from.bits / to.bits : to.bits / from.bits;
        const std::string count = std::to_string(ratio);
        const std::string unsignedType = "(uint" + std::to_string(to.bits) + "_t)";
        if (from.bits > to.bits) {
            m_lane = "(" + lane + " / " + count + ')';
            bits = unsignedType + '(' + bitsText(value) + " >> " + lane + " % " + count + " * "
                   + std::to_string(to.bits) + ')';
        } else {
            for (int part = 0; part < ratio; ++part) {
                m_lane = std::format("({} * {} + {})", lane, count, part);
                bits += (part ? " | " : "") + unsignedType + '(' + bitsText(value) + ") << "
                        + std::to_string(part * from.bits);
            }
            bits = '(' + bits + ')';
        }
        m_lane = outer;
    }
    if (to.isFloating() && to.bits == 16)
        return {helper("nw_from_" + suffix(to)) + '(' + bits + ')', Primary};
    if (to.isFloating())
        return {helper("nw_bits_u" + std::to_string(to.bits) + "_to_" + suffix(to)) + '(' + bits + ')',
                Primary};
    return {'(' + valueType(to) + ")(" + bits + ')', Prefix};
}

CFamilyEmitter::Text CFamilyEmitter::bitwise(const ir::Call &node)
{
    const DataType type = node.args[0].dtype();
    const auto infix = [&](const char *mark) {
        return Text{'(' + valueType(type) + ")(" + code(node.args[0], Prefix) + mark
                        + code(node.args[1], Prefix) + ')',
                    Prefix};
    };
    if (node.callee == ir::intrinsics::bitwiseAnd)
        return infix(" & ");
    if (node.callee == ir::intrinsics::bitwiseOr)
        return infix(" | ");
    if (node.callee == ir::intrinsics::bitwiseXor)
        return infix(" ^ ");
    if (node.callee == ir::intrinsics::bitwiseNot && type.isBool())
        return {'!' + code(node.args[0], Prefix), Prefix};
    if (node.callee == ir::intrinsics::bitwiseNot)
        return {'(' + valueType(type) + ")~" + code(node.args[0], Prefix), Prefix};
    const bool toLeft = node.callee == ir::intrinsics::shiftLeft,
               toRight = node.callee == ir::intrinsics::shiftRight;
    const std::int64_t *by = toLeft || toRight ? ir::asInt(node.args[1]) : nullptr;
    const bool isPlain = by && *by >= 0 && *by < type.bits;
    if ((toLeft || toRight) && !isPlain) {
        const std::string name = toLeft ? "nw_shl" : type.isUInt() ? "nw_shr_u64" : "nw_shr_i64";
        return {'(' + valueType(type) + ')' + helper(name) + '(' + (toLeft ? "(uint64_t)" : "")
                    + code(node.args[0], toLeft ? Prefix : 0) + ", " + code(node.args[1]) + ", "
                    + std::to_string(type.bits) + ')',
                Prefix};
    }
    if (toRight)
        return infix(" >> ");
    if (toLeft) { // of a negative number it is undefined, of its bits not
        const std::string bits = "(uint" + std::to_string(std::max<int>(type.bits, 32)) + "_t)";
        return {'(' + valueType(type) + ")(" + bits + code(node.args[0], Prefix) + " << "
                    + code(node.args[1], Prefix) + ')',
                Prefix};
    }
    if (node.callee == ir::intrinsics::abs || node.callee == ir::intrinsics::fabs)
        return type.isInt()
                   ? Text{'(' + valueType(type) + ')' + helper("nw_abs_i64") + '(' + code(node.args[0]) + ')',
                          Prefix}
                   : expr(node.args[0]);
    if (node.callee == ir::intrinsics::popcount || node.callee == ir::intrinsics::clz) {
        const std::string argumentBits = std::to_string(node.args[0].dtype().bits);
        const std::string bits = "(uint" + argumentBits + "_t)" + code(node.args[0], Prefix);
        const std::string width = node.callee == ir::intrinsics::clz ? ", " + argumentBits : "";
        return {'(' + valueType(type) + ')' + helper("nw_" + node.callee.name()) + '(' + bits + width + ')',
                Prefix};
    }
    unsupported("the intrinsic '" + node.callee.name() + "' of " + type.str());
}

std::string CFamilyEmitter::mathName(std::string_view function, DataType type) const
{
    return std::string(function) + (type.bits == 64 ? "" : "f");
}

CFamilyEmitter::Text CFamilyEmitter::math(const ir::Call &node)
{
    const DataType type = node.dtype;
    const std::string ending = type.bits == 64 ? "" : "f", one = "1.0" + ending;
    m_headers.insert("math.h");
    if (node.callee == ir::intrinsics::rsqrt)
        return rounded({one + " / " + mathName("sqrt", type) + '(' + code(node.args[0]) + ')', Product},
                       type);
    if (node.callee == ir::intrinsics::sigmoid)
        return rounded(
            {one + " / (" + one + " + " + mathName("exp", type) + "(-" + code(node.args[0], Prefix) + "))",
             Product},
            type);
    if (node.callee == ir::intrinsics::exp10)
        return rounded({mathName("pow", type) + "(10.0" + ending + ", " + code(node.args[0]) + ')', Primary},
                       type);
    for (const Renamed &row : mathFunctions) {
        if (node.callee != row.intrinsic)
            continue;
        std::string arguments;
        for (std::size_t i = 0; i < node.args.size(); ++i)
            arguments.append(i > 0 ? ", " : "").append(code(node.args[i]));
        return rounded({mathName(row.function, type) + '(' + arguments + ')', Primary}, type);
    }
    unsupported("the intrinsic '" + node.callee.name() + '\'');
}

} // namespace nestwright::codegen
