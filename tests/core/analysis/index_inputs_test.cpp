// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/index_inputs.h"

#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using analysis::IndexRange;

namespace {

std::map<std::size_t, IndexRange> rangesOf(const char *text,
                                           const std::map<std::string, std::int64_t> &sizes = {})
{
    return analysis::indexInputs(*tests::parsed(text).mainEntry()->function, sizes);
}

} // namespace

class IndexInputsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aGatherTakesRowsThatThereAre()
    {
        const auto ranges = rangesOf(R"(
@T.prim_func
def main(A: T.Buffer((100, 4), "float32"), I: T.Buffer((8,), "int32"), B: T.Buffer((8, 4), "float32")):
    for i, j in T.grid(8, 4):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[I[vi], vj]
)");
        QCOMPARE(ranges.size(), 1UL);
        QVERIFY((ranges.at(1) == IndexRange{0, 99}));
    }

    void offsetsAndFactorsCount()
    {
        const auto ranges = rangesOf(R"(
@T.prim_func
def main(A: T.Buffer((100,), "float32"), I: T.Buffer((8,), "int64"), J: T.Buffer((8,), "uint8"),
         B: T.Buffer((8, 3), "float32")):
    for i, j in T.grid(8, 3):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = (A[I[vi] * T.int64(10) + T.Cast("int64", vj) - T.int64(5)]
                         + A[99 - T.Cast("int32", J[vi]) - vj])
)");
        QVERIFY((ranges.at(1) == IndexRange{1, 10})); // 10 * 1 - 5 ... 10 * 10 + 2 - 5
        QVERIFY((ranges.at(2) == IndexRange{0, 97}));
    }

    void valuesAreFollowedThroughArrays()
    {
        const auto ranges = rangesOf(R"(
@T.prim_func
def main(A: T.Buffer((50,), "float32"), I: T.Buffer((8,), "int32"), B: T.Buffer((8,), "float32")):
    J = T.alloc_buffer((8,), "int32")
    for i in range(8):
        with T.block("J"):
            vi = T.axis.spatial(8, i)
            J[vi] = I[vi] + 7
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[J[vi]]
)");
        QVERIFY((ranges.at(1) == IndexRange{-7, 42}));
    }

    void placesFromTheEndAreNotNeeded()
    {
        const auto ranges = rangesOf(R"(
@T.prim_func
def main(A: T.Buffer((50,), "float32"), I: T.Buffer((8,), "int32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[T.if_then_else(I[vi] < 0, I[vi] + 50, I[vi])]
)");
        QVERIFY((ranges.at(1) == IndexRange{0, 49}));
    }

    /// Indices clipped by the program itself may be anything.
    void clippedIndicesAreFree()
    {
        QVERIFY(rangesOf(R"(
@T.prim_func
def main(A: T.Buffer((50,), "float32"), I: T.Buffer((8,), "int32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[T.min(T.max(I[vi], 0), 49)]
)")
                    .empty());
    }

    void theStrictestUseCounts()
    {
        const auto ranges = rangesOf(R"(
@T.prim_func
def main(A: T.Buffer((50,), "float32"), C: T.Buffer((20,), "float32"), I: T.Buffer((8,), "int32"),
         B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[I[vi]] + C[I[vi]]
)");
        QVERIFY((ranges.at(2) == IndexRange{0, 19}));
    }

    /// The values that a single index expression over A (50 elements), with i and j from 0 to 7, allows I to
    /// hold.
    void indexExpressions_data()
    {
        QTest::addColumn<QString>("index");
        QTest::addColumn<QString>("range"); // empty: not bounded
        const auto row = [](const char *index, const char *range) { QTest::newRow(index) << index << range; };
        row("I[vi]", "0..49");
        row("I[vi] * 0", "");
        row("I[vi] * n", "");
        row("I[vi] * 7", "0..7");
        row("I[vi] * -7", "-7..0");
        row("49 - I[vi]", "0..49");
        row("I[vi] + vj", "0..42");
        row("I[vi] - vj", "7..49");
        row("I[vi] + I[vj]", "");
        row("I[vi] // 2", "");
        row("T.likely(I[vi])", "0..49");
        row("T.Select(vi < 4, I[vi] + 3, I[vi])", "0..49");
        row("T.Select(vi < 4, I[vi], I[vi] + 3)", "0..49");
        row("T.Select(vi < 4, I[vi] + 3, I[vi] + 4)", "-3..46");
        row("T.Select(vi < 4, I[vi] + 3, vi)", "-3..46");
        row("T.Select(vi < 4, vi, I[vi] + 3)", "-3..46");
        row("T.cast(F[vi], \"int32\")", "");
    }
    void indexExpressions()
    {
        QFETCH(QString, index);
        QFETCH(QString, range);
        const auto ranges = rangesOf((R"(
@T.prim_func
def main(I: T.Buffer((8,), "int32"), A: T.Buffer((50,), "float32"), F: T.Buffer((8,), "float32"),
         B: T.Buffer((8, 8), "float32"), n: T.int32):
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[)" + index.toStdString()
                                      + "]\n")
                                         .c_str());
        const auto found = ranges.find(0);
        QCOMPARE(found == ranges.end() ? QString()
                                       : QString("%1..%2").arg(found->second.low).arg(found->second.high),
                 range);
        QCOMPARE(ranges.size(), range.isEmpty() ? 0U : 1U); // arrays of other values are not bounded
    }

    /// One value that all uses allow is enough; where there is none, the first use counts.
    void usesMeetInOneValue()
    {
        const auto rangeOf = [](const std::string &offset) {
            return rangesOf((R"(
@T.prim_func
def main(A: T.Buffer((50,), "float32"), C: T.Buffer((20,), "float32"), I: T.Buffer((8,), "int32"),
         B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[I[vi]] + C[I[vi] - )"
                             + offset + "]\n")
                                .c_str())
                .at(2);
        };
        QVERIFY((rangeOf("49") == IndexRange{49, 49}));
        QVERIFY((rangeOf("50") == IndexRange{0, 49}));
        const auto single = rangesOf(R"(
@T.prim_func
def main(A: T.Buffer((1,), "float32"), I: T.Buffer((8,), "int32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[I[vi]]
)");
        QVERIFY((single.at(1) == IndexRange{0, 0}));
    }

    void sizesAreTaken()
    {
        const char *text = R"(
@T.prim_func
def main(a: T.handle, I: T.Buffer((8,), "int32"), B: T.Buffer((8,), "float32")):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[I[vi]]
)";
        QVERIFY((rangesOf(text, {{"n", 30}}).at(1) == IndexRange{0, 29}));
        QVERIFY(rangesOf(text).empty());
        QVERIFY((rangesOf(R"(
@T.prim_func
def main(a: T.handle, I: T.Buffer((8,), "int32"), B: T.Buffer((8,), "float32")):
    n = T.int32()
    A = T.match_buffer(a, (n * 2 + 1,), "float32")
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[I[vi]]
)",
                          {{"n", 30}})
                     .at(1)
                 == IndexRange{0, 60}));
    }

    /// The rows of a sparse matrix follow each other.
    void rowPointersAreInOrder()
    {
        const auto ranges = rangesOf(R"(
@T.prim_func
def main(data: T.Buffer((40,), "float32"), ptr: T.Buffer((9,), "int32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = T.float32(0)
            for j in range(ptr[vi + 1] - ptr[vi]):
                B[vi] = B[vi] + data[ptr[vi] + j]
)");
        QVERIFY(ranges.contains(1));
        QVERIFY(ranges.at(1).isAscending);
        QCOMPARE(ranges.at(1).low, 0);
        QCOMPARE(ranges.at(1).high, 40);
        // Lengths that are the difference of other arrays do not put these in order.
        const auto others = rangesOf(R"(
@T.prim_func
def main(data: T.Buffer((40,), "float32"), first: T.Buffer((9,), "int32"), last: T.Buffer((9,), "int32"),
         B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = T.float32(0)
            for j in range(last[vi] - first[vi]):
                B[vi] = B[vi] + data[first[vi] + j] + data[last[vi] + j]
)");
        QVERIFY(!others.at(1).isAscending);
        QVERIFY(!others.at(2).isAscending);
    }
};

QTEST_GUILESS_MAIN(IndexInputsTest)
#include "index_inputs_test.moc"
