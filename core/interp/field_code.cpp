// SPDX-License-Identifier: Apache-2.0
#include "core/interp/field_code.h"

#include "core/interp/arithmetic.h"
#include "core/interp/codes.h"
#include "core/interp/warp_code.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/fold.h"

#include <algorithm>
#include <bit>

namespace nestwright::interp {

using ir::BinaryOp;
using ir::DataType;

namespace {

Element elementOf(double bits) { return std::bit_cast<Element>(bits); }
double bitsOf(Element x) { return std::bit_cast<double>(x); }

/// Code of a function of elements; where one of them was never written, its result was not either.
template <class F> FloatPtr ofOne(FloatPtr a, F f)
{
    return floatFunction([a = std::move(a), f = std::move(f)](Frame &frame) {
        const Element x = elementOf(a->eval(frame));
        return bitsOf(isElement(x) ? f(x) : unwritten);
    });
}
template <class F> FloatPtr ofTwo(FloatPtr a, FloatPtr b, F f)
{
    return floatFunction([a = std::move(a), b = std::move(b), f = std::move(f)](Frame &frame) {
        const Element x = elementOf(a->eval(frame)), y = elementOf(b->eval(frame));
        return bitsOf(isElement(x) && isElement(y) ? f(x, y) : unwritten);
    });
}

/// Quotients by the same divisor one after the other invert it once.
auto quotients()
{
    struct Last {
        Element divisor = 1, inverse = 1;
    };
    return [last = std::make_shared<Last>()](Element x, Element y) {
        if (last->divisor != y)
            *last = {y, fieldInverse(y)};
        return fieldMultiply(x, last->inverse);
    };
}

/// A function that nothing is known of but its name.
auto functionNamed(const Field &field, std::uint64_t name)
{
    return [&field, name](Element x, Element y) { return field.function(name, {x, y}); };
}

[[noreturn]] void beyondField(const CodePlace &place, const std::string &what)
{
    stopWith(place, codes::beyondField, place.name() + ' ' + what, "verify it by running it");
}

/// Code of the right kind that ends the run when it is reached.
ValueCode stopping(DataType dtype, const CodePlace &place, const std::string &what)
{
    if (dtype.isFloating())
        return floatFunction([=](Frame &) -> double { beyondField(place, what); });
    return intFunction([=](Frame &) -> std::int64_t { beyondField(place, what); });
}

Element withSign(const Field &field, Element x, Element sign)
{
    const Element size = field.magnitude(x);
    return field.rank(sign) < 0 ? fieldNegate(size) : size;
}

/// The intrinsic of C's function of that name, of float or double; null where there is none.
const ir::Intrinsic *functionOfC(std::string_view external)
{
    const auto known = [](std::string_view name) -> const ir::Intrinsic * {
        const ir::Intrinsic *found = ir::findIntrinsic(name);
        return found && found->type == ir::TypeRule::SameAsFirst && found->purity == ir::Purity::Pure
                   ? found
                   : nullptr;
    };
    const ir::Intrinsic *found = known(external);
    return !found && external.ends_with('f') ? known(external.substr(0, external.size() - 1)) : found;
}

std::optional<ValueCode> ofOneArgument(const Field &field, const ir::Callee &callee, FloatPtr &x)
{
    static const std::uint64_t sqrt = Field::nameOf(ir::intrinsics::sqrt.name);
    if (callee == ir::intrinsics::likely)
        return std::move(x);
    if (callee == ir::intrinsics::fabs || callee == ir::intrinsics::abs)
        return ofOne(std::move(x), [&field](Element a) { return field.magnitude(a); });
    if (callee == ir::intrinsics::rsqrt)
        return ofOne(std::move(x), [&field, last = std::make_shared<std::pair<Element, Element>>(
                                                unwritten, unwritten)](Element a) {
            if (last->first != a)
                *last = {a, fieldInverse(field.function(sqrt, {a}))};
            return last->second;
        });
    return ofOne(std::move(x), [&field, name = Field::nameOf(callee.name())](Element a) {
        return field.function(name, {a});
    });
}

std::optional<ValueCode> ofTwoArguments(const Field &field, const ir::Callee &callee, FloatPtr &x,
                                        ValueCode &y)
{
    if (callee == ir::intrinsics::ldexp && y.i) {
        return floatFunction([x = std::move(x), y = std::move(y.i)](Frame &frame) {
            const Element a = elementOf(x->eval(frame));
            const Element power = fieldPowerOfTwo(std::clamp<std::int64_t>(y->eval(frame), -5000, 5000));
            return bitsOf(isElement(a) ? fieldMultiply(a, power) : a);
        });
    }
    if (!y.f)
        return std::nullopt;
    if (callee == ir::intrinsics::pow)
        return ofTwo(std::move(x), std::move(y.f),
                     [&field](Element a, Element b) { return field.power(a, b); });
    if (callee == ir::intrinsics::copysign)
        return ofTwo(std::move(x), std::move(y.f),
                     [&field](Element a, Element b) { return withSign(field, a, b); });
    return ofTwo(std::move(x), std::move(y.f), functionNamed(field, Field::nameOf(callee.name())));
}

FloatPtr fused(FloatPtr x, FloatPtr y, FloatPtr z)
{
    auto product = ofTwo(std::move(x), std::move(y), fieldMultiply);
    return ofTwo(std::move(product), std::move(z), fieldAdd);
}

/// Whether a value is a number, or finite: one element is none, and two are infinite.
ValueCode predicate(const Field &field, const ir::Callee &callee, FloatPtr x, const CodePlace &place)
{
    const bool ofNan = callee == ir::intrinsics::isNan, ofInfinite = callee == ir::intrinsics::isInf;
    return intFunction([&field, x = std::move(x), ofNan, ofInfinite, place](Frame &frame) -> std::int64_t {
        const Element a = elementOf(x->eval(frame));
        if (!isElement(a))
            beyondField(place, "decides by a value that nobody wrote");
        if (ofNan || ofInfinite)
            return ofNan ? field.isNan(a) : field.isInfinite(a);
        return !field.isNan(a) && !field.isInfinite(a);
    });
}

std::optional<ValueCode> mathematical(const Field &field, const ir::Callee &callee,
                                      std::vector<ValueCode> &args)
{
    if (callee == ir::intrinsics::infinity)
        return makeFieldConstant(field, std::numeric_limits<double>::infinity());
    if (args.empty() || !args[0].f)
        return std::nullopt;
    if (args.size() == 1)
        return ofOneArgument(field, callee, args[0].f);
    if (args.size() == 2)
        return ofTwoArguments(field, callee, args[0].f, args[1]);
    if (callee == ir::intrinsics::fma && args.size() == 3 && args[1].f && args[2].f)
        return fused(std::move(args[0].f), std::move(args[1].f), std::move(args[2].f));
    return std::nullopt;
}

/// Code that `made` makes of the operator's function of two elements.
template <class Made> FloatPtr withOperator(const Field &field, BinaryOp op, Made made)
{
    switch (op) {
    case BinaryOp::Add: return made([](Element x, Element y) { return fieldAdd(x, y); });
    case BinaryOp::Sub: return made([](Element x, Element y) { return fieldSubtract(x, y); });
    case BinaryOp::Mul: return made([](Element x, Element y) { return fieldMultiply(x, y); });
    case BinaryOp::Div: return made(quotients());
    case BinaryOp::Min: return made([&field](Element x, Element y) { return field.less(x, y) ? x : y; });
    case BinaryOp::Max: return made([&field](Element x, Element y) { return field.less(y, x) ? x : y; });
    default: return made(functionNamed(field, Field::nameOf(ir::spelling(op))));
    }
}

/// Two numbers as one that is rounded to `type`; nothing where one is no constant.
std::optional<Element> roundedConstant(const Field &field, BinaryOp op, DataType type, Element x, Element y)
{
    const std::optional<double> a = field.named(x), b = field.named(y);
    const ir::Expr folded =
        a && b ? ir::foldBinary(op, ir::floatImm(*a, type), ir::floatImm(*b, type)) : ir::Expr();
    const auto *number = folded ? folded.as<ir::FloatImm>() : nullptr;
    return number ? std::optional(field.constant(number->value)) : std::nullopt;
}

} // namespace

FloatPtr makeFieldConstant(const Field &field, double value)
{
    return makeConstant(bitsOf(field.constant(value)));
}

FloatPtr makeFieldBinary(const Field &field, BinaryOp op, DataType type, FloatPtr a, FloatPtr b)
{
    return withOperator(field, op, [&](auto exact) {
        if (!field.roundsConstants())
            return ofTwo(std::move(a), std::move(b), std::move(exact));
        return ofTwo(std::move(a), std::move(b),
                     [&field, op, type = type.element(), exact = std::move(exact)](Element x, Element y) {
                         const auto rounded = roundedConstant(field, op, type, x, y);
                         return rounded ? *rounded : exact(x, y);
                     });
    });
}

IntPtr makeFieldComparison(const Field &field, BinaryOp op, FloatPtr a, FloatPtr b, const CodePlace &place)
{
    const auto with = [&](auto f) {
        return intFunction([a = std::move(a), b = std::move(b), f, place](Frame &frame) -> std::int64_t {
            const Element x = elementOf(a->eval(frame)), y = elementOf(b->eval(frame));
            if (!isElement(x) || !isElement(y))
                beyondField(place, "decides by a value that nobody wrote");
            return f(x, y);
        });
    };
    switch (op) {
    case BinaryOp::EQ: return with([&field](Element x, Element y) { return x == y && !field.isNan(x); });
    case BinaryOp::NE: return with([&field](Element x, Element y) { return x != y || field.isNan(x); });
    case BinaryOp::LT: return with([&field](Element x, Element y) { return field.less(x, y); });
    case BinaryOp::LE: return with([&field](Element x, Element y) { return !field.less(y, x); });
    case BinaryOp::GT: return with([&field](Element x, Element y) { return field.less(y, x); });
    default: return with([&field](Element x, Element y) { return !field.less(x, y); });
    }
}

ValueCode makeFieldCast(ValueCode value, DataType from, DataType to, const CodePlace &place)
{
    if (value.f && to.isFloating())
        return value;
    if (value.f)
        return stopping(
            to, place, "makes an integer of a value of type '" + from.str() + "', which depends on its size");
    const bool isWide = from.isUInt() && from.bits == 64;
    return floatFunction([value = std::move(value.i), isWide](Frame &frame) {
        const std::int64_t x = value->eval(frame);
        return bitsOf(isWide ? fieldUnsigned(static_cast<std::uint64_t>(x)) : fieldInteger(x));
    });
}

std::optional<ValueCode> makeFieldIntrinsic(const Field &field, const ir::Call &call,
                                            std::vector<ValueCode> &args, const CodePlace &place)
{
    const bool takesFloats = std::ranges::any_of(args, [](const ValueCode &arg) { return bool(arg.f); });
    if (!takesFloats && !call.dtype.isFloating())
        return std::nullopt;
    if (auto exchanged = makeWarpIntrinsic(call, args, place))
        return exchanged;
    const ir::Callee &callee = call.callee;
    if ((callee == ir::intrinsics::isNan || callee == ir::intrinsics::isInf
         || callee == ir::intrinsics::isFinite)
        && args[0].f)
        return predicate(field, callee, std::move(args[0].f), place);
    if (callee == ir::intrinsics::callExtern || callee == ir::intrinsics::callPureExtern) {
        const auto *name = call.args[0].as<ir::StringImm>();
        const ir::Intrinsic *known = name && call.dtype.isFloating() ? functionOfC(name->value) : nullptr;
        args.erase(args.begin());
        if (auto code = known ? mathematical(field, *known, args) : std::nullopt)
            return code;
        return stopping(call.dtype, place,
                        "calls the external function '" + (name ? name->value : callee.name())
                            + "', of which nothing is known");
    }
    const ir::Intrinsic *known = callee.intrinsic();
    const bool isFunction =
        known && known->purity == ir::Purity::Pure && call.dtype.isFloating()
        && (known->type == ir::TypeRule::SameAsFirst || callee == ir::intrinsics::infinity);
    if (auto code = isFunction ? mathematical(field, callee, args) : std::nullopt)
        return code;
    return stopping(call.dtype, place, "calls '" + callee.name() + "', which looks at the bits of values");
}

} // namespace nestwright::interp
