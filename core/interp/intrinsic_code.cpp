// SPDX-License-Identifier: Apache-2.0
#include "core/interp/intrinsic_code.h"

#include "core/interp/arithmetic.h"
#include "core/interp/codes.h"
#include "core/interp/extern_code.h"
#include "core/interp/warp_code.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/fold.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace nestwright::interp {

using ir::DataType;

namespace {

struct NamedUnary {
    const ir::Intrinsic &intrinsic;
    UnaryFunction function;
};
struct NamedBinary {
    const ir::Intrinsic &intrinsic;
    BinaryFunction function;
};

constexpr auto unaryTable = std::to_array<NamedUnary>({
    {ir::intrinsics::exp, [](double x) { return std::exp(x); }},
    {ir::intrinsics::exp2, [](double x) { return std::exp2(x); }},
    {ir::intrinsics::exp10, [](double x) { return std::pow(10.0, x); }},
    {ir::intrinsics::log, [](double x) { return std::log(x); }},
    {ir::intrinsics::log2, [](double x) { return std::log2(x); }},
    {ir::intrinsics::log10, [](double x) { return std::log10(x); }},
    {ir::intrinsics::log1p, [](double x) { return std::log1p(x); }},
    {ir::intrinsics::sqrt, [](double x) { return std::sqrt(x); }},
    {ir::intrinsics::rsqrt, [](double x) { return 1.0 / std::sqrt(x); }},
    {ir::intrinsics::sin, [](double x) { return std::sin(x); }},
    {ir::intrinsics::cos, [](double x) { return std::cos(x); }},
    {ir::intrinsics::tan, [](double x) { return std::tan(x); }},
    {ir::intrinsics::asin, [](double x) { return std::asin(x); }},
    {ir::intrinsics::acos, [](double x) { return std::acos(x); }},
    {ir::intrinsics::atan, [](double x) { return std::atan(x); }},
    {ir::intrinsics::sinh, [](double x) { return std::sinh(x); }},
    {ir::intrinsics::cosh, [](double x) { return std::cosh(x); }},
    {ir::intrinsics::tanh, [](double x) { return std::tanh(x); }},
    {ir::intrinsics::asinh, [](double x) { return std::asinh(x); }},
    {ir::intrinsics::acosh, [](double x) { return std::acosh(x); }},
    {ir::intrinsics::atanh, [](double x) { return std::atanh(x); }},
    {ir::intrinsics::erf, [](double x) { return std::erf(x); }},
    {ir::intrinsics::sigmoid, [](double x) { return 1.0 / (1.0 + std::exp(-x)); }},
    {ir::intrinsics::floor, [](double x) { return std::floor(x); }},
    {ir::intrinsics::ceil, [](double x) { return std::ceil(x); }},
    {ir::intrinsics::trunc, [](double x) { return std::trunc(x); }},
    {ir::intrinsics::round, [](double x) { return std::round(x); }},
    {ir::intrinsics::nearbyint, roundToEven},
    {ir::intrinsics::fabs, [](double x) { return std::abs(x); }},
    {ir::intrinsics::abs, [](double x) { return std::abs(x); }},
    {ir::intrinsics::likely, [](double x) { return x; }},
});

constexpr auto binaryTable = std::to_array<NamedBinary>({
    {ir::intrinsics::atan2, [](double x, double y) { return std::atan2(x, y); }},
    {ir::intrinsics::pow, [](double x, double y) { return std::pow(x, y); }},
    {ir::intrinsics::hypot, [](double x, double y) { return std::hypot(x, y); }},
    {ir::intrinsics::fmod, [](double x, double y) { return std::fmod(x, y); }},
    {ir::intrinsics::copysign, [](double x, double y) { return std::copysign(x, y); }},
});

template <class Table> const auto *lookUp(const Table &table, const ir::Callee &callee)
{
    const auto found = std::ranges::find_if(table, [&](const auto &row) { return callee == row.intrinsic; });
    return found == table.end() ? nullptr : &*found;
}

/// Code of the right kind that ends the run when it is reached.
ValueCode stopping(DataType dtype, const CodePlace &place, std::string_view code, const std::string &message,
                   const std::string &hint)
{
    if (dtype.isFloating())
        return floatFunction([=](Frame &) -> double { stopWith(place, code, message, hint); });
    return intFunction([=](Frame &) -> std::int64_t { stopWith(place, code, message, hint); });
}

ValueCode unsupported(const ir::Call &call, const CodePlace &place)
{
    return stopping(call.dtype, place, codes::unsupported,
                    place.name() + " calls '" + call.callee.name() + "', which the interpreter does not run",
                    "verify the program before it is given this instruction");
}

/// The next value of type float32 or narrower, not of double.
double nextAfter(Precision precision, double x, double y)
{
    switch (precision) {
    case Precision::Double: return std::nextafter(x, y);
    case Precision::Single: return std::nextafter(static_cast<float>(x), static_cast<float>(y));
    case Precision::Half:
    case Precision::Brain: break;
    }
    if (x == y || std::isnan(x) || std::isnan(y))
        return std::isnan(x) || std::isnan(y) ? std::numeric_limits<double>::quiet_NaN() : y;
    const bool half = precision == Precision::Half;
    const auto single = static_cast<float>(x);
    std::uint16_t word = half ? ir::floatToHalf(single) : ir::floatToBfloat16(single);
    if ((word & 0x7fffU) == 0) // from zero to the least value on the side of y
        word = y > 0 ? 0x0001U : 0x8001U;
    else
        word = static_cast<std::uint16_t>((x < y) == (x > 0) ? word + 1 : word - 1);
    return half ? ir::halfToFloat(word) : ir::bfloat16ToFloat(word);
}

double fusedMultiplyAdd(Precision precision, double x, double y, double z)
{
    if (precision == Precision::Double)
        return std::fma(x, y, z);
    if (precision == Precision::Single)
        return std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
    return roundTo(precision, std::fma(x, y, z));
}

ValueCode floatIntrinsic(const ir::Call &call, const ir::Callee &callee, std::vector<ValueCode> &args,
                         const CodePlace &place)
{
    const Precision precision = precisionOf(call.dtype);
    if (const auto *entry = lookUp(unaryTable, callee); entry && args.size() == 1 && args[0].f) {
        return floatFunction([function = entry->function, precision, x = std::move(args[0].f)](Frame &frame) {
            return roundTo(precision, function(x->eval(frame)));
        });
    }
    if (const auto *entry = lookUp(binaryTable, callee);
        entry && args.size() == 2 && args[0].f && args[1].f) {
        return floatFunction([function = entry->function, precision, x = std::move(args[0].f),
                              y = std::move(args[1].f)](Frame &frame) {
            const double first = x->eval(frame);
            return roundTo(precision, function(first, y->eval(frame)));
        });
    }
    if (callee == ir::intrinsics::nextafter && args.size() == 2 && args[0].f && args[1].f) {
        return floatFunction([precision, x = std::move(args[0].f), y = std::move(args[1].f)](Frame &frame) {
            const double first = x->eval(frame);
            return nextAfter(precision, first, y->eval(frame));
        });
    }
    if (callee == ir::intrinsics::ldexp && args.size() == 2 && args[0].f) {
        return floatFunction([precision, x = std::move(args[0].f), y = std::move(args[1])](Frame &frame) {
            const double first = x->eval(frame);
            const Slot power = y.eval(frame);
            const auto exponent =
                y.i ? std::clamp<std::int64_t>(power.i, -5000, 5000) : static_cast<std::int64_t>(power.f);
            return roundTo(precision, std::ldexp(first, static_cast<int>(exponent)));
        });
    }
    if (callee == ir::intrinsics::fma && args.size() == 3 && args[0].f && args[1].f && args[2].f) {
        return floatFunction([precision, x = std::move(args[0].f), y = std::move(args[1].f),
                              z = std::move(args[2].f)](Frame &frame) {
            const double first = x->eval(frame), second = y->eval(frame);
            return fusedMultiplyAdd(precision, first, second, z->eval(frame));
        });
    }
    if (callee == ir::intrinsics::infinity)
        return makeConstant(std::numeric_limits<double>::infinity());
    return unsupported(call, place);
}

template <class F> ValueCode intPair(std::vector<ValueCode> &args, F f)
{
    return intFunction([x = std::move(args[0].i), y = std::move(args[1].i), f](Frame &frame) -> std::int64_t {
        const std::int64_t first = x->eval(frame);
        return f(first, y->eval(frame));
    });
}

/// The bits of `x` that its type has.
std::uint64_t bitsOf(std::int64_t x, DataType dtype)
{
    return dtype.bits >= 64 ? static_cast<std::uint64_t>(x)
                            : static_cast<std::uint64_t>(x) & ((std::uint64_t{1} << dtype.bits) - 1);
}

/// A product of fixed-point numbers, rounded half up: (x * y * 2^shift) >> q.
std::int64_t multiplyShift(std::int64_t x, std::int64_t y, std::int64_t q, std::int64_t shift)
{
    const auto left = static_cast<__int128>(x) << std::clamp<std::int64_t>(shift, 0, 62);
    const std::int64_t right = std::clamp<std::int64_t>(q + (shift < 0 ? -shift : 0), 0, 126);
    const __int128 product = left * y;
    const __int128 half = right > 0 ? static_cast<__int128>(1) << (right - 1) : 0;
    return static_cast<std::int64_t>((product + half) >> right);
}

ValueCode intIntrinsic(const ir::Call &call, const ir::Callee &callee, std::vector<ValueCode> &args,
                       const CodePlace &place)
{
    const DataType dtype = call.dtype;
    if (args.size() == 2 && args[0].i && args[1].i) {
        if (callee == ir::intrinsics::shiftLeft) {
            return intPair(args,
                           [dtype](std::int64_t x, std::int64_t y) { return ir::shiftLeft(x, y, dtype); });
        }
        if (callee == ir::intrinsics::shiftRight) {
            return intPair(args,
                           [dtype](std::int64_t x, std::int64_t y) { return ir::shiftRight(x, y, dtype); });
        }
        if (callee == ir::intrinsics::bitwiseAnd)
            return intPair(args, [](std::int64_t x, std::int64_t y) { return x & y; });
        if (callee == ir::intrinsics::bitwiseOr)
            return intPair(args, [](std::int64_t x, std::int64_t y) { return x | y; });
        if (callee == ir::intrinsics::bitwiseXor)
            return intPair(args, [](std::int64_t x, std::int64_t y) { return x ^ y; });
    }
    if (callee == ir::intrinsics::qMultiplyShift && args[0].i) {
        return intFunction([dtype, args = std::move(args)](Frame &frame) {
            std::array<std::int64_t, 4> v{};
            for (std::size_t i = 0; i < v.size(); ++i)
                v[i] = args[i].i->eval(frame);
            return ir::wrapToType(multiplyShift(v[0], v[1], v[2], v[3]), dtype);
        });
    }
    if (callee == ir::intrinsics::vscale)
        return intFunction([](Frame &frame) { return frame.vectorScale; });
    if (args.size() != 1 || !args[0].i)
        return unsupported(call, place);
    const auto with = [&](auto f) {
        return intFunction([f, dtype, x = std::move(args[0].i)](Frame &frame) {
            return ir::wrapToType(f(x->eval(frame)), dtype);
        });
    };
    if (callee == ir::intrinsics::likely || callee == ir::intrinsics::ignoreLoopPartition
        || callee == ir::intrinsics::assume)
        return with([](std::int64_t x) { return x; });
    if (callee == ir::intrinsics::abs || callee == ir::intrinsics::fabs) {
        return with([dtype](std::int64_t x) {
            return x < 0 && !dtype.isUInt() ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x))
                                            : x;
        });
    }
    if (callee == ir::intrinsics::bitwiseNot)
        return with([dtype](std::int64_t x) { return dtype.isBool() ? x == 0 : ~x; });
    if (callee == ir::intrinsics::popcount)
        return with(
            [dtype](std::int64_t x) { return static_cast<std::int64_t>(std::popcount(bitsOf(x, dtype))); });
    if (callee == ir::intrinsics::clz) {
        return with([type = call.args[0].dtype()](std::int64_t x) { return ir::leadingZeroBits(x, type); });
    }
    if (callee == ir::intrinsics::floor || callee == ir::intrinsics::ceil || callee == ir::intrinsics::trunc
        || callee == ir::intrinsics::round || callee == ir::intrinsics::nearbyint)
        return with([](std::int64_t x) { return x; });
    return unsupported(call, place);
}

