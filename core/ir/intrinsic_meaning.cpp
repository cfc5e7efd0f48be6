// SPDX-License-Identifier: Apache-2.0
#include "core/ir/intrinsic_meaning.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/conversions.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/shifted_product.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <format>
#include <ranges>
#include <utility>

namespace nestwright::ir {

namespace {

using Args = std::vector<Expr>;

Expr shiftedRight(const Expr &x, int bits)
{
    return bits == 0 ? x : callIntrinsic(intrinsics::shiftRight, {x, constant(bits, x.dtype())});
}

/// The `count` bits of `x` from `from` on, as a number with or without a sign.
Expr bitsOf(const Expr &x, int from, int count, bool isSigned)
{
    if (!isSigned)
        return callIntrinsic(intrinsics::bitwiseAnd,
                             {shiftedRight(x, from), constant((std::int64_t{1} << count) - 1, x.dtype())});
    const int above = x.dtype().bits - from - count;
    const Expr top = above == 0 ? x : callIntrinsic(intrinsics::shiftLeft, {x, constant(above, x.dtype())});
    return shiftedRight(top, x.dtype().bits - count);
}

Expr clamped(const Expr &x, int bits, bool isSigned)
{
    const std::int64_t high = (std::int64_t{1} << (isSigned ? bits - 1 : bits)) - 1;
    const std::int64_t low = isSigned ? -high - 1 : 0;
    return min(max(x, constant(low, x.dtype())), constant(high, x.dtype()));
}

Expr isNan(const Expr &x) { return callIntrinsic(intrinsics::isNan, {x}); }

// Meanings of intrinsics of LLVM.

template <BinaryOp Op, bool IsSigned> Expr extremum(const Args &args)
{
    const DataType own = args[0].dtype();
    const DataType type =
        IsSigned ? DataType::int_(own.bits, own.lanes) : DataType::uint(own.bits, own.lanes);
    return cast(own, binary(Op, cast(type, args[0]), cast(type, args[1])));
}

/// The number where only one of both is one.
template <BinaryOp Op> Expr numberOf(const Args &args)
{
    return select(isNan(args[0]), args[1], select(isNan(args[1]), args[0], binary(Op, args[0], args[1])));
}

/// No number where one of both is none.
template <BinaryOp Op> Expr nanOf(const Args &args)
{
    return select(isNan(args[0]), args[0], select(isNan(args[1]), args[1], binary(Op, args[0], args[1])));
}

/// A sum or difference that stays at the end of its range.
template <BinaryOp Op, bool IsSigned> Expr saturated(const Args &args)
{
    const DataType own = args[0].dtype();
    const DataType type =
        IsSigned ? DataType::int_(own.bits, own.lanes) : DataType::uint(own.bits, own.lanes);
    const DataType wide = DataType::int_(64, own.lanes);
    const Expr sum = binary(Op, cast(wide, cast(type, args[0])), cast(wide, cast(type, args[1])));
    return cast(own, cast(type, clamped(sum, own.bits, IsSigned)));
}

Expr absolute(const Args &args) { return callIntrinsic(intrinsics::abs, {args[0]}); }
Expr leadingZeros(const Args &args)
{
    return cast(args[0].dtype(), callIntrinsic(intrinsics::clz, {args[0]}));
}
Expr power(const Args &args)
{
    return callIntrinsic(intrinsics::pow, {args[0], cast(args[0].dtype(), args[1])});
}
Expr scaled(const Args &args) { return callIntrinsic(intrinsics::ldexp, args); }

/// Adds to each lane of the first argument the products of the `Bits`-bit parts of the others: dot products
/// of four bytes or two words.
template <int Bits, bool ASigned, bool BSigned> Expr dotAdded(const Args &args)
{
    const DataType type = DataType::int_(args[0].dtype().bits, args[0].dtype().lanes);
    const auto lanes = [&](const Expr &e) {
        return e.dtype() == type ? e : callIntrinsic(intrinsics::reinterpret, {e}, type);
    };
    const Expr a = lanes(args[1]), b = lanes(args[2]);
    Expr sum = lanes(args[0]);
    for (int from = 0; from < type.bits; from += Bits)
        sum = sum + bitsOf(a, from, Bits, ASigned) * bitsOf(b, from, Bits, BSigned);
    return sum;
}

/// The sums of products of neighbours in vectors of int16.
Expr pairsOfWords(const Args &args)
{
    const DataType type = DataType::int_(32, args[0].dtype().lanes / 2);
    return dotAdded<16, true, true>({constant(0, type), args[0], args[1]});
}

/// Pairs of bytes without and with a sign, whose results stay at the ends of int16.
Expr pairsOfBytes(const Args &args)
{
    const int lanes = args[0].dtype().lanes / 2;
    const DataType narrow = DataType::int_(16, lanes), wide = DataType::int_(32, lanes);
    const auto part = [&](const Expr &e, int from, bool isSigned) {
        return bitsOf(cast(wide, callIntrinsic(intrinsics::reinterpret, {e}, narrow)), from, 8, isSigned);
    };
    const Expr sum =
        part(args[0], 0, false) * part(args[1], 0, true) + part(args[0], 8, false) * part(args[1], 8, true);
    return cast(narrow, clamped(sum, 16, true));
}

template <bool IsSigned> Expr longProduct(const Args &args)
{
    const DataType own = args[0].dtype();
    const DataType wide =
        IsSigned ? DataType::int_(own.bits * 2, own.lanes) : DataType::uint(own.bits * 2, own.lanes);
    return cast(wide, args[0]) * cast(wide, args[1]);
}

template <bool IsSigned> Expr longPairSum(const Args &args)
{
    const DataType own = args[0].dtype();
    const DataType wide = DataType::int_(own.bits * 2, own.lanes / 2);
    const Expr both = callIntrinsic(intrinsics::reinterpret, {args[0]}, wide);
    return bitsOf(both, 0, own.bits, IsSigned) + bitsOf(both, own.bits, own.bits, IsSigned);
}

/// The arguments that an intrinsic takes: how many, and their types and that of the result.
enum class Takes : std::uint8_t {
    Floats,      ///< floating-point numbers, all of the type of the result
    FloatAndInt, ///< one, and an integer
    Ints,        ///< integers, all of the type of the result
    NarrowInts,  ///< the same of at most 32 bits
    IntAndFlag,  ///< one, and a constant that tells which inputs are undefined
    Given        ///< the types of the row
};

/// An intrinsic of our own, or a function that makes the value.
struct Meaning {
    const Intrinsic *plain = nullptr;
    Expr (*make)(const Args &) = nullptr;
    constexpr Meaning(const Intrinsic &row) : plain(&row) {}
    constexpr Meaning(Expr (*function)(const Args &)) : make(function) {}
};

struct Row {
    std::string_view name; ///< behind "llvm."
    int count;
    Takes takes;
    Meaning meaning;
    std::string_view types = {}; ///< the result's, then the arguments'
};

constexpr auto meaningTable = std::to_array<Row>({
    {"sqrt", 1, Takes::Floats, intrinsics::sqrt},
    {"sin", 1, Takes::Floats, intrinsics::sin},
    {"cos", 1, Takes::Floats, intrinsics::cos},
    {"tan", 1, Takes::Floats, intrinsics::tan},
    {"asin", 1, Takes::Floats, intrinsics::asin},
    {"acos", 1, Takes::Floats, intrinsics::acos},
    {"atan", 1, Takes::Floats, intrinsics::atan},
    {"sinh", 1, Takes::Floats, intrinsics::sinh},
    {"cosh", 1, Takes::Floats, intrinsics::cosh},
    {"tanh", 1, Takes::Floats, intrinsics::tanh},
    {"exp", 1, Takes::Floats, intrinsics::exp},
    {"exp2", 1, Takes::Floats, intrinsics::exp2},
    {"exp10", 1, Takes::Floats, intrinsics::exp10},
    {"log", 1, Takes::Floats, intrinsics::log},
    {"log2", 1, Takes::Floats, intrinsics::log2},
    {"log10", 1, Takes::Floats, intrinsics::log10},
    {"fabs", 1, Takes::Floats, intrinsics::fabs},
    {"floor", 1, Takes::Floats, intrinsics::floor},
    {"ceil", 1, Takes::Floats, intrinsics::ceil},
    {"trunc", 1, Takes::Floats, intrinsics::trunc},
    {"round", 1, Takes::Floats, intrinsics::round},
    {"rint", 1, Takes::Floats, intrinsics::nearbyint},
    {"nearbyint", 1, Takes::Floats, intrinsics::nearbyint},
    {"roundeven", 1, Takes::Floats, intrinsics::nearbyint},
    {"pow", 2, Takes::Floats, intrinsics::pow},
    {"atan2", 2, Takes::Floats, intrinsics::atan2},
    {"copysign", 2, Takes::Floats, intrinsics::copysign},
    {"fma", 3, Takes::Floats, intrinsics::fma},
    {"fmuladd", 3, Takes::Floats, intrinsics::fma},
    {"minnum", 2, Takes::Floats, numberOf<BinaryOp::Min>},
    {"maxnum", 2, Takes::Floats, numberOf<BinaryOp::Max>},
    {"minimum", 2, Takes::Floats, nanOf<BinaryOp::Min>},
    {"maximum", 2, Takes::Floats, nanOf<BinaryOp::Max>},
    {"powi", 2, Takes::FloatAndInt, power},
    {"ldexp", 2, Takes::FloatAndInt, scaled},
    {"ctpop", 1, Takes::Ints, intrinsics::popcount},
    {"smin", 2, Takes::Ints, extremum<BinaryOp::Min, true>},
    {"smax", 2, Takes::Ints, extremum<BinaryOp::Max, true>},
    {"umin", 2, Takes::Ints, extremum<BinaryOp::Min, false>},
    {"umax", 2, Takes::Ints, extremum<BinaryOp::Max, false>},
    {"sadd.sat", 2, Takes::NarrowInts, saturated<BinaryOp::Add, true>},
    {"uadd.sat", 2, Takes::NarrowInts, saturated<BinaryOp::Add, false>},
    {"ssub.sat", 2, Takes::NarrowInts, saturated<BinaryOp::Sub, true>},
    {"usub.sat", 2, Takes::NarrowInts, saturated<BinaryOp::Sub, false>},
    {"abs", 2, Takes::IntAndFlag, absolute},
    {"ctlz", 2, Takes::IntAndFlag, leadingZeros},
    {"x86.avx512.vpdpbusd.512", 3, Takes::Given, dotAdded<8, false, true>,
     "int32x16 int32x16 int32x16 int32x16"},
    {"x86.avx512.vpdpbusd.256", 3, Takes::Given, dotAdded<8, false, true>, "int32x8 int32x8 int32x8 int32x8"},
    {"x86.avx512.vpdpbusd.128", 3, Takes::Given, dotAdded<8, false, true>, "int32x4 int32x4 int32x4 int32x4"},
    {"x86.avx512.vpdpwssd.512", 3, Takes::Given, dotAdded<16, true, true>,
     "int32x16 int32x16 int32x16 int32x16"},
    {"x86.avx512.vpdpwssd.256", 3, Takes::Given, dotAdded<16, true, true>, "int32x8 int32x8 int32x8 int32x8"},
    {"x86.avx512.vpdpwssd.128", 3, Takes::Given, dotAdded<16, true, true>, "int32x4 int32x4 int32x4 int32x4"},
    {"x86.avx512.pmaddubs.w.512", 2, Takes::Given, pairsOfBytes, "int16x32 uint8x64 int8x64"},
    {"x86.avx512.pmaddw.d.512", 2, Takes::Given, pairsOfWords, "int32x16 int16x32 int16x32"},
    {"x86.avx2.pmadd.ub.sw", 2, Takes::Given, pairsOfBytes, "int16x16 uint8x32 int8x32"},
    {"x86.avx2.pmadd.wd", 2, Takes::Given, pairsOfWords, "int32x8 int16x16 int16x16"},
    {"x86.ssse3.pmadd.ub.sw.128", 2, Takes::Given, pairsOfBytes, "int16x8 uint8x16 int8x16"},
    {"x86.sse2.pmadd.wd", 2, Takes::Given, pairsOfWords, "int32x4 int16x8 int16x8"},
    {"aarch64.neon.sdot", 3, Takes::Given, dotAdded<8, true, true>, "int32x4 int32x4 int8x16 int8x16"},
    {"aarch64.neon.udot", 3, Takes::Given, dotAdded<8, false, false>, "int32x4 int32x4 uint8x16 uint8x16"},
    {"aarch64.neon.smull", 2, Takes::Given, longProduct<true>, "int16x8 int8x8 int8x8"},
    {"aarch64.neon.umull", 2, Takes::Given, longProduct<false>, "uint16x8 uint8x8 uint8x8"},
    {"aarch64.neon.saddlp", 1, Takes::Given, longPairSum<true>, "int32x4 int16x8"},
    {"aarch64.neon.uaddlp", 1, Takes::Given, longPairSum<false>, "int32x4 uint16x8"},
});

const Row *rowOf(const Call &call)
{
    if (!isLlvmCall(call))
        return nullptr;
    const std::string name = llvmIntrinsicName(call);
    const auto *found = std::ranges::find_if(meaningTable, [&](const Row &row) {
        return name.starts_with("llvm.") && name.substr(5) == row.name;
    });
    return found == meaningTable.end() ? nullptr : found;
}

/// "f32", "v4i8", "p0": a type behind the name of an intrinsic.
bool isTypeSuffix(std::string_view part)
{
    const auto digits = [&] {
        std::size_t count = 0;
        while (count < part.size() && std::isdigit(static_cast<unsigned char>(part[count])))
            ++count;
        part.remove_prefix(count);
        return count > 0;
    };
    if (part.starts_with('v')) {
        part.remove_prefix(1);
        if (!digits())
            return false;
    }
    for (const std::string_view kind : {"bf", "f", "i", "p"}) {
        if (part.starts_with(kind)) {
            part.remove_prefix(kind.size());
            return digits() && part.empty();
        }
    }
    return false;
}

/// The type for integers of either sign.
bool sameButForSign(DataType a, DataType b)
{
    const bool areInts = (a.isInt() || a.isUInt()) && (b.isInt() || b.isUInt());
    return a == b || (areInts && a.bits == b.bits && a.lanes == b.lanes);
}

bool typeFits(const Row &row, std::size_t i, DataType type, DataType result)
{
    switch (row.takes) {
    case Takes::Floats: return type == result && type.isFloating();
    case Takes::FloatAndInt:
        return i == 0 ? type == result && type.isFloating() : type.isInt() && type.lanes == result.lanes;
    case Takes::Ints: return type == result && (type.isInt() || type.isUInt());
    case Takes::NarrowInts: return type == result && (type.isInt() || type.isUInt()) && type.bits <= 32;
    case Takes::IntAndFlag:
        return i == 0 ? type == result && (type.isInt() || type.isUInt()) : type.isIntegral();
    case Takes::Given: {
        std::string_view rest = row.types;
        for (std::size_t skipped = 0; skipped <= i; ++skipped)
            rest.remove_prefix(rest.find(' ') + 1);
        const auto wanted = DataType::parse(rest.substr(0, rest.find(' ')));
        const auto given = DataType::parse(row.types.substr(0, row.types.find(' ')));
        return wanted && given && sameButForSign(type, *wanted) && sameButForSign(result, *given);
    }
    }
    return false;
}

std::optional<std::string> llvmFault(const Row &row, const Call &call)
{
    const std::string name = "'llvm." + std::string(row.name) + '\'';
    const Args args = llvmArguments(call);
    if (args.size() != static_cast<std::size_t>(row.count))
        return std::format("{} takes {} argument{}, but is given {}", name, row.count,
                           row.count == 1 ? "" : "s", args.size());
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (!typeFits(row, i, args[i].dtype(), call.dtype))
            return std::format("{} does not take '{}' as argument {} where it gives '{}'", name,
                               args[i].dtype().str(), i + 1, call.dtype.str());
        if (row.takes == Takes::IntAndFlag && i == 1 && !asInt(args[i]))
            return std::format("argument 2 of {} must be a constant", name);
    }
    return std::nullopt;
}

/// Applies `make` to the values, each computed once although it is used several times.
template <class F> Expr onceEach(const Args &args, F make)
{
    Args values = args;
    std::vector<std::pair<Var, Expr>> bound;
    for (Expr &value : values) {
        const auto *splat = value.as<Broadcast>();
        const Expr &inner = splat ? splat->value : value;
        if (inner.as<VarNode>() || inner.as<IntImm>() || inner.as<FloatImm>())
            continue;
        bound.emplace_back(Var("x", value.dtype()), value);
        value = bound.back().first;
    }
    Expr result = make(values);
    for (const auto &[var, value] : std::views::reverse(bound))
        result = let(var, value, result);
    return result;
}

} // namespace

