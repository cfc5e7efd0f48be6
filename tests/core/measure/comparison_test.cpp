// SPDX-License-Identifier: Apache-2.0
// The difference allowed between two orders of the same sum.
#include "core/measure/comparison.h"

#include "core/measure/double_precision.h"
#include "tests/support/programs.h"

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
        QVERIFY(!firstExcess(a, a, {}));
        const auto excess = firstExcess(a, b, {.relative = 1, .absolute = 1, .terms = 1000});
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
        QVERIFY(!firstExcess(arrayOf(half, right), arrayOf(half, near), {.relative = 1e-5}));
        QVERIFY(firstExcess(arrayOf(single, right), arrayOf(single, near), {.relative = 1e-5}));
    }

    /// Where terms cancel, an element may be far off in proportion to itself.
    void theBoundFollowsTheLengthOfTheSum()
    {
        const auto right = arrayOf(half, {16, -16, 0.01}), near = arrayOf(half, {16, -16, 0.2});
        QVERIFY(firstExcess(right, near, {.relative = 1e-5, .terms = 4}));
        QVERIFY(!firstExcess(right, near, {.relative = 1e-5, .terms = 256}));
    }

    void doublePrecisionSaysHowFarRoundingLeads()
    {
        // The reference itself is off by 0.25 in one element, so that others may be off by some times that.
        const auto expected = arrayOf(half, {100.25, 50, 25}), actual = arrayOf(half, {100, 50.5, 25});
        const auto precise = arrayOf(ir::DataType::float_(64), {100, 50, 25});
        QVERIFY(firstExcess(expected, actual, {.relative = 1e-5}));
        QVERIFY(!firstExcess(expected, actual, {.relative = 1e-5}, &precise));
        const auto wrong = arrayOf(half, {100, 50, 30});
        const auto excess = firstExcess(expected, wrong, {.relative = 1e-5, .terms = 12}, &precise);
        QVERIFY(excess);
        QCOMPARE(excess->index, 2);
        QCOMPARE(excess->referenceError, 0.25);
        const std::string text = describe(*excess, "C[2]", half, {.terms = 12});
        for (const char *word : {"'C[2]' is 30", "gives 25", "double precision 25", "off by 5", "float16",
                                 "sums of 12 terms", "allows 1", "itself is off by up to 0.25"})
            QVERIFY2(text.contains(word), text.c_str());
    }

    void infinityAndNaNAreNotRounding()
    {
        const double infinity = std::numeric_limits<double>::infinity();
        const auto e = arrayOf(half, {1, infinity, std::nan("")});
        QVERIFY(!firstExcess(e, e, {}));
        QVERIFY(firstExcess(e, arrayOf(half, {1, 60000, std::nan("")}), {}));
        QVERIFY(firstExcess(e, arrayOf(half, {1, infinity, 0}), {}));
        QVERIFY(firstExcess(e, arrayOf(half, {std::nan(""), infinity, std::nan("")}), {}));
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
        QVERIFY(!firstExcess(right, near, {.relative = 1e-5, .terms = 256}));
        const auto excess = firstExcess(right, wrong, {.relative = 1e-5, .terms = 256});
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
        QCOMPARE(firstExcess(a, b, {})->index, 2);
        // The first of those that are off by the same.
        QCOMPARE(firstExcess(a, arrayOf(single, {1, 9, 9, 9}), {})->index, 1);
        QCOMPARE(elementIndices(7, {2, 3, 2}), std::string("[1, 0, 1]"));
        QCOMPARE(elementIndices(0, {}), std::string("[]"));
    }

    void aProgramIsMadeDouble()
    {
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8, 32), "float16"), I: T.Buffer((8,), "int32"), B: T.Buffer((8,), "float16")):
    for i, k in T.grid(8, 32):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float16(0)
            B[vi] = B[vi] + T.exp(A[I[vi], vk])
)");
        const auto wide = inDoublePrecision(module, "main");
        QVERIFY(wide);
        const ir::PrimFunc &function = *wide->find("main");
        QVERIFY(function.params[0].buffer.dtype() == ir::DataType::float_(64));
        QVERIFY(function.params[1].buffer.dtype() == ir::DataType::int32());
        QVERIFY(function.params[2].buffer.dtype() == ir::DataType::float_(64));
        QCOMPARE(longestReduction(*module.find("main"), {}), 32);
        // Bits of a float are no number that could be more precise.
        const ir::Module bits = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = T.reinterpret("int32", A[vi])
)");
        QVERIFY(!inDoublePrecision(bits, "main"));
    }
};

QTEST_GUILESS_MAIN(ComparisonTest)
#include "comparison_test.moc"
