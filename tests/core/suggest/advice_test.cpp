// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/apply.h"
#include "core/suggest/advice.h"
#include "tests/core/suggest/nests.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using suggest::Finding;
using tests::idOf;
using tests::nestOf;

namespace {

/// One assignment in loops i0, i1, … of these extents, whose axes are v0, v1, ….
suggest::LoopNest loops(const std::vector<int> &extents, const std::string &value = "A[0] + T.float32(1)",
                        const std::string &target = "B[v0]")
{
    std::string text = "@T.prim_func\ndef main(A: T.Buffer((4096,), \"float32\"), B: T.Buffer((4096,), "
                       "\"float32\")):\n";
    std::string indent = "    ";
    for (std::size_t i = 0; i < extents.size(); ++i) {
        text += std::format("{}for i{} in range({}):\n", indent, i, extents[i]);
        indent += "    ";
    }
    text += indent + "with T.block(\"B\"):\n";
    for (std::size_t i = 0; i < extents.size(); ++i)
        text += std::format("{}    v{} = T.axis.spatial({}, i{})\n", indent, i, extents[i], i);
    text += indent + "    " + target + " = " + value + "\n";
    return nestOf(schedule::makeState(tests::parsed(text)).value());
}

lower::Target c()
{
    lower::Target target;
    target.kind = lower::TargetKind::C;
    return target;
}

QString actionOn(const suggest::LoopNest &nest, int threads = 1)
{
    const auto advice = suggest::adviceFor(nest, c(), threads, {});
    return advice ? QString::fromStdString(advice->title + ": " + advice->action) : QString();
}

} // namespace

class AdviceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Nothing is advised that is refused, nor where no loop can be moved.
    void aReductionThatCannotBeMovedIsNot()
    {
        const auto program = [](const char *loops, const char *axes) {
            return nestOf(schedule::makeState(tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64,), "float32")):
    {}
            with T.block("B"):
                {}
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]
)",
                                                                        loops, axes)))
                              .value());
        };
        const char *both = "vi, vk = T.axis.remap(\"SR\", [i, k])";
        QVERIFY(actionOn(program("for i in range(64):\n        for k in range(64):", both))
                    .contains("Reorder i innermost"));
        QVERIFY(!actionOn(program("for i in range(64):\n        for k in range(i + 1):", both))
                     .contains("Reorder"));
        QVERIFY(!actionOn(program("if True:\n        for k in range(64):",
                                  "vi = T.axis.spatial(64, 0)\n                vk = T.axis.reduce(64, k)"))
                     .contains("Reorder"));
    }

    void adviceLeadsToAQuickProgram()
    {
        suggest::LoopNest nest = nestOf("matmul");
        QStringList taken;
        while (const auto advice = suggest::adviceFor(nest, {}, 2, {})) {
            taken << QString::fromStdString(advice->action);
            nest = nestOf(schedule::apply(nest.state(), advice->step).value().state);
            QVERIFY(taken.size() < 10);
        }
        // With j innermost the machine code has vectors already.
        QCOMPARE(taken,
                 QStringList({QStringLiteral("Reorder j innermost"), QStringLiteral("Run i in parallel")}));
        QVERIFY(!suggest::adviceFor(nestOf("symbolic"), {}, 1, {})); // nothing is known of its sizes
        // Where nothing tells, the loops do.
        nest = nestOf("matmul");
        taken.clear();
        lower::Target c;
        c.kind = lower::TargetKind::C;
        while (const auto advice = suggest::adviceFor(nest, c, 2, {})) {
            taken << QString::fromStdString(advice->action);
            nest = nestOf(schedule::apply(nest.state(), advice->step).value().state);
            QVERIFY(taken.size() < 10);
        }
        QCOMPARE(taken, QStringList({QStringLiteral("Reorder j innermost"), QStringLiteral("Split j by 32"),
                                     QStringLiteral("Vectorize j_1"), QStringLiteral("Run i in parallel")}));
    }

    void vectorsHave64ElementsAtMost()
    {
        QCOMPARE(actionOn(loops({2})), "i0 computes one element at a time: Vectorize i0");
        QCOMPARE(actionOn(loops({64})), "i0 computes one element at a time: Vectorize i0");
        QCOMPARE(actionOn(loops({65})), "i0 is too long for a vector: Split i0 by 32");
        QCOMPARE(actionOn(loops({1})), ""); // one turn is none to speed up
        QCOMPARE(actionOn(loops({8, 1})), "");
    }

    void onlyLegalStepsAreAdvised()
    {
        // An element needs the one before it, so that no two can be computed at once.
        const suggest::LoopNest running = loops({16}, "B[v0] + A[v0]", "B[v0 + 1]");
        const auto step = schedule::makeStep("vectorize", {{"loop", idOf(running, "i0")}});
        QVERIFY(step && !schedule::check(running.state(), *step));
        QCOMPARE(actionOn(running, 4), "");
    }

    void severalThreadsShareTheOutermostLoop()
    {
        suggest::LoopNest nest = loops({8, 4}, "A[v0] + T.float32(1)", "B[v0 * 4 + v1]");
        QCOMPARE(actionOn(nest, 2), "i1 computes one element at a time: Vectorize i1");
        nest =
            nestOf(schedule::apply(nest.state(), suggest::adviceFor(nest, c(), 2, {})->step).value().state);
        QCOMPARE(actionOn(nest, 2), "Only one of 2 threads works: Run i0 in parallel");
        QCOMPARE(actionOn(nest, 1), "");
        nest =
            nestOf(schedule::apply(nest.state(), suggest::adviceFor(nest, c(), 2, {})->step).value().state);
        QCOMPARE(actionOn(nest, 2), "");
    }

    /// A loop of one turn shares nothing out.
    void threadsShareALoopOfSeveralTurns()
    {
        suggest::LoopNest nest = loops({1, 8, 4}, "A[v1] + T.float32(1)", "B[v1 * 4 + v2]");
        nest =
            nestOf(schedule::apply(nest.state(), suggest::adviceFor(nest, c(), 2, {})->step).value().state);
        QCOMPARE(actionOn(nest, 2), "Only one of 2 threads works: Run i1 in parallel");
    }

    void nothingIsAdvisedWithoutLoopsOrOnceStopped()
    {
        QCOMPARE(actionOn(loops({}, "A[1]", "B[0]"), 4), "");
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!suggest::adviceFor(nestOf("matmul"), c(), 2, stop.get_token()));
    }

    void theFindingNamesItsLoop()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        const auto advice = suggest::adviceFor(nest, c(), 2, {});
        QCOMPARE(advice->finding, Finding::ReductionInnermost);
        QCOMPARE(advice->loop, idOf(nest, "k"));
        QCOMPARE(advice->title, "k is a reduction: its iterations wait for each other");
    }
};

QTEST_APPLESS_MAIN(AdviceTest)
#include "advice_test.moc"