bool isLlvmCall(const Call &call)
{
    return call.callee == intrinsics::callLlvmPureIntrin || call.callee == intrinsics::callLlvmIntrin;
}

std::string llvmIntrinsicName(const Call &call)
{
    const auto *text = !isLlvmCall(call) || call.args.empty() ? nullptr : call.args.front().as<StringImm>();
    std::string name = text ? text->value : std::string();
    for (std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 4; dot = name.rfind('.')) {
        if (!isTypeSuffix(std::string_view(name).substr(dot + 1)))
            break;
        name.resize(dot);
    }
    return name;
}

std::vector<Expr> llvmArguments(const Call &call)
{
    Args args(call.args.begin() + (call.args.empty() ? 0 : 1), call.args.end());
    const Row *row = rowOf(call);
    const bool hasCount = row && args.size() == static_cast<std::size_t>(row->count) + 1
                          && args.front().dtype() == DataType::uint(32) && asInt(args.front());
    if (hasCount)
        args.erase(args.begin());
    return args;
}

std::optional<std::string> intrinsicFault(const Call &call)
{
    if (call.callee == intrinsics::reinterpret && call.args.size() == 1
        && !canReinterpret(call.args[0].dtype(), call.dtype))
        return std::format("'reinterpret' reads the bits of '{}' as '{}', which does not take as many",
                           call.args[0].dtype().str(), call.dtype.str());
    if (isShiftedProduct(call))
        return shiftedProductFault(call);
    const Row *row = rowOf(call);
    return row ? llvmFault(*row, call) : std::nullopt;
}

Expr threadInvariantOf(const Call &call)
{
    static constexpr const Intrinsic &says = intrinsics::rowOf("tvm_thread_invariant");
    return call.callee == says && call.args.size() == 1 ? call.args.front() : Expr();
}

Expr meaningOf(const Call &call)
{
    if (const Expr same = threadInvariantOf(call))
        return same;
    const Row *row = rowOf(call);
    if (!row && !isShiftedProduct(call))
        return {};
    if (const auto fault = intrinsicFault(call))
        throw support::UserError(support::diagnostic("type.mismatch", *fault));
    if (!row)
        return onceEach(call.args, [&](const Args &values) { return shiftedProduct(call, values); });
    const Args args = llvmArguments(call);
    if (row->meaning.plain)
        return callIntrinsic(*row->meaning.plain, args);
    return onceEach(args, [&](const Args &values) {
        const Expr made = row->meaning.make(values);
        return made.dtype() == call.dtype ? made : cast(call.dtype, made);
    });
}

} // namespace nestwright::ir
