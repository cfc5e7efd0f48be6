// SPDX-License-Identifier: Apache-2.0
// Folding of every operator against its meaning, written another way.
#include "core/ir/build/builder.h"
#include "core/ir/fold.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace nestwright;
using ir::BinaryOp;
using ir::DataType;
using ir::Expr;

namespace {

using Wide = __int128;

Wide floored(Wide a, Wide b)
{
    Wide quotient = 0;
    for (Wide remainder = a < 0 ? -a : a, by = b < 0 ? -b : b; remainder >= by; remainder -= by)
        ++quotient;
    const bool isNegative = (a < 0) != (b < 0);
    const bool isWhole = (a < 0 ? -a : a) == quotient * (b < 0 ? -b : b);
    return isNegative ? -quotient - (isWhole ? 0 : 1) : quotient;
}

Wide truncated(Wide a, Wide b)
{
    const Wide positive = floored(a < 0 ? -a : a, b < 0 ? -b : b);
    return (a < 0) != (b < 0) ? -positive : positive;
}

/// The exact value of `a op b`; nothing where a divisor is 0.
std::optional<Wide> meaning(BinaryOp op, Wide a, Wide b)
{
    switch (op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Sub: return a - b;
    case BinaryOp::Mul: return a * b;
    case BinaryOp::Div: return b == 0 ? std::nullopt : std::optional(truncated(a, b));
    case BinaryOp::Mod: return b == 0 ? std::nullopt : std::optional(a - truncated(a, b) * b);
    case BinaryOp::FloorDiv: return b == 0 ? std::nullopt : std::optional(floored(a, b));
    case BinaryOp::FloorMod: return b == 0 ? std::nullopt : std::optional(a - floored(a, b) * b);
    case BinaryOp::Min: return a < b ? a : b;
    case BinaryOp::Max: return a < b ? b : a;
    case BinaryOp::EQ: return a == b;
    case BinaryOp::NE: return a != b;
    case BinaryOp::LT: return a < b;
    case BinaryOp::LE: return a <= b;
    case BinaryOp::GT: return a > b;
    case BinaryOp::GE: return a >= b;
    case BinaryOp::And: return a != 0 && b != 0;
    case BinaryOp::Or: return a != 0 || b != 0;
    }
    return std::nullopt;
}

constexpr int operators = static_cast<int>(BinaryOp::Or) + 1;
const double infinity = std::numeric_limits<double>::infinity();

} // namespace

class FoldOperatorsTest : public QObject {
    Q_OBJECT

    static void checkIntegers(DataType type, const std::vector<std::int64_t> &values)
    {
        for (int i = 0; i < operators; ++i) {
            const auto op = static_cast<BinaryOp>(i);
            for (const std::int64_t a : values) {
                for (const std::int64_t b : values) {
                    const auto exactly = [&](std::int64_t value) {
                        return type == DataType::uint(64) ? Wide{static_cast<std::uint64_t>(value)}
                                                          : Wide{value};
                    };
                    const Expr folded = ir::foldBinary(op, ir::intImm(a, type), ir::intImm(b, type));
                    const auto expected = meaning(op, exactly(a), exactly(b));
                    const std::string text = type.str() + ": " + std::to_string(a) + ' '
                                             + std::string(ir::spelling(op)) + ' ' + std::to_string(b);
                    QVERIFY2(bool(folded) == expected.has_value(), text.c_str());
                    if (!expected)
                        continue;
                    const bool isBool = op >= BinaryOp::EQ;
                    QVERIFY2(folded.dtype() == (isBool ? DataType::boolean() : type), text.c_str());
                    const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(*expected));
                    QVERIFY2(*ir::asInt(folded) == ir::wrapToType(low, type), text.c_str());
                }
            }
        }
    }

