// SPDX-License-Identifier: Apache-2.0
#include "core/ir/ndarray.h"

#include "core/ir/fold.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

using namespace nestwright;
using ir::DataType;
using ir::NdArray;

class NdArrayTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void deferredElements()
    {
        const std::vector<float> values{1, 2, 3, 4, 5, 6};
        const auto memory = std::make_shared<support::DeferredMemory>(
            reinterpret_cast<const std::byte *>(values.data()), std::size_t{24}, nullptr);
        const NdArray array(DataType::float32(), {2, 3}, memory);
        QCOMPARE(array.deferredMemory(), memory);
        QCOMPARE(array.byteCount(), std::size_t{24});
        QCOMPARE(array.size(), 6);
        const NdArray other = array.reshaped({6});
        NdArray copy = array;
        const auto *const begin = reinterpret_cast<const std::byte *>(values.data());
        QCOMPARE(array.source().get(), begin); // nobody asked yet
        QCOMPARE(array.at(5), 6);
        QCOMPARE(array.source().get(), array.bytes().data());
        QVERIFY(array.source().get() != begin);
        QCOMPARE(other.data<float>(), array.data<float>());
        QCOMPARE(other.shape(), std::vector<std::int64_t>{6});
        copy.set(0, 7);
        QCOMPARE(array.at(0), 1);
        QCOMPARE(copy.at(5), 6);
        QVERIFY(!copy.deferredMemory());
        const NdArray moved = std::move(copy);
        QCOMPARE(moved.at(0), 7);
        NdArray assigned;
        assigned = NdArray(DataType::float32(), {6}, memory);
        QCOMPARE(assigned.at(3), 4);
    }

    void otherShapesOfTheSameMemory()
    {
        NdArray array(DataType::uint(8), {2, 2});
        const NdArray other = array.reshaped({4});
        array.set(3, 5);
        QCOMPARE(other.at(3), 5);
        QCOMPARE(other.source().get(), array.bytes().data());
        array = NdArray();
        QCOMPARE(other.at(3), 5); // keeps it
        QVERIFY(!array.source());
    }

    void uninitializedElements()
    {
        auto array = NdArray::uninitialized(DataType::int64(), {3, 0});
        QCOMPARE(array.byteCount(), std::size_t{0});
        QVERIFY(array.bytes().data()); // an empty array has an address, too
        array = NdArray::uninitialized(DataType::int64(), {3});
        array.set(2, 7);
        QCOMPARE(array.at(2), 7);
        QCOMPARE(array.byteCount(), std::size_t{24});
    }

    void boolsFromOutsideAreZeroOrOne()
    {
        NdArray flags(DataType::boolean(), {3});
        flags.bytes()[1] = std::byte{1};
        flags.bytes()[2] = std::byte{20};
        flags.normalizeBools();
        QCOMPARE(flags.at(0), 0);
        QCOMPARE(flags.at(1), 1);
        QCOMPARE(flags.at(2), 1);
        NdArray bytes(DataType::uint(8), {1});
        bytes.bytes()[0] = std::byte{20};
        bytes.normalizeBools();
        QCOMPARE(bytes.at(0), 20);
    }

    void memoryOfSomebodyElse()
    {
        const auto keeper =
            std::make_shared<ir::NdArray>(ir::DataType::float32(), std::vector<std::int64_t>{4});
        keeper->set(1, 5);
        ir::NdArray there(ir::DataType::float32(), {2}, keeper->bytes().data(), keeper);
        QCOMPARE(keeper.use_count(), 2);
        QCOMPARE(there.at(1), 5.0);
        ir::NdArray copy = there; // of its own
        copy.set(1, 6);
        QCOMPARE(keeper->at(1), 5.0);
        there.set(0, 7);
        QCOMPARE(keeper->at(0), 7.0);
        const ir::NdArray moved = std::move(there);
        QCOMPARE(moved.data<float>(), keeper->data<float>());
        copy = moved;
        QCOMPARE(copy.at(0), 7.0);
        QCOMPARE(keeper.use_count(), 2);
    }

    void shapes()
    {
        const NdArray matrix(DataType::float32(), {3, 4});
        QCOMPARE(matrix.size(), 12);
        QCOMPARE(matrix.bytes().size(), 48U);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(matrix.data<float>()) % 64, 0U);
        for (std::int64_t i = 0; i < matrix.size(); ++i)
            QCOMPARE(matrix.at(i), 0.0);
        QCOMPARE(NdArray(DataType::int64(), {}).size(), 1);
        QCOMPARE(NdArray(DataType::float32(), {3, 0}).size(), 0);
        QVERIFY(NdArray(DataType::float32(), {3, 0}).data<float>() != nullptr);
        QCOMPARE(NdArray(DataType::boolean(), {5}).bytes().size(), 5U);
        QCOMPARE(NdArray(DataType::bfloat16(), {5}).bytes().size(), 10U);
    }

    void numbersBeyondATypeBecomeItsNearest()
    {
        for (const auto &[type, low, high] :
             {std::tuple(DataType::int_(8), -128.0, 127.0), std::tuple(DataType::uint(8), 0.0, 255.0),
              std::tuple(DataType::int64(), -0x1p63, 0x1p63), std::tuple(DataType::uint(64), 0.0, 0x1p64)}) {
            NdArray array(type, {3});
            array.set(0, -1e300);
            array.set(1, std::numeric_limits<double>::infinity());
            array.set(2, std::nan(""));
            QCOMPARE(array.at(0), low);
            QCOMPARE(array.at(1), high);
            QCOMPARE(array.at(2), 0.0);
        }
    }

    void elements_data()
    {
        QTest::addColumn<std::string>("type");
        QTest::addColumn<double>("value");
        for (const char *type : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                 "float16", "bfloat16", "float32", "float64"}) {
            for (const double value : {0.0, 1.0, 100.0})
                QTest::addRow("%s %g", type, value) << std::string(type) << value;
        }
        QTest::newRow("negative") << std::string("int8") << -128.0;
        QTest::newRow("half") << std::string("float16") << 0.5;
        QTest::newRow("bool") << std::string("bool") << 1.0;
    }
    void elements()
    {
        QFETCH(std::string, type);
        QFETCH(double, value);
        NdArray array(*DataType::parse(type), {4});
        array.set(2, value);
        QCOMPARE(array.at(2), value);
        QCOMPARE(array.at(1), 0.0);
        QCOMPARE(array.at(3), 0.0);
    }

    void halves()
    {
        for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
            const auto half = static_cast<std::uint16_t>(bits);
            const float value = ir::halfToFloat(half);
            if (std::isnan(value))
                QVERIFY((half & 0x7C00U) == 0x7C00U && (half & 0x3FFU) != 0);
            else
                QCOMPARE(ir::floatToHalf(value), half);
            const float wide = ir::bfloat16ToFloat(half);
            if (!std::isnan(wide))
                QCOMPARE(ir::floatToBfloat16(wide), half);
        }
        QCOMPARE(ir::floatToHalf(70000.0F), 0x7C00);                  // overflows to infinity
        QCOMPARE(ir::halfToFloat(ir::floatToHalf(1e-9F)), 0.0F);      // underflows to zero
        QCOMPARE(ir::halfToFloat(ir::floatToHalf(2049.0F)), 2048.0F); // a tie goes to the even neighbour
        QCOMPARE(ir::bfloat16ToFloat(ir::floatToBfloat16(257.0F)), 256.0F);
        QCOMPARE(ir::bfloat16ToFloat(ir::floatToBfloat16(259.0F)), 260.0F);
        QVERIFY(
            std::isnan(ir::bfloat16ToFloat(ir::floatToBfloat16(std::numeric_limits<float>::quiet_NaN()))));
        QCOMPARE(ir::roundToType(0.1, DataType::float32()), static_cast<double>(0.1F));
        QCOMPARE(ir::roundToType(0.1, DataType::float_(64)), 0.1);
    }

    void randomValues()
    {
        for (const char *type :
             {"int8", "uint8", "int32", "int64", "float16", "float32", "float64", "bool"}) {
            NdArray a(*DataType::parse(type), {100}), b = a, c = a;
            a.fillRandom(1);
            b.fillRandom(1);
            c.fillRandom(2);
            double same = 0, sum = 0;
            for (std::int64_t i = 0; i < a.size(); ++i) {
                QCOMPARE(a.at(i), b.at(i));
                same += a.at(i) == c.at(i) ? 1 : 0;
                sum += a.at(i) != 0 ? 1 : 0;
                if (a.dtype().isFloating())
                    QVERIFY(a.at(i) >= -1 && a.at(i) < 1);
            }
            QVERIFY2(same < 90 && sum > 10, type);
        }
    }

    void comparison()
    {
        NdArray expected(DataType::float32(), {4}), actual(DataType::float32(), {4});
        QVERIFY(ir::compare(expected, actual, 0, 0).withinTolerance);
        QCOMPARE(ir::compare(expected, actual, 0, 0).index, -1);
        expected.set(1, 100);
        actual.set(1, 100.5);
        actual.set(2, 1e-9);
        const ir::Deviation worst = ir::compare(expected, actual, 1e-3, 1e-6);
        QVERIFY(!worst.withinTolerance);
        QCOMPARE(worst.index, 1);
        QCOMPARE(worst.expected, 100.0);
        QCOMPARE(worst.actual, 100.5);
        QVERIFY(ir::compare(expected, actual, 1e-2, 1e-6).withinTolerance);
        const double nan = std::numeric_limits<double>::quiet_NaN();
        actual.set(1, nan);
        QVERIFY(!ir::compare(expected, actual, 1, 1).withinTolerance);
        expected.set(1, nan);
        QVERIFY(ir::compare(expected, actual, 0, 1e-6).withinTolerance);
        const double infinity = std::numeric_limits<double>::infinity();
        expected.set(1, infinity);
        actual.set(1, infinity);
        QVERIFY(ir::compare(expected, actual, 0, 1e-6).withinTolerance);
        actual.set(1, -infinity);
        QVERIFY(!ir::compare(expected, actual, 1e-3, 1e-6).withinTolerance);
    }

    void theWorstElementIsTheFirstOfThose()
    {
        const auto of = [](const std::vector<double> &values) {
            NdArray array(DataType::float32(), {static_cast<std::int64_t>(values.size())});
            for (std::size_t i = 0; i < values.size(); ++i)
                array.set(static_cast<std::int64_t>(i), values[i]);
            return array;
        };
        const NdArray zeros = of({0, 0, 0});
        QVERIFY(ir::compare(zeros, of({0.5, 0, 0}), 0, 0.5).withinTolerance); // just as much
        QCOMPARE(ir::compare(zeros, of({0.5, 0.25, 0.5}), 0, 1).index, 0);
        QCOMPARE(ir::compare(zeros, of({0.25, 0.5, 0}), 0, 1).index, 1);
        QCOMPARE(ir::compare(zeros, of({3, 2, 0}), 0, 1).index, 0);
        QCOMPARE(ir::compare(zeros, of({2, 3, 2}), 0, 1).index, 1);
        QVERIFY(!ir::compare(zeros, of({3, 0.5, 0}), 0, 1).withinTolerance);
    }
};

QTEST_GUILESS_MAIN(NdArrayTest)
#include "ndarray_test.moc"