ValueCode predicateIntrinsic(const ir::Callee &callee, ValueCode arg)
{
    if (arg.i) // integers are always finite
        return makeConstant(std::int64_t{callee == ir::intrinsics::isFinite});
    const auto with = [&](auto f) {
        return intFunction(
            [f, x = std::move(arg.f)](Frame &frame) -> std::int64_t { return f(x->eval(frame)); });
    };
    if (callee == ir::intrinsics::isNan)
        return with([](double x) { return std::isnan(x); });
    if (callee == ir::intrinsics::isInf)
        return with([](double x) { return std::isinf(x); });
    return with([](double x) { return std::isfinite(x); });
}

std::uint64_t toBits(Slot value, DataType dtype)
{
    if (!dtype.isFloating())
        return bitsOf(value.i, dtype);
    switch (precisionOf(dtype)) {
    case Precision::Double: return std::bit_cast<std::uint64_t>(value.f);
    case Precision::Single: return std::bit_cast<std::uint32_t>(static_cast<float>(value.f));
    case Precision::Half: return ir::floatToHalf(static_cast<float>(value.f));
    case Precision::Brain: return ir::floatToBfloat16(static_cast<float>(value.f));
    }
    return 0;
}

double floatFromBits(std::uint64_t word, Precision precision)
{
    switch (precision) {
    case Precision::Double: return std::bit_cast<double>(word);
    case Precision::Single: return std::bit_cast<float>(static_cast<std::uint32_t>(word));
    case Precision::Half: return ir::halfToFloat(static_cast<std::uint16_t>(word));
    case Precision::Brain: return ir::bfloat16ToFloat(static_cast<std::uint16_t>(word));
    }
    return 0;
}