private Q_SLOTS:
    void integers()
    {
        std::vector<std::int64_t> small;
        for (std::int64_t value = -9; value <= 9; ++value)
            small.push_back(value);
        checkIntegers(DataType::int32(), small);
        checkIntegers(DataType::int64(), small);
        checkIntegers(DataType::int_(8), {-128, -127, -5, -1, 0, 1, 3, 126, 127});
        checkIntegers(DataType::uint(8), {0, 1, 2, 3, 100, 254, 255});
        checkIntegers(DataType::uint(64), {0, 1, 2, 3, 100});
    }

    void beyondTheRangeOfInt64()
    {
        const DataType type = DataType::uint(64);
        constexpr std::int64_t all = -1, half = std::numeric_limits<std::int64_t>::min(); // 2^64 - 1, 2^63
        const auto folded = [&](BinaryOp op, std::int64_t a, std::int64_t b) {
            return *ir::asInt(ir::foldBinary(op, ir::intImm(a, type), ir::intImm(b, type)));
        };
        for (const BinaryOp quotient : {BinaryOp::Div, BinaryOp::FloorDiv}) {
            QCOMPARE(folded(quotient, all, 2), std::numeric_limits<std::int64_t>::max());
            QCOMPARE(folded(quotient, all, half), 1);
            QCOMPARE(folded(quotient, 5, all), 0);
        }
        for (const BinaryOp remainder : {BinaryOp::Mod, BinaryOp::FloorMod}) {
            QCOMPARE(folded(remainder, all, 10), 5); // 18446744073709551615
            QCOMPARE(folded(remainder, half, all), half);
        }
        QCOMPARE(folded(BinaryOp::Min, all, 1), 1);
        QCOMPARE(folded(BinaryOp::Max, all, 1), all);
        for (const auto &[a, b, order] :
             {std::tuple{all, std::int64_t{1}, 1}, {1, all, -1}, {half, half, 0}}) {
            QCOMPARE(folded(BinaryOp::LT, a, b), order < 0 ? 1 : 0);
            QCOMPARE(folded(BinaryOp::LE, a, b), order <= 0 ? 1 : 0);
            QCOMPARE(folded(BinaryOp::GT, a, b), order > 0 ? 1 : 0);
            QCOMPARE(folded(BinaryOp::GE, a, b), order >= 0 ? 1 : 0);
        }
        const auto signedOne = [](BinaryOp op, std::int64_t a, std::int64_t b) {
            return *ir::asInt(
                ir::foldBinary(op, ir::intImm(a, DataType::int64()), ir::intImm(b, DataType::int64())));
        };
        QCOMPARE(signedOne(BinaryOp::Div, half, -1), half);
        QCOMPARE(signedOne(BinaryOp::Mod, half, -1), 0);
        QCOMPARE(signedOne(BinaryOp::FloorDiv, half, -1), half);
        QCOMPARE(signedOne(BinaryOp::FloorMod, half, -1), 0);
    }

    void floats()
    {
        for (const DataType type : {DataType::float32(), DataType::float_(64)}) {
            for (const double a : {-2.5, -1.0, 0.0, 1.0, 2.5, infinity}) {
                for (const double b : {-2.5, -1.0, 1.0, 2.5}) {
                    const auto value = [&](BinaryOp op) {
                        return ir::foldBinary(op, ir::floatImm(a, type), ir::floatImm(b, type))
                            .as<ir::FloatImm>()
                            ->value;
                    };
                    QCOMPARE(value(BinaryOp::Add), a + b);
                    QCOMPARE(value(BinaryOp::Sub), a - b);
                    QCOMPARE(value(BinaryOp::Mul), a * b);
                    QCOMPARE(value(BinaryOp::Div),
                             type.bits == 32 ? static_cast<double>(float(a / b)) : a / b);
                    QCOMPARE(value(BinaryOp::Min), std::min(a, b));
                    QCOMPARE(value(BinaryOp::Max), std::max(a, b));
                }
            }
            const auto isNegative = [&](BinaryOp op, double a, double b) {
                return std::signbit(ir::foldBinary(op, ir::floatImm(a, type), ir::floatImm(b, type))
                                        .as<ir::FloatImm>()
                                        ->value);
            };
            for (const BinaryOp op :
                 {BinaryOp::Min, BinaryOp::Max}) { // of equals the second, as compilers do
                QVERIFY(isNegative(op, 0.0, -0.0));
                QVERIFY(!isNegative(op, -0.0, 0.0));
            }
            const auto none = [&](BinaryOp op, double a, double b) {
                return !ir::foldBinary(op, ir::floatImm(a, type), ir::floatImm(b, type));
            };
            QVERIFY(none(BinaryOp::Div, 1, 0));
            QVERIFY(none(BinaryOp::Mod, 3, 2));
            QVERIFY(none(BinaryOp::FloorDiv, 3, 2));
        }
        const DataType half = DataType::float_(16);
        QVERIFY(!ir::foldBinary(BinaryOp::Add, ir::floatImm(1, half), ir::floatImm(1, half)));
        QVERIFY(ir::isTrue(ir::foldBinary(BinaryOp::LT, ir::floatImm(1, half), ir::floatImm(2, half))));
    }

    void numbersAreWrappedToTheirType()
    {
        const DataType i8 = DataType::int_(8), u8 = DataType::uint(8);
        for (const auto &[value, asSigned, asUnsigned] : {std::tuple{0, 0, 0},
                                                          {127, 127, 127},
                                                          {128, -128, 128},
                                                          {255, -1, 255},
                                                          {256, 0, 0},
                                                          {-1, -1, 255},
                                                          {-128, -128, 128},
                                                          {-129, 127, 127}}) {
            QCOMPARE(ir::wrapToType(value, i8), asSigned);
            QCOMPARE(ir::wrapToType(value, u8), asUnsigned);
        }
        QCOMPARE(ir::wrapToType(1LL << 40, DataType::int64()), 1LL << 40);
        QCOMPARE(ir::wrapToType(-1, DataType::uint(64)), -1);
        QCOMPARE(ir::wrapToType(2, DataType::boolean()), 1);
        QCOMPARE(ir::wrapToType(0, DataType::boolean()), 0);
        QCOMPARE(ir::wrapToType(-5, DataType::handle()), -5);
    }

    void theFirstThatIsTooLarge()
    {
        QCOMPARE(ir::integerOf(0x1p31, DataType::int32()), 2147483647);
        QCOMPARE(ir::integerOf(-0x1p31, DataType::int32()), -2147483648LL);
        QCOMPARE(ir::integerOf(0x1p32, DataType::uint(32)), 4294967295LL);
        QCOMPARE(ir::shiftLeft(1, 63, DataType::int64()), std::numeric_limits<std::int64_t>::min());
        QCOMPARE(ir::shiftLeft(1, 64, DataType::int64()), 0);
    }

    void numbersAreRoundedToTheirType()
    {
        QCOMPARE(ir::roundToType(1 + 0x1p-9, DataType::bfloat16()), 1.0);
        QCOMPARE(ir::roundToType(1 + 0x1p-9, DataType::float_(16)), 1 + 0x1p-9);
        QCOMPARE(ir::roundToType(1 + 0x1p-12, DataType::float_(16)), 1.0);
        QCOMPARE(ir::roundToType(1 + 0x1p-12, DataType::float32()), 1 + 0x1p-12);
        QCOMPARE(ir::roundToType(1 + 0x1p-30, DataType::float32()), 1.0);
        QCOMPARE(ir::roundToType(1 + 0x1p-30, DataType::float_(64)), 1 + 0x1p-30);
    }

    void castsOfConstants()
    {
        const auto real = [](DataType to, const Expr &e) {
            return ir::foldCast(to, e).as<ir::FloatImm>()->value;
        };
        const Expr all = ir::intImm(-1, DataType::uint(64));
        QCOMPARE(real(DataType::float_(64), all), 0x1p64);
        QCOMPARE(real(DataType::float32(), all), 0x1p64);
        QCOMPARE(real(DataType::float_(64), ir::intImm(-1, DataType::int64())), -1.0);
        QCOMPARE(real(DataType::float_(64), ir::intImm((1LL << 53) + 2, DataType::int64())), 0x1p53 + 2);
        QCOMPARE(real(DataType::float32(), ir::intImm((1 << 24) + 1)), 0x1p24);
        QCOMPARE(*ir::asInt(ir::foldCast(DataType::int_(8), ir::intImm(200))), -56);
        QCOMPARE(*ir::asInt(ir::foldCast(DataType::int_(8), ir::floatImm(-200.0))), -128);
        QCOMPARE(*ir::asInt(ir::foldCast(DataType::boolean(), ir::intImm(7))), 1);
        QVERIFY(!ir::foldCast(DataType::int_(8, 4), ir::intImm(1)));
        QVERIFY(!ir::foldCast(DataType::handle(), ir::intImm(1)));
        QVERIFY(!ir::foldCast(DataType::int64(), ir::Var("x", DataType::int32())));
    }
};

QTEST_APPLESS_MAIN(FoldOperatorsTest)
#include "fold_operators_test.moc"
