// SPDX-License-Identifier: Apache-2.0
// Times of single blocks, counted by hand: what is in vectors, in registers, and how often sums are moved.
#include "core/explore/predict/unit_time.h"

#include "core/schedule/script/reader.h"
#include "core/schedule/state_index.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using namespace nestwright::explore;
using ir::ForKind;

namespace {

struct Case {
    std::string program, script;
    std::string reductions{}; ///< 'R' for each loop that is one, 'A' for one whose terms may be reordered
    int vectorized = -1;      ///< a loop that is taken for a vectorized one
};

/// In vectors of 16 floats.
UnitTime timeOf(const Case &each)
{
    const auto initial = schedule::makeState(tests::parsed(each.program));
    const auto run = schedule::runScheduleScript(
        *initial, "def apply_trace(sch):\n" + each.script + "  pass\n", "test.py");
    if (!run)
        qFatal("%s", run.error().render().c_str());
    const analysis::FunctionIndex &index = *run->state.index->function("main");
    ir::StmtId block;
    for (const ir::StmtId id : index.all())
        block = index.block(id) ? id : block;
    std::vector<EnclosingLoop> loops;
    for (const ir::StmtId id : index.loopsOf(block)) {
        const auto i = loops.size();
        const char letter = i < each.reductions.size() ? each.reductions[i] : ' ';
        const bool isVector = static_cast<int>(i) == each.vectorized;
        loops.push_back({id, static_cast<double>(*ir::asInt(index.loop(id)->extent)),
                         isVector ? ForKind::Vectorized : index.loop(id)->forKind, letter != ' ',
                         letter == 'A'});
    }
    return unitTimeOf(index, block, loops, {.vectors = {.bytes = 64}, .threads = 1, .flops = 32e9});
}

std::string matmul(int n)
{
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer(({0}, {0})), B: T.Buffer(({0}, {0})), C: T.Buffer(({0}, {0}))):
    for i, j, k in T.grid({0}, {0}, {0}):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)",
                       n);
}

/// Each number of a matrix twice; where the condition holds.
std::string doubled(int rows, int columns, const std::string &condition = "True")
{
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer(({0}, {1})), B: T.Buffer(({0}, {1}))):
    for i, j in T.grid({0}, {1}):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where({2})
            B[vi, vj] = A[vi, vj] * T.float32(2)
)",
                       rows, columns, condition);
}

const std::string loops = "  i, j, k = sch.get_loops(sch.get_block(\"C\"))\n";
const std::string rows = loops + "  sch.reorder(i, k, j)\n";

} // namespace

class UnitTimeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void times_data()
    {
        QTest::addColumn<Case>("each");
        QTest::addColumn<double>("computing");
        QTest::addColumn<double>("loading");
        QTest::addColumn<double>("inLoops");
        QTest::addColumn<bool>("waits");
        // Four vectors of a row that find no register: a load of A, of B four, sums fetched and put back.
        QTest::newRow("rows of sums") << Case{matmul(64), rows, " R "} << 4. * 4096
                                      << (1. + 4 + 4 * 3) * 4096 + 4 * 3 * 64 << 5. * 4096 << false;
        QTest::newRow("rows of sums that begin elsewhere")
            << Case{matmul(64), rows + "  sch.decompose_reduction(\"C\", i)\n", " R "} << 4. * 4096
            << (1. + 4 + 4 * 3) * 4096 + 4 * 3 * 64 << 5. * 4096 << false;
        QTest::newRow("short rows of sums")
            << Case{matmul(8), rows, " R "} << 64. << 2. * 64 + 3 * 8 << 64. << false;
        // One sum at a time, of which two begin before the first is done.
        const double all = 64. * 64 * 64;
        QTest::newRow("one sum") << Case{matmul(64), "", "  R"} << 4 * all << 2 * all + 3 * 64 * 64 << all
                                 << true;
        QTest::newRow("vectors around a sum")
            << Case{matmul(64), "", "  R", 1} << 4 * all << 2 * all + 3 * 64 * 64 << all << true;
        QTest::newRow("terms in any order that lie apart")
            << Case{matmul(64), "", "  A"} << 4 * all << 2 * all + 3 * 64 * 64 << all << true;
        QTest::newRow("terms in any order") << Case{std::string(tests::programText("row_sum")), "", " A"}
                                            << 0.5 * 512 << 3. * 512 + 3 * 128 << 512. << false;
        // The vectors hold numbers that lie apart, one by one.
        QTest::newRow("vectors across rows")
            << Case{matmul(64), rows + "  sch.split(j, [4, 16])\n", " R", 2} << 16. * 4096
            << (1. + 64 + 64 * 3) * 4096 + 64 * 3 * 64 << 17. * 4096 << false;
        QTest::newRow("each by itself")
            << Case{doubled(128, 128), ""} << 0.5 * 16384 << 3. * 16384 << 16384. << false;
        QTest::newRow("all in registers") << Case{doubled(4, 8), ""} << 2. << 4. + 4 * 2 << 0. << false;
    }
    void times()
    {
        QFETCH(Case, each);
        QFETCH(double, computing);
        QFETCH(double, loading);
        QFETCH(double, inLoops);
        QFETCH(bool, waits);
        const UnitTime time = timeOf(each);
        QCOMPARE(time.computing, computing);
        QCOMPARE(time.loading, loading);
        QCOMPARE(time.loops, inLoops);
        QCOMPARE(time.waits, waits);
    }

    /// Of conditions those that end a loop early leave iterations out.
    void conditions()
    {
        const double all = timeOf({doubled(16, 16), ""}).loading;
        QCOMPARE(timeOf({doubled(16, 16, "i * 16 + j < 64"), ""}).loading, all / 4);
        QCOMPARE(timeOf({doubled(16, 16, "i * 16 + j + 64 < 160"), ""}).loading, all / 2);
        QCOMPARE(timeOf({doubled(16, 16, "i * 16 + j < 512"), ""}).loading, all);
        QCOMPARE(timeOf({doubled(16, 16, "i * 16 + j > 64"), ""}).loading, all);
        QCOMPARE(timeOf({doubled(16, 16, "i * 16 + j >= 64"), ""}).loading, all);
    }
};

QTEST_APPLESS_MAIN(UnitTimeTest)
#include "unit_time_test.moc"