/// The bits of the present lane of the result, which may be a part of a lane of the argument or lie in
/// several.
std::uint64_t lanesAsBits(Frame &frame, const ValueCode &arg, DataType from, DataType to)
{
    if (from.lanes == to.lanes)
        return toBits(arg.eval(frame), from);
    const int outer = frame.lane, lane = to.isVector() ? outer : 0;
    std::uint64_t word = 0;
    if (from.bits > to.bits) {
        const int parts = from.bits / to.bits;
        frame.lane = lane / parts;
        word = toBits(arg.eval(frame), from) >> (lane % parts * to.bits);
    } else {
        const int parts = to.bits / from.bits;
        for (int part = 0; part < parts; ++part) {
            frame.lane = lane * parts + part;
            word |= toBits(arg.eval(frame), from) << (part * from.bits);
        }
    }
    frame.lane = outer;
    return word;
}

ValueCode reinterpret(const ir::Call &call, ValueCode arg)
{
    const DataType from = call.args[0].dtype(), to = call.dtype;
    if (to.isFloating()) {
        return floatFunction([from, to, arg = std::move(arg)](Frame &frame) {
            return floatFromBits(lanesAsBits(frame, arg, from, to), precisionOf(to));
        });
    }
    return intFunction([from, to, arg = std::move(arg)](Frame &frame) {
        return ir::wrapToType(static_cast<std::int64_t>(lanesAsBits(frame, arg, from, to)), to);
    });
}

