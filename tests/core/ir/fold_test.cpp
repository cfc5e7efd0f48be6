// SPDX-License-Identifier: Apache-2.0
// The arithmetic where machines differ, as it is defined for folding, the interpreter and all backends.
#include "core/ir/fold.h"

#include "core/ir/build/builder.h"
#include "core/ir/exact_integers.h"

#include <QtTest>

#include <limits>

using namespace nestwright;
using ir::BinaryOp;
using ir::DataType;
using ir::Expr;

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       greatest = std::numeric_limits<std::int64_t>::max();
constexpr double notNumber = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

bool holds(BinaryOp op, double a, double b)
{
    return ir::isTrue(ir::foldBinary(op, ir::floatImm(a), ir::floatImm(b)));
}

} // namespace

class FoldTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void floatsAreCutToTheNearestInteger()
    {
        const DataType i8 = DataType::int_(8), u8 = DataType::uint(8), i32 = DataType::int32(),
                       i64 = DataType::int64(), u32 = DataType::uint(32), u64 = DataType::uint(64);
        for (const DataType type : {i8, u8, i32, i64, u32, u64}) {
            QCOMPARE(ir::integerOf(notNumber, type), 0);
            QCOMPARE(ir::integerOf(2.9, type), 2);
            QCOMPARE(ir::integerOf(-0.9, type), 0);
        }
        QCOMPARE(ir::integerOf(-2.9, i32), -2);
        QCOMPARE(ir::integerOf(127.9, i8), 127);
        QCOMPARE(ir::integerOf(300, i8), 127);
        QCOMPARE(ir::integerOf(-128.9, i8), -128);
        QCOMPARE(ir::integerOf(-infinity, i8), -128);
        QCOMPARE(ir::integerOf(300, u8), 255);
        QCOMPARE(ir::integerOf(-3, u8), 0);
        QCOMPARE(ir::integerOf(3e9, i32), 2147483647);
        QCOMPARE(ir::integerOf(-3e9, i32), -2147483648LL);
        QCOMPARE(ir::integerOf(3e9, u32), 3000000000LL);
        QCOMPARE(ir::integerOf(infinity, u32), 4294967295LL);
        QCOMPARE(ir::integerOf(1e30, i64), greatest);
        QCOMPARE(ir::integerOf(-1e30, i64), least);
        QCOMPARE(ir::integerOf(0x1p63, u64), least); // 2^63 as its bits
        QCOMPARE(ir::integerOf(1e30, u64), -1);      // 2^64 - 1 as its bits
        QCOMPARE(ir::integerOf(-1, u64), 0);
        QCOMPARE(ir::integerOf(notNumber, DataType::boolean()), 1);
        QCOMPARE(ir::integerOf(0.25, DataType::boolean()), 1);
        QVERIFY(ir::isConstInt(ir::cast(i8, ir::floatImm(1000)), 127));
        QVERIFY(ir::isConstInt(ir::cast(i32, ir::floatImm(notNumber)), 0));
        QVERIFY(ir::isConstInt(ir::cast(i64, ir::floatImm(infinity)), greatest));
    }

    void integersBecomeFloatsWithOneRounding()
    {
        // Between two floats, nearer to the upper one, but a double would round it to their middle.
        const std::int64_t value = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
        const Expr folded = ir::foldCast(DataType::float32(), ir::intImm(value, DataType::int64()));
        QCOMPARE(folded.as<ir::FloatImm>()->value, static_cast<double>(static_cast<float>(value)));
        QVERIFY(folded.as<ir::FloatImm>()->value
                != static_cast<double>(static_cast<float>(static_cast<double>(value))));
    }

    void shiftsBeyondTheWidthMoveAllOut()
    {
        const DataType i32 = DataType::int32(), u32 = DataType::uint(32), u64 = DataType::uint(64);
        QCOMPARE(ir::shiftLeft(3, 4, i32), 48);
        QCOMPARE(ir::shiftLeft(1, 31, i32), -2147483648LL);
        QCOMPARE(ir::shiftLeft(1, 31, u32), 2147483648LL);
        for (const std::int64_t by : {std::int64_t{-1}, std::int64_t{32}, std::int64_t{64}, least}) {
            QCOMPARE(ir::shiftLeft(3, by, i32), 0);
            QCOMPARE(ir::shiftRight(3, by, i32), 0);
            QCOMPARE(ir::shiftRight(-3, by, i32), -1);
            QCOMPARE(ir::shiftRight(4294967295LL, by, u32), 0);
        }
        QCOMPARE(ir::shiftRight(-8, 1, i32), -4);
        QCOMPARE(ir::shiftRight(-1, 63, u64), 1);
        QCOMPARE(ir::shiftRight(-1, 64, u64), 0);
    }

    void theLeastIntegerDividedByMinusOne()
    {
        for (const DataType type : {DataType::int32(), DataType::int64(), DataType::int_(8)}) {
            const Expr low =
                ir::intImm(type.bits == 64 ? least : -(std::int64_t{1} << (type.bits - 1)), type);
            const Expr minusOne = ir::intImm(-1, type);
            for (const BinaryOp op : {BinaryOp::Div, BinaryOp::FloorDiv})
                QVERIFY(ir::isConstInt(ir::foldBinary(op, low, minusOne), *ir::asInt(low)));
            for (const BinaryOp op : {BinaryOp::Mod, BinaryOp::FloorMod})
                QVERIFY(ir::isConstInt(ir::foldBinary(op, low, minusOne), 0));
        }
    }

    void comparisonsOfFloats()
    {
        using enum BinaryOp;
        for (const BinaryOp op : {EQ, LE, GE})
            QVERIFY(holds(op, 2, 2));
        for (const BinaryOp op : {NE, LT, GT})
            QVERIFY(!holds(op, 2, 2));
        for (const BinaryOp op : {NE, LT, LE})
            QVERIFY(holds(op, 1, 2));
        for (const BinaryOp op : {EQ, GT, GE})
            QVERIFY(!holds(op, 1, 2));
        for (const BinaryOp op : {EQ, LT, LE, GT, GE})
            QVERIFY(!holds(op, notNumber, notNumber));
        QVERIFY(holds(NE, notNumber, notNumber));
    }

    void integersWrapAround()
    {
        using enum BinaryOp;
        const DataType i8 = DataType::int_(8), u8 = DataType::uint(8), i64 = DataType::int64(),
                       u64 = DataType::uint(64);
        QCOMPARE(ir::wrappingBinary(Add, 127, 1, i8), -128);
        QCOMPARE(ir::wrappingBinary(Sub, 0, 1, u8), 255);
        QCOMPARE(ir::wrappingBinary(Mul, least, -1, i64), least);
        QCOMPARE(ir::wrappingBinary(Div, -128, -1, i8), -128);
        QCOMPARE(ir::wrappingBinary(FloorDiv, least, -1, i64), least);
        QCOMPARE(ir::wrappingBinary(Mod, least, -1, i64), 0);
        QCOMPARE(ir::wrappingBinary(Div, -1, 2, u64), greatest); // 2^64 - 1, halved
        QCOMPARE(ir::wrappingBinary(FloorMod, -7, 3, i64), 2);
        QCOMPARE(ir::wrappingBinary(LT, 1, -1, u64), 1);
        QCOMPARE(ir::wrappingBinary(LT, 1, -1, i64), 0);
        QCOMPARE(ir::wrappingBinary(And, 2, 4, i64), 1);
        for (const DataType type : {i8, u8, i64, u64}) {
            for (const BinaryOp op : {Div, Mod, FloorDiv, FloorMod})
                QVERIFY(!ir::wrappingBinary(op, 1, 0, type));
        }
    }

    void checkedIntegersAreExactOrNothing()
    {
        using enum BinaryOp;
        QCOMPARE(ir::checkedBinary(Add, greatest, -1), greatest - 1);
        QVERIFY(!ir::checkedBinary(Add, greatest, 1));
        QVERIFY(!ir::checkedBinary(Sub, least, 1));
        QVERIFY(!ir::checkedBinary(Mul, least, -1));
        for (const BinaryOp op : {Div, FloorDiv}) {
            QVERIFY(!ir::checkedBinary(op, least, -1));
            QCOMPARE(ir::checkedBinary(op, -greatest, -1), greatest);
            QVERIFY(!ir::checkedBinary(op, 1, 0));
        }
        for (const BinaryOp op : {Mod, FloorMod}) {
            QCOMPARE(ir::checkedBinary(op, least, -1), 0);
            QVERIFY(!ir::checkedBinary(op, 1, 0));
        }
        QCOMPARE(ir::checkedBinary(Div, -7, 2), -3);
        QCOMPARE(ir::checkedBinary(FloorDiv, -7, 2), -4);
        QCOMPARE(ir::checkedBinary(Min, least, greatest), least);
        QCOMPARE(ir::checkedBinary(GE, 2, 2), 1);
    }

    void quotientsThatRoundUp()
    {
        for (const std::int64_t b : {-3, -1, 1, 2, 3, 7}) {
            for (std::int64_t a = -20; a <= 20; ++a)
                QCOMPARE(ir::ceilDiv(a, b), -ir::floorDiv(-a, b));
        }
        QCOMPARE(ir::ceilDiv(least, 2), least / 2);
        QCOMPARE(ir::ceilDiv(greatest, 2), greatest / 2 + 1);
    }

    void zeroBitsAboveTheHighest()
    {
        QCOMPARE(ir::leadingZeroBits(0, DataType::int_(8)), 8);
        QCOMPARE(ir::leadingZeroBits(1, DataType::int_(8)), 7);
        QCOMPARE(ir::leadingZeroBits(-1, DataType::int_(8)), 0);
        QCOMPARE(ir::leadingZeroBits(0, DataType::int64()), 64);
        QCOMPARE(ir::leadingZeroBits(1, DataType::uint(64)), 63);
    }

    void minimaAndMaximaWithNan()
    {
        const auto value = [](BinaryOp op, double a, double b) {
            return ir::foldBinary(op, ir::floatImm(a), ir::floatImm(b)).as<ir::FloatImm>()->value;
        };
        for (const BinaryOp op : {BinaryOp::Min, BinaryOp::Max}) { // as they are compiled: the second one
            QCOMPARE(value(op, notNumber, 3), 3.0);
            QVERIFY(std::isnan(value(op, 3, notNumber)));
        }
        QCOMPARE(value(BinaryOp::Min, 2, 3), 2.0);
        QCOMPARE(value(BinaryOp::Max, 2, 3), 3.0);
    }

    void elementsExactly()
    {
        ir::NdArray wide(DataType::int64(), {2}), other = wide;
        wide.data<std::int64_t>()[0] = greatest;
        other.data<std::int64_t>()[0] = greatest - 1; // the same double
        QCOMPARE(ir::integerAt(wide, 0), greatest);
        const ir::Deviation worst = ir::compare(wide, other, 0, 0);
        QVERIFY(!worst.withinTolerance);
        QCOMPARE(worst.index, 0);
        ir::NdArray real(DataType::float_(64), {1});
        real.set(0, 1e30);
        QCOMPARE(ir::integerAt(real, 0), greatest);
    }
};

QTEST_GUILESS_MAIN(FoldTest)
#include "fold_test.moc"
