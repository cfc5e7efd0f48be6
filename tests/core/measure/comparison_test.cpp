// SPDX-License-Identifier: Apache-2.0
// The difference allowed between two orders of the same sum.
#include "core/measure/verify/comparison.h"

#include "core/measure/verify/error_bounds.h"

#include <QTest>
#include <cmath>
#include <limits>

using namespace nestwright;
using namespace nestwright::measure;

namespace {

ir::NdArray arrayOf(ir::DataType dtype, const std::vector<double> &values)
{
    ir::NdArray array(dtype, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        array.set(static_cast<std::int64_t>(i), values[i]);
    return array;
}

const ir::DataType half = ir::DataType::float_(16), single = ir::DataType::float32();

} // namespace

class ComparisonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theUnitFollowsTheType()
    {
        QCOMPARE(unitRoundoff(half), 0x1p-11);
        QCOMPARE(unitRoundoff(ir::DataType::bfloat16()), 0x1p-8);
        QCOMPARE(unitRoundoff(single), 0x1p-24);
        QCOMPARE(unitRoundoff(ir::DataType::float_(64)), 0x1p-53);
        QCOMPARE(unitRoundoff(ir::DataType::int32()), 0.0);
    }

    void integersAreEqualOrNot()
    {
        const auto a = arrayOf(ir::DataType::int32(), {1, 2, 3}),
                   b = arrayOf(ir::DataType::int32(), {1, 2, 4});
        QVERIFY(!firstExcess({a}, a, {}));
        const auto excess = firstExcess({a}, b, {.relative = 1, .absolute = 1, .terms = 1000});
        QVERIFY(excess);
        QCOMPARE(excess->index, 2);
        QCOMPARE(excess->bound, 0.0);
    }

    /// Of the element, or of all elements where that cancelled to nearly nothing.
    void theLargestDifferenceIsRelative()
    {
        const auto a = arrayOf(single, {1, -4, 0, 8});
        QCOMPARE(largestRelativeDifference(a, a), 0.0);
        QCOMPARE(largestRelativeDifference(a, arrayOf(single, {1, -4, 0, 12})), 0.5);
        QCOMPARE(largestRelativeDifference(a, arrayOf(single, {1, -4, 4.5, 8})), 1.0); // the mean is 4.5
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        QCOMPARE(largestRelativeDifference(arrayOf(single, {nan, 2}), arrayOf(single, {nan, 2})), 0.0);
        QCOMPARE(describeDifference(0), "no difference");
        QCOMPARE(describeDifference(3.14e-7), "largest relative difference 3.1e-07");
    }

    /// The same relative error is a bug in float32 and rounding in float16.
    void theBoundFollowsTheType()
    {
        const std::vector<double> right{1, 2, 3}, near{1.0005, 2.001, 3.0015};
        const auto halves = arrayOf(half, right), singles = arrayOf(single, right);
        QVERIFY(!firstExcess({halves}, arrayOf(half, near), {.relative = 1e-5}));
        QVERIFY(firstExcess({singles}, arrayOf(single, near), {.relative = 1e-5}));
    }

    /// Where terms cancel, an element may be far off in proportion to itself.
    void theBoundFollowsTheLengthOfTheSum()
    {
        const auto right = arrayOf(half, {16, -16, 0.01}), near = arrayOf(half, {16, -16, 0.2});
        QVERIFY(firstExcess({right}, near, {.relative = 1e-5, .terms = 4}));
        QVERIFY(!firstExcess({right}, near, {.relative = 1e-5, .terms = 256}));
    }

    /// Each element by its own bound, or by the error of the reference at the same place.
    void eachElementHasItsBound()
    {
        const auto plain = arrayOf(half, {100.25, 50, 0});
        const auto wide = ir::DataType::float_(64);
        const auto precise = arrayOf(wide, {100, 50, 0}), bounds = arrayOf(wide, {0.1, 1, 0.001});
        const Expected expected{plain, &precise, &bounds};
        const Tolerance none{.relative = 0, .absolute = 0, .terms = 1};
        QVERIFY(!firstExcess(expected, arrayOf(half, {99.5, 50.75, 0}), none));
        QCOMPARE(firstExcess(expected, arrayOf(half, {100, 52, 0}), none)->index, 1);
        // A zero beside large elements stays a zero.
        const auto excess = firstExcess(expected, arrayOf(half, {100, 50, 0.5}), none);
        QVERIFY(excess);
        QCOMPARE(excess->index, 2);
        QCOMPARE(excess->bound, 0.001);
        QCOMPARE(compared(expected, arrayOf(half, {100, 50.25, 0}), none).largestShare, 0.25);
        const std::string text = describe(*excess, "C[2]", half, none);
        for (const char *word : {"'C[2]' is 0.5", "gives 0", "double precision 0", "off by 0.5", "float16",
                                 "allows 0.001 there"})
            QVERIFY2(text.contains(word), text.c_str());
        QVERIFY(!firstExcess(expected, arrayOf(half, {100, 52, 0}), {.relative = 0.05}));
    }

    /// Processors make 0 of bfloat16 numbers that lack digits, by copying alone; of others they do not.
    void numbersThatAreFlushed()
    {
        const auto wide = ir::DataType::float_(64);
        const auto precise = arrayOf(wide, {0x1p-130, 0x1p-120}), bounds = arrayOf(wide, {0, 0});
        const auto excessOf = [&](ir::DataType dtype, std::vector<double> actual) {
            const auto plain = arrayOf(dtype, {0x1p-130, 0x1p-120});
            return firstExcess({plain, &precise, &bounds}, arrayOf(dtype, actual), Tolerance{.relative = 0});
        };
        QVERIFY(!excessOf(ir::DataType::bfloat16(), {0, 0x1p-120}));
        QVERIFY(excessOf(ir::DataType::bfloat16(), {0x1p-130, 0}));
        QVERIFY(excessOf(ir::DataType::float32(), {0, 0x1p-120}));
    }

