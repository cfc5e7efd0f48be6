// SPDX-License-Identifier: Apache-2.0
/// The shrinker that makes failures of the random tests small, on planted failures.
#include "tests/support/shrink.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/script/print/printer.h"
#include "tests/support/check_primitive.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;
using schedule::ScriptRun;
using schedule::State;

namespace {

/// Three blocks; only the sum matters to the planted failure.
constexpr const char *program = R"(
@T.prim_func
def main(A: T.Buffer((12, 9), "float32"), C: T.Buffer((12,), "float32")):
    B = T.alloc_buffer((12, 9))
    S = T.alloc_buffer((12,))
    for i, j in T.grid(12, 9):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
    for i, k in T.grid(12, 9):
        with T.block("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + B[vi, vk]
    for i in range(12):
        with T.block("C"):
            vi = T.axis.spatial(12, i)
            C[vi] = S[vi] * T.float32(2)
)";

constexpr const char *script = R"(def apply_trace(sch):
  b0 = sch.get_block(name="B")
  l1, l2 = sch.get_loops(block=b0)
  l3, l4 = sch.split(loop=l1, factors=[None, 4])
  b5 = sch.get_block(name="S")
  l6, l7 = sch.get_loops(block=b5)
  l8, l9 = sch.split(loop=l7, factors=[None, 3])
  l10 = sch.fuse(l8, l9)
  l11, l12 = sch.split(loop=l10, factors=[None, 3])
  b13 = sch.get_block(name="C")
  sch.parallel(loop=sch.get_loops(block=b13)[0])
)";

bool has(const ScriptRun &run, std::string_view primitive)
{
    return std::ranges::any_of(run.steps, [&](const auto &s) { return s.step.primitive->name == primitive; });
}

std::size_t changes(const ScriptRun &run)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(run.steps, [](const auto &s) { return !s.step.primitive->isQuery; }));
}

/// Numbers of the blocks and of the elements of all parameters.
std::pair<int, int> sizeOf(const State &state)
{
    const ir::PrimFunc &function = *state.module.mainEntry()->function;
    int blocks = -1, elements = 0; // the root is one
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        blocks += s.as<ir::Block>() != nullptr;
        return true;
    });
    for (const ir::Param &param : function.params) {
        int own = 1;
        for (const ir::Expr &extent : param.buffer.shape())
            own *= static_cast<int>(*ir::asInt(extent));
        elements += own;
    }
    return {blocks, elements};
}

/// Says that a run that fuses loops is wrong.
Judge fusingIsWrong()
{
    return [](const State &, const ScriptRun &run) {
        return has(run, "fuse") ? "'S' differs at element 7 [planted.fuse]" : std::string();
    };
}

Failure failureOf(const Judge &judge)
{
    const State initial = scheduled(program);
    const auto run = schedule::runScheduleScript(initial, script, "planted.py");
    if (!run)
        qFatal("%s", run.error().render().c_str());
    return {initial, script, judge(initial, *run)};
}

} // namespace

class ShrinkFuzzTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void toTheStepAndWhatItNeeds()
    {
        const Judge judge = fusingIsWrong();
        const Failure small = shrunk(failureOf(judge), judge);
        const auto run = schedule::runScheduleScript(small.initial, small.script, "small.py");
        QVERIFY(run);
        QVERIFY(!judge(small.initial, *run).empty());
        QCOMPARE(changes(*run), 2U); // the fusion, and the split that makes its loops
        QVERIFY(!small.script.contains("parallel"));
        const auto [blocks, elements] = sizeOf(small.initial);
        QCOMPARE(blocks, 1);
        QVERIFY2(elements <= 4, report(small, "small").c_str());
    }

    /// Another failure on the way is not taken for this one.
    void keepsTheKindOfFailure()
    {
        const Judge judge = [](const State &initial, const ScriptRun &run) -> std::string {
            if (sizeOf(initial).first < 2)
                return "too small [planted.other]";
            return has(run, "fuse") ? "wrong [planted.fuse]" : "no fusion [planted.other]";
        };
        const Failure small = shrunk(failureOf(judge), judge);
        QCOMPARE(small.why, std::string("wrong [planted.fuse]"));
        QCOMPARE(sizeOf(small.initial).first, 2);
    }

    /// A failure that cannot be shrunk stays as it is.
    void nothingToLeaveOut()
    {
        const Judge judge = [](const State &initial, const ScriptRun &run) -> std::string {
            return changes(run) == 5 && sizeOf(initial) == std::pair(3, 12 * 9 + 12) ? "wrong" : "";
        };
        const Failure failure = failureOf(judge), small = shrunk(failure, judge);
        QCOMPARE(small.script, failure.script);
        QVERIFY(small.initial.module.same(failure.initial.module));
    }

    void writesBothFiles()
    {
        QTemporaryDir folder;
        qputenv("NESTWRIGHT_FUZZ_OUT", folder.filePath("out").toUtf8());
        const Judge judge = fusingIsWrong();
        const Failure failure = failureOf(judge);
        const std::string text = report(failure, "seed_1");
        qunsetenv("NESTWRIGHT_FUZZ_OUT");
        QVERIFY(text.contains("seed_1.py"));
        QFile module(folder.filePath("out/seed_1.py")), schedule(folder.filePath("out/seed_1_schedule.py"));
        QVERIFY(module.open(QIODevice::ReadOnly) && schedule.open(QIODevice::ReadOnly));
        QCOMPARE(module.readAll().toStdString(), script::print(failure.initial.module).text);
        QCOMPARE(schedule.readAll().toStdString(), failure.script);
        QVERIFY(!report(failure, "seed_1").contains("written"));
    }
};

QTEST_GUILESS_MAIN(ShrinkFuzzTest)
#include "shrink_fuzz_test.moc"
