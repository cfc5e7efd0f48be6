// SPDX-License-Identifier: Apache-2.0
// Every operator, cast and intrinsic at the ends of every type, against plain C++ or folding.
#include "core/interp/interpreter.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/exact_integers.h"
#include "core/ir/fold.h"

#include <QtTest>

#include <bit>
#include <cmath>
#include <limits>

using namespace nestwright;
using ir::BinaryOp;
using ir::Buffer;
using ir::DataType;
using ir::Expr;
using ir::NdArray;

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       greatest = std::numeric_limits<std::int64_t>::max();
const double infinity = std::numeric_limits<double>::infinity(), notNumber = std::nan("");

support::Result<NdArray> run(const Expr &e)
{
    const Buffer out("out", {}, e.dtype());
    ir::PrimFunc f;
    f.params.push_back({ir::Var("out", DataType::handle()), out});
    f.body = store(out, e, {});
    NdArray array(e.dtype(), {});
    const std::array<NdArray *, 1> buffers{&array};
    if (auto done = interp::run(f, buffers); !done)
        return support::fail(done.error());
    return array;
}

NdArray evaluated(const Expr &e)
{
    auto result = run(e);
    if (!result)
        qFatal("%s", result.error().render().c_str());
    return std::move(*result);
}

double real(const Expr &e) { return evaluated(e).at(0); }
std::int64_t integer(const Expr &e) { return ir::integerAt(evaluated(e), 0); }

/// Constants that are not folded.
Expr i(std::int64_t value, DataType type = DataType::int32())
{
    return ir::call(type, "likely", {ir::intImm(value, type)});
}
Expr f(double value, DataType type = DataType::float32())
{
    return ir::call(type, "likely", {ir::floatImm(value, type)});
}
Expr call(const char *name, std::vector<Expr> args) { return ir::callIntrinsic(name, std::move(args)); }

bool isSame(double a, double b)
{
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

constexpr int operators = static_cast<int>(BinaryOp::Or) + 1;
bool divides(BinaryOp op) { return op >= BinaryOp::Div && op <= BinaryOp::FloorMod; }

const std::vector<std::pair<DataType, std::vector<std::int64_t>>> integers{
    {DataType::int_(8), {-128, -127, -7, -1, 0, 1, 2, 7, 127}},
    {DataType::int_(16), {-32768, -3, 0, 5, 32767}},
    {DataType::int32(), {-2147483648LL, -7, -2, -1, 0, 1, 2, 3, 7, 2147483647}},
    {DataType::int64(), {least, -7, -2, -1, 0, 1, 2, 7, greatest}},
    {DataType::uint(8), {0, 1, 2, 7, 128, 255}},
    {DataType::uint(32), {0, 1, 7, 2147483648LL, 4294967295LL}},
    {DataType::uint(64), {0, 1, 2, 7, greatest, least, -1}},
};

const std::vector<DataType> floats{DataType::float_(16), DataType::bfloat16(), DataType::float32(),
                                   DataType::float_(64)};

} // namespace

class OperatorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void integersAsTheyAreFolded()
    {
        for (const auto &[type, values] : integers) {
            for (int each = 0; each < operators; ++each) {
                const auto op = static_cast<BinaryOp>(each);
                for (const std::int64_t a : values) {
                    for (const std::int64_t b : values) {
                        const auto actual = run(ir::binary(op, i(a, type), i(b, type)));
                        const std::string text = type.str() + ": " + std::to_string(a) + ' '
                                                 + std::string(ir::spelling(op)) + ' ' + std::to_string(b);
                        if (divides(op) && b == 0) {
                            QVERIFY2(!actual && actual.error().code == "interp.division-by-zero",
                                     text.c_str());
                            continue;
                        }
                        QVERIFY2(actual, text.c_str());
                        const Expr folded = ir::foldBinary(op, ir::intImm(a, type), ir::intImm(b, type));
                        const std::int64_t expected = ir::wrapToType(*ir::asInt(folded), folded.dtype());
                        QVERIFY2(ir::integerAt(*actual, 0) == expected, text.c_str());
                    }
                }
            }
        }
    }

    void floatsAreRoundedAfterEachOperation()
    {
        const std::vector<double> values{-infinity, -65504, -2.5, -1.0009765625, -0.0,      0.0,
                                         0.1,       1,      2.5,  1 / 3.0,       notNumber, infinity};
        for (const DataType type : floats) {
            for (const double first : values) {
                for (const double second : values) {
                    const double a = ir::roundToType(first, type), b = ir::roundToType(second, type);
                    const auto check = [&](BinaryOp op, double expected) {
                        const double actual = real(ir::binary(op, f(a, type), f(b, type)));
                        QVERIFY2(isSame(actual, expected),
                                 qPrintable(QString("%1: %2 %3 %4 = %5, not %6")
                                                .arg(type.str().c_str())
                                                .arg(a)
                                                .arg(std::string(ir::spelling(op)).c_str())
                                                .arg(b)
                                                .arg(actual)
                                                .arg(expected)));
                    };
                    check(BinaryOp::Add, ir::roundToType(a + b, type));
                    check(BinaryOp::Sub, ir::roundToType(a - b, type));
                    check(BinaryOp::Mul, ir::roundToType(a * b, type));
                    check(BinaryOp::Div, ir::roundToType(a / b, type));
                    check(BinaryOp::Min, a < b ? a : b);
                    check(BinaryOp::Max, a > b ? a : b);
                    check(BinaryOp::EQ, a == b ? 1 : 0);
                    check(BinaryOp::NE, a != b ? 1 : 0);
                    check(BinaryOp::LT, a < b ? 1 : 0);
                    check(BinaryOp::LE, a <= b ? 1 : 0);
                    check(BinaryOp::GT, a > b ? 1 : 0);
                    check(BinaryOp::GE, a >= b ? 1 : 0);
                }
            }
        }
    }

    void castsOfIntegers()
    {
        for (const auto &[from, values] : integers) {
            for (const std::int64_t value : values) {
                for (const auto &[to, unused] : integers) {
                    QCOMPARE(integer(ir::cast(to, i(value, from))), ir::wrapToType(value, to));
                }
                const Expr constant = ir::intImm(value, from);
                for (const DataType to : {DataType::float32(), DataType::float_(64)})
                    QCOMPARE(real(ir::cast(to, i(value, from))),
                             ir::foldCast(to, constant).as<ir::FloatImm>()->value);
                QCOMPARE(integer(ir::cast(DataType::boolean(), i(value, from))), value != 0 ? 1 : 0);
            }
        }
    }

    void castsOfFloats()
    {
        for (const DataType from : floats) {
            for (const double given :
                 {-1e30, -129.5, -1.5, -0.5, 0.0, 0.5, 1.5, 126.9, 200.0, 1e30, infinity, notNumber}) {
                const double value = ir::roundToType(given, from);
                for (const auto &[to, unused] : integers)
                    QCOMPARE(integer(ir::cast(to, f(value, from))),
                             ir::wrapToType(ir::integerOf(value, to), to));
                for (const DataType to : floats)
                    QVERIFY(isSame(real(ir::cast(to, f(value, from))), ir::roundToType(value, to)));
            }
        }
    }

    void bitsOfIntegers()
    {
        for (const auto &[type, values] : integers) {
            for (const std::int64_t a : values) {
                for (const std::int64_t by : {-1, 0, 1, 3, 7, 8, 31, 32, 63, 64}) {
                    if (by >= 64 && type.bits == 8)
                        continue;
                    const Expr amount = i(by, type);
                    const std::int64_t wrapped = ir::wrapToType(by, type);
                    QCOMPARE(integer(call("shift_left", {i(a, type), amount})),
                             ir::shiftLeft(a, wrapped, type));
                    QCOMPARE(integer(call("shift_right", {i(a, type), amount})),
                             ir::shiftRight(a, wrapped, type));
                }
                const std::uint64_t mask = ~std::uint64_t{0} >> (64 - type.bits);
                const std::uint64_t bits = static_cast<std::uint64_t>(a) & mask;
                QCOMPARE(integer(call("bitwise_not", {i(a, type)})), ir::wrapToType(~a, type));
                QCOMPARE(integer(call("bitwise_and", {i(a, type), i(6, type)})), ir::wrapToType(a & 6, type));
                QCOMPARE(integer(call("bitwise_or", {i(a, type), i(6, type)})), ir::wrapToType(a | 6, type));
                QCOMPARE(integer(call("popcount", {i(a, type)})), std::popcount(bits));
                QCOMPARE(integer(call("clz", {i(a, type)})), std::countl_zero(bits) - (64 - type.bits));
                const bool isNegative = type.isInt() && a < 0;
                QCOMPARE(
                    integer(call("abs", {i(a, type)})),
                    ir::wrapToType(
                        isNegative ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a)) : a, type));
            }
        }
    }

    void nextValuesOfNarrowFloats()
    {
        for (const DataType type : {DataType::float_(16), DataType::bfloat16()}) {
            const bool isHalf = type.code == ir::TypeCode::Float;
            const auto valueOf = [&](int bits) {
                const auto word = static_cast<std::uint16_t>(bits);
                return static_cast<double>(isHalf ? ir::halfToFloat(word) : ir::bfloat16ToFloat(word));
            };
            const auto next = [&](double x, double y) {
                return real(call("nextafter", {f(x, type), f(y, type)}));
            };
            for (const int bits : {1, 2, 0x3c00, 0x4100}) { // positive numbers in the order of their bits
                QCOMPARE(next(valueOf(bits), infinity), valueOf(bits + 1));
                QCOMPARE(next(valueOf(bits), -infinity), valueOf(bits - 1));
                QCOMPARE(next(-valueOf(bits), -infinity), -valueOf(bits + 1));
                QCOMPARE(next(-valueOf(bits), infinity), -valueOf(bits - 1));
            }
            QCOMPARE(next(0, 1), valueOf(1));
            QCOMPARE(next(-0.0, 1), valueOf(1));
            QCOMPARE(next(0, -1), -valueOf(1));
            QCOMPARE(next(1.5, 1.5), 1.5);
            QVERIFY(isSame(next(0.0, -0.0), -0.0));
            QVERIFY(std::isnan(next(notNumber, 1)) && std::isnan(next(1, notNumber)));
        }
        const DataType wide = DataType::float_(64);
        QCOMPARE(real(call("nextafter", {f(1, wide), f(2, wide)})), std::nextafter(1.0, 2.0));
        QCOMPARE(real(call("nextafter", {f(1), f(0)})), static_cast<double>(std::nextafter(1.0F, 0.0F)));
    }

    void roundingOfHalves()
    {
        for (const auto &[x, even, away] : {std::tuple{0.5, 0.0, 1.0},
                                            {1.5, 2.0, 2.0},
                                            {2.5, 2.0, 3.0},
                                            {-0.5, -0.0, -1.0},
                                            {-1.5, -2.0, -2.0},
                                            {-2.5, -2.0, -3.0},
                                            {0.25, 0.0, 0.0},
                                            {0.75, 1.0, 1.0}}) {
            QCOMPARE(real(call("nearbyint", {f(x)})), even);
            QCOMPARE(real(call("round", {f(x)})), away);
        }
    }

    void fusedMultiplyAddRoundsOnce()
    {
        // 1 - 2^-24 is 1 where the product is rounded to float32 first.
        const double a = 1 + 0x1p-12, b = 1 - 0x1p-12;
        QCOMPARE(real(call("fma", {f(a), f(b), f(-1)})), -0x1p-24);
        const double c = 1 + 0x1p-30, d = 1 - 0x1p-30;
        const DataType wide = DataType::float_(64);
        QCOMPARE(real(call("fma", {f(c, wide), f(d, wide), f(-1, wide)})), -0x1p-60);
        const DataType half = DataType::float_(16);
        QCOMPARE(real(call("fma", {f(3, half), f(1 + 0x1p-10, half), f(0, half)})),
                 3 + 0x1p-8); // of 3 + 3·2^-10
        QCOMPARE(real(call("ldexp", {f(1), i(100000)})), infinity);
        QCOMPARE(real(call("ldexp", {f(1), i(-100000)})), 0.0);
    }

    void queriesOnNumbers()
    {
        for (const auto &[value, isNan, isInf] :
             {std::tuple{1.0, 0, 0}, {notNumber, 1, 0}, {infinity, 0, 1}, {-infinity, 0, 1}}) {
            QCOMPARE(integer(call("isnan", {f(value)})), isNan);
            QCOMPARE(integer(call("isinf", {f(value)})), isInf);
            QCOMPARE(integer(call("isfinite", {f(value)})), isNan == 0 && isInf == 0 ? 1 : 0);
        }
        QCOMPARE(integer(call("isnan", {i(3)})), 0);
        QCOMPARE(integer(call("isinf", {i(3)})), 0);
        QCOMPARE(integer(call("isfinite", {i(3)})), 1);
        for (const char *name : {"floor", "ceil", "trunc", "round", "nearbyint"})
            QCOMPARE(integer(call(name, {i(-3)})), -3);
    }

    /// Bits of vectors of other types: the first lane is the lowest.
    void bitsOfLanes()
    {
        const Expr bytes = ir::cast(DataType::int_(8, 8), ir::ramp(i(1), 1, 8)); // 1, 2, … 8
        const auto values = [](const Expr &e) {
            const NdArray array = evaluated(e);
            std::vector<std::int64_t> lanes;
            for (int lane = 0; lane < e.dtype().lanes; ++lane)
                lanes.push_back(ir::integerAt(array, lane));
            return lanes;
        };
        const Expr words = ir::callIntrinsic("reinterpret", {bytes}, DataType::int_(32, 2));
        QCOMPARE(values(words), (std::vector<std::int64_t>{0x04030201, 0x08070605}));
        QCOMPARE(values(ir::callIntrinsic("reinterpret", {words}, DataType::int_(8, 8))),
                 (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
        QCOMPARE(values(ir::callIntrinsic("reinterpret", {bytes}, DataType::int64())),
                 (std::vector<std::int64_t>{0x0807060504030201}));
        QCOMPARE(
            values(ir::callIntrinsic("reinterpret", {i(0x0102, DataType::int_(16))}, DataType::int_(8, 2))),
            (std::vector<std::int64_t>{2, 1}));
        QCOMPARE(integer(ir::callIntrinsic("reinterpret", {f(1.5)}, DataType::int32())),
                 std::bit_cast<std::int32_t>(1.5F));
        QCOMPARE(
            real(ir::callIntrinsic("reinterpret", {i(0x3e00, DataType::int_(16))}, DataType::float_(16))),
            1.5);
        QCOMPARE(
            real(ir::callIntrinsic("reinterpret", {i(0x3fc0, DataType::int_(16))}, DataType::bfloat16())),
            1.5);
        QCOMPARE(integer(ir::callIntrinsic("reinterpret", {i(-1)}, DataType::uint(32))), 4294967295LL);
    }
};

QTEST_APPLESS_MAIN(OperatorsTest)
#include "operators_test.moc"