    /// Elements whose bound is infinite may be anything; those that are no numbers are what they are.
    void elementsThatTellNothingAreLeftOut()
    {
        constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
        const auto wide = ir::DataType::float_(64);
        const auto plain = arrayOf(half, {1, nan, infinity, nan, infinity});
        const auto precise = arrayOf(wide, {1, nan, infinity, 7, 70000});
        const auto bounds = arrayOf(wide, {infinity, 0, 0, 0, 1});
        const Expected expected{plain, &precise, &bounds};
        const Tolerance none{.relative = 0, .absolute = 0, .terms = 1};
        QVERIFY(!firstExcess(expected, arrayOf(half, {5, nan, infinity, infinity, infinity}), none));
        // Where the reference overflowed on the way a finite number is right if it is near alone.
        QVERIFY(!firstExcess(expected, arrayOf(half, {5, nan, infinity, 7.03, infinity}), none));
        QCOMPARE(firstExcess(expected, arrayOf(half, {5, nan, infinity, 3, infinity}), none)->index, 3);
        QCOMPARE(firstExcess(expected, arrayOf(half, {5, 0, infinity, 3, infinity}), none)->index, 1);
        QCOMPARE(firstExcess(expected, arrayOf(half, {5, nan, 0, 3, infinity}), none)->index, 2);
        const Telling telling = tellingOf(expected);
        QCOMPARE(telling.elements, 5);
        QCOMPARE(telling.told, 2);
        QVERIFY(!telling.allEqual);
        QVERIFY(telling.tells());
        const auto overflown = arrayOf(half, {infinity, nan}), large = arrayOf(wide, {70000, 5}),
                   exact = arrayOf(wide, {0, 0});
        QVERIFY(!tellingOf({overflown, &large, &exact}).tells());
        QVERIFY(Telling{}.tells()); // there is nothing to be told
        // Another order of a sum may not overflow, and cancels what is as large as the type's numbers.
        const auto ofSum = [&](double got) {
            return firstExcess(expected, arrayOf(half, {5, nan, infinity, got, infinity}), {0, 0, 9});
        };
        QVERIFY(!ofSum(7 + 4 * 8 * 0x1p-11 * 60000));
        QVERIFY(ofSum(7 + 4 * 8 * 0x1p-11 * 70000));
        QVERIFY(ofSum(-2000));
    }

    /// Beyond the digits of double precision.
    void largeIntegersAreComparedExactly()
    {
        const auto type = ir::DataType::int64();
        ir::NdArray a(type, {1}), b(type, {1});
        a.data<std::int64_t>()[0] = (std::int64_t{1} << 60) + 1;
        b.data<std::int64_t>()[0] = std::int64_t{1} << 60;
        QVERIFY(firstExcess({a}, b, {}));
    }

    void infinityAndNaNAreNotRounding()
    {
        const double infinity = std::numeric_limits<double>::infinity();
        const auto e = arrayOf(half, {1, infinity, std::nan("")});
        QVERIFY(!firstExcess({e}, e, {}));
        QVERIFY(firstExcess({e}, arrayOf(half, {1, 60000, std::nan("")}), {}));
        QVERIFY(firstExcess({e}, arrayOf(half, {1, infinity, 0}), {}));
        QVERIFY(firstExcess({e}, arrayOf(half, {std::nan(""), infinity, std::nan("")}), {}));
    }

    /// The tolerance follows the size of all lanes, and the element is named, not the lane.
    void vectorsAreComparedWhole()
    {
        ir::NdArray right(single.withLanes(4), {2}), near = right, wrong = right;
        for (std::int64_t i = 0; i < 8; ++i) {
            for (ir::NdArray *each : {&right, &near, &wrong})
                each->set(i, i < 2 ? 0 : 1000);
        }
        near.set(0, 1e-3);
        wrong.set(6, 2000);
        QVERIFY(!firstExcess({right}, near, {.relative = 1e-5, .terms = 256}));
        const auto excess = firstExcess({right}, wrong, {.relative = 1e-5, .terms = 256});
        QVERIFY(excess);
        QCOMPARE(excess->index, 1);
    }

    void theWorstElementIsNamed()
    {
        const double infinity = std::numeric_limits<double>::infinity();
        QCOMPARE(describe({.expected = 1, .actual = infinity}, "C", half, {}),
                 std::string("wrong result: 'C' is inf, but the unscheduled program gives 1"));
        QCOMPARE(describe({.expected = infinity, .actual = 1}, "C", half, {}),
                 std::string("wrong result: 'C' is 1, but the unscheduled program gives inf"));
        QCOMPARE(describe({.expected = 2, .actual = 1}, "C", ir::DataType::int32(), {}),
                 std::string("wrong result: 'C' is 1, but the unscheduled program gives 2"));
        QVERIFY(describe({.expected = 2, .actual = 1}, "C", half, {}).contains("sums of 1 term allows"));
        const auto a = arrayOf(single, {1, 1, 1, 1}), b = arrayOf(single, {1, 1.5, 9, 1.1});
        QCOMPARE(firstExcess({a}, b, {})->index, 2);
        // The first of those that are off by the same.
        QCOMPARE(firstExcess({a}, arrayOf(single, {1, 9, 9, 9}), {})->index, 1);
        QCOMPARE(elementIndices(7, {2, 3, 2}), std::string("[1, 0, 1]"));
        QCOMPARE(elementIndices(0, {}), std::string("[]"));
    }
};

QTEST_GUILESS_MAIN(ComparisonTest)
#include "comparison_test.moc"