/// The intrinsic that an external name stands for: that of "exp" for "expf" or "exp".
const ir::Intrinsic *knownFunction(std::string_view external)
{
    const auto known = [](std::string_view name) {
        const ir::Callee callee(name);
        const bool isOther = callee == ir::intrinsics::fma || callee == ir::intrinsics::nextafter
                             || callee == ir::intrinsics::ldexp;
        return isOther || lookUp(unaryTable, callee) || lookUp(binaryTable, callee) ? callee.intrinsic()
                                                                                    : nullptr;
    };
    const ir::Intrinsic *found = known(external);
    return !found && external.ends_with('f') ? known(external.substr(0, external.size() - 1)) : found;
}

ValueCode externCall(const ir::Call &call, std::vector<ValueCode> args, const CodePlace &place)
{
    const auto *name = call.args[0].as<ir::StringImm>();
    args.erase(args.begin());
    if (name && call.dtype.isFloating()) {
        if (const ir::Intrinsic *known = knownFunction(name->value))
            return floatIntrinsic(call, *known, args, place);
    }
    if (name) {
        if (std::optional<ValueCode> code = otherExtern(call, name->value, args))
            return std::move(*code);
    }
    return stopping(call.dtype, place, codes::unknownExtern,
                    place.name() + " calls the external function '"
                        + (name ? name->value : call.callee.name())
                        + "', whose meaning the interpreter does not know",
                    "only the C mathematical functions are known by name, and of those none with pointers");
}

} // namespace

ValueCode makeIntrinsic(const ir::Call &call, std::vector<ValueCode> args, const CodePlace &place)
{
    if (call.callee == ir::intrinsics::callExtern || call.callee == ir::intrinsics::callPureExtern)
        return externCall(call, std::move(args), place);
    if (call.callee == ir::intrinsics::tvmStorageSync) // a statement of its own; see BarrierCode
        return makeConstant(std::int64_t{0});
    if (std::optional<ValueCode> code = makeWarpIntrinsic(call, args, place))
        return std::move(*code);
    const bool allValues = std::ranges::all_of(args, [](const ValueCode &code) { return code.i || code.f; });
    if (!allValues || call.dtype.isHandle())
        return unsupported(call, place);
    if (call.callee == ir::intrinsics::isNan || call.callee == ir::intrinsics::isInf
        || call.callee == ir::intrinsics::isFinite)
        return predicateIntrinsic(call.callee, std::move(args[0]));
    if (call.callee == ir::intrinsics::reinterpret)
        return reinterpret(call, std::move(args[0]));
    if (call.dtype.isFloating())
        return floatIntrinsic(call, call.callee, args, place);
    return intIntrinsic(call, call.callee, args, place);
}

} // namespace nestwright::interp
