// SPDX-License-Identifier: Apache-2.0
// Runs that are kept step by step, and programs of smaller sizes.
#include "core/explore/trace/replay.h"

#include "core/explore/trace/reduced_sizes.h"
#include "core/schedule/script/reader.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::explore;

namespace {

const target::Target target = *target::parseTarget("llvm");
const std::vector<target::MemoryLevel> levels{{"L1", 1024, 2, 64}, {"L2", 1 << 16, 8, 64}};

Replay recorded(const ir::Module &module, std::int64_t most = mostReplayed)
{
    const auto function = traceableFunction(module, target);
    auto replay = recordReplay(**function, levels, most);
    if (!replay)
        qFatal("%s", replay.error().render().c_str());
    return *std::move(replay);
}

StepPath pathOf(std::string_view program, const std::string &script)
{
    const auto root = schedule::makeState(tests::program(program));
    const auto run = schedule::runScheduleScript(*root, "def apply_trace(sch):\n" + script, "test.py");
    if (!run)
        qFatal("%s", run.error().render().c_str());
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &each : run->steps)
        steps.push_back(each.step);
    return *StepPath::along(*root, steps);
}

const std::string tiled = "  b = sch.get_block(\"C\")\n  i, j, k = sch.get_loops(b)\n"
                          "  i0, i1 = sch.split(i, [None, 8])\n  sch.reorder(i0, j, k, i1)\n";

} // namespace

class ReplayTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A step is an iteration of the innermost loop.
    void steps()
    {
        const Replay replay = recorded(tests::program("matmul_small")); // 4 × 6 × 8
        QVERIFY(replay.isWhole);
        QCOMPARE(replay.stepCount(), std::size_t{4 * 6 * 8});
        QCOMPARE(replay.accessesOf(0).size(), std::size_t{5}); // with the 0 that it begins with
        QCOMPARE(replay.accessesOf(1).size(), std::size_t{4});
        QCOMPARE(replay.tables.loops.size(), std::size_t{3});
        QCOMPARE(replay.valueOf(0, 50), std::optional<std::int64_t>(1));
        QCOMPARE(replay.valueOf(1, 50), std::optional<std::int64_t>(0));
        QCOMPARE(replay.valueOf(2, 50), std::optional<std::int64_t>(2));
    }

    void alongALoop()
    {
        const Replay replay = recorded(tests::program("matmul_small"));
        QCOMPARE(replay.iterationFrom(1, 0, false), std::size_t{8});
        QCOMPARE(replay.iterationFrom(1, 9, false), std::size_t{16});
        QCOMPARE(replay.iterationFrom(0, 9, false), std::size_t{48});
        QCOMPARE(replay.iterationFrom(1, 9, true), std::size_t{8});
        QCOMPARE(replay.iterationFrom(1, 0, true), std::size_t{0});
        QCOMPARE(replay.iterationFrom(0, 190, false), std::size_t{191});
    }

    void rows()
    {
        const Replay replay = recorded(tests::program("matmul_small"));
        QStringList texts;
        for (const ReplayRow &row : replay.rows)
            texts << QString(row.depth, u' ') + QString::fromStdString(row.text);
        QCOMPARE(texts.size(), 6);
        QVERIFY(texts[0].startsWith("for i in 4") && texts[2].startsWith("  for k in 8"));
        QVERIFY(texts[3].startsWith("   if ") && texts[5].startsWith("   C[i, j] = C[i, j] + "));
        QCOMPARE(replay.rowAt(0), 5);
    }

    /// Going back gives what going there from the begin gives, and all counts are those of the whole run.
    void thereAndBack()
    {
        const auto replay = std::make_shared<const Replay>(recorded(tests::program("matmul"), 1'500'000));
        QVERIFY(!replay->isWhole);
        ReplayCursor cursor(replay), direct(replay);
        cursor.moveTo(replay->stepCount());
        std::int64_t all = 0;
        for (const LevelCounts &held : cursor.held())
            all += accessesOf(held);
        QCOMPARE(all, 1'500'000);
        for (const std::size_t place : {std::size_t{200'001}, std::size_t{77'000}, std::size_t{1}}) {
            cursor.moveTo(place);
            ReplayCursor anew(replay);
            anew.moveTo(place);
            QCOMPARE(cursor.position(), place);
            QVERIFY(cursor.held() == anew.held());
            for (std::size_t buffer = 0; buffer < replay->tables.buffers.size(); ++buffer)
                QVERIFY(std::ranges::equal(cursor.lastTouches(buffer), anew.lastTouches(buffer)));
        }
    }

    /// The same steps on a smaller program.
    void smallerPrograms()
    {
        const auto smaller = reduced(pathOf("matmul", tiled), 32);
        QVERIFY2(smaller.has_value(), smaller ? "" : smaller.error().render().c_str());
        QCOMPARE(smaller->sizes, (SizeMap{{128, 32}}));
        QCOMPARE(smaller->path.size(), std::size_t{2});
        const Replay replay = recorded(smaller->path.end().module);
        QVERIFY(replay.isWhole);
        QCOMPARE(replay.stepCount(), std::size_t{32 * 32 * 32});
        QCOMPARE(textOf(smaller->sizes), std::string("128 → 32"));
    }

    void smallOnesStay()
    {
        const auto same = reduced(pathOf("matmul_small", {"  pass\n"}), 64);
        QVERIFY(same.has_value());
        QVERIFY(same->sizes.empty());
    }

    /// Padding stays as wide as it is.
    void paddedSizes()
    {
        const auto smaller = reduced(pathOf("conv2d_pad", {"  pass\n"}), 10);
        QVERIFY2(smaller.has_value(), smaller ? "" : smaller.error().render().c_str());
        QCOMPARE(smaller->sizes.at(14) + 2, smaller->sizes.at(16));
    }

    void largeBuffers()
    {
        const ir::Module module = tests::parsed(R"(@T.prim_func
def main(A: T.Buffer((4200, 4000), "int8"), B: T.Buffer((4,), "int8")):
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            B[vi] = A[vi, 0]
)");
        const auto none = recordReplay(**traceableFunction(module, target), levels);
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("explore.too-many-elements"));
        QVERIFY(!none.error().hint.empty());
    }

    /// Steps that do not fit are told.
    void whatDoesNotHold()
    {
        const auto none = reduced(pathOf("predicate", {"  pass\n"}), 16);
        if (!none)
            QCOMPARE(none.error().code, std::string("explore.not-reducible"));
    }
};

QTEST_MAIN(ReplayTest)
#include "replay_test.moc"
