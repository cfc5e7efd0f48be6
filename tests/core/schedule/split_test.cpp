// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/printer.h"
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using namespace nestwright::tests;

class SplitTest : public QObject {
    Q_OBJECT

    static constexpr const char *filling = R"(
@T.prim_func
def main(A: T.Buffer((115,), "float32")):
    for i in range(115):
        with T.block("A"):
            vi = T.axis.spatial(115, i)
            A[vi] = T.float32(1)
)";

private Q_SLOTS:
    void factorsBeyondTheType()
    {
        const auto loopOf = [](const std::string &extent, const char *type) {
            return std::format(R"(
@T.prim_func
def main(C: T.Buffer((1,), "int64"), n: T.{0}):
    for k in range({1}):
        with T.block("C"):
            vk = T.axis.reduce({1}, k)
            with T.init():
                C[0] = T.int64(0)
            C[0] = C[0] + T.int64(1)
)",
                               type, extent);
        };
        const auto split = [](const std::string &factors) {
            return std::format("sch.split(sch.get_loops('C')[0], factors=[{}])", factors);
        };
        // They are too many to run.
        const auto refused = [&](const std::string &extent, const std::string &factors, const char *said) {
            const auto run =
                schedule::runAsFarAsLegal(scheduled(loopOf(extent, "int32")), split(factors), "s.py");
            return run.error && run.error->code == "schedule.too-many-iterations"
                   && run.error->message.contains(said);
        };
        QVERIFY(refused("2147483000", "None, 1024", "2147483648 times"));
        QVERIFY(refused("40", "None, 65536, 65536", "4294967296 times"));
        QVERIFY(refused("40", "2, 2147483647", "4294967294 times"));
        QVERIFY(refused("40", "None, 9223372036854775807, 9223372036854775807", "int32"));
        QVERIFY(refused("n", "None, 2147483647", "int32"));
        for (const char *factors : {"None, 2147483647", "1, 2147483647"}) { // too long to run
            const auto run =
                schedule::runScheduleScript(scheduled(loopOf("40", "int32")), split(factors), "s.py");
            QVERIFY(run);
            QVERIFY(script::print(run->state.module).text.contains("T.grid(1, 2147483647)"));
        }
        const schedule::State wide = scheduled(loopOf("T.int64(2147483000)", "int64"));
        const auto run = schedule::runScheduleScript(wide, split("None, 1024"), "s.py");
        QVERIFY(run);
        QVERIFY(script::print(run->state.module).text.contains("T.grid(T.int64(2097152), T.int64(1024))"));
    }

    void dividing()
    {
        checkPrimitive(chain, R"(
i, j = sch.get_loops("B")
sch.split(j, [None, 4])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i, j_0, j_1 in T.grid(10, 3, 4):
        with T.block("B"):
            vi = T.axis.spatial(10, i)
            vj = T.axis.spatial(12, j_0 * 4 + j_1)
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    void notDividingGetsPredicate()
    {
        checkPrimitive(chain, R"(
i, j = sch.get_loops("C")
sch.split(loop=j, factors=[None, 5])
sch.split(i, [3, 4])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i_0, i_1, j_0, j_1 in T.grid(3, 4, 3, 5):
        with T.block("C"):
            vi = T.axis.spatial(10, i_0 * 4 + i_1)
            vj = T.axis.spatial(12, j_0 * 5 + j_1)
            T.where(j_0 * 5 + j_1 < 12 and i_0 * 4 + i_1 < 10)
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    void severalFactors()
    {
        checkPrimitive(stencil, R"(
i, r = sch.get_loops(sch.get_block("C"))
sch.split(i, factors=[2, None, 4])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((18,))
    for i in range(18):
        with T.block("B"):
            vi = T.axis.spatial(18, i)
            B[vi] = T.if_then_else(vi >= 1 and vi < 17, A[vi - 1], T.float32(0))
    for i_0, i_1, i_2, r in T.grid(2, 2, 4, 3):
        with T.block("C"):
            vi = T.axis.spatial(16, i_0 * 8 + i_1 * 4 + i_2)
            vr = T.axis.reduce(3, r)
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + B[vi + vr]
)");
    }

    void unitIteratorsStayOrGo()
    {
        constexpr const char *before = R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = A[vi]
)";
        checkPrimitive(before, "i, = sch.get_loops('C')\nsch.split(i, [1, 16, 1])", R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i_0, i_1, i_2 in T.grid(1, 16, 1):
        with T.block("C"):
            vi = T.axis.spatial(16, i_0 * 16 + i_1 + i_2)
            C[vi] = A[vi]
)");
        checkPrimitive(before, "i, = sch.get_loops('C')\nsch.split(i, [1, 16, 1], preserve_unit_iters=False)",
                       R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i_0, i_1, i_2 in T.grid(1, 16, 1):
        with T.block("C"):
            vi = T.axis.spatial(16, i_1)
            C[vi] = A[vi]
)");
    }

    void symbolicLength()
    {
        checkPrimitive(symbolic, "i, = sch.get_loops('C')\nsch.split(i, [None, 4])", R"(
@T.prim_func
def main(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    C = T.match_buffer(c, (n,), "float32")
    B = T.alloc_buffer((n,))
    for i in range(n):
        with T.block("B"):
            vi = T.axis.spatial(n, i)
            B[vi] = A[vi] + T.float32(1)
    for i_0, i_1 in T.grid((n + 3) // 4, 4):
        with T.block("C"):
            vi = T.axis.spatial(n, i_0 * 4 + i_1)
            T.where(i_0 * 4 + i_1 < n)
            C[vi] = B[vi] * T.float32(2)
)");
    }

    void againAndFused()
    {
        checkSchedule(mmRelu, R"(
i, j, k = sch.get_loops("Y")
k0, k1 = sch.split(k, [None, 3])
k00, k01 = sch.split(k0, [2, 2])
f = sch.fuse(j, k00)
sch.split(f, [None, 5])
)");
    }

    void resultsAreNamedAndKept()
    {
        const schedule::State before = scheduled(chain);
        const auto run = schedule::runScheduleScript(
            before, "i, j = sch.get_loops('B')\na, b = sch.split(j, [None, 4])", "");
        QVERIFY(run);
        const schedule::ScriptStep &split = run->steps.back();
        const ir::StmtId old = *run->steps[1].outputs[1].as<ir::StmtId>();
        QCOMPARE(schedule::nameOf(run->state, *split.outputs[0].as<ir::StmtId>()), "j_0");
        QCOMPARE(schedule::nameOf(run->state, *split.outputs[1].as<ir::StmtId>()), "j_1");
        const auto applied = schedule::apply(before, split.step);
        QVERIFY(applied);
        QVERIFY(applied->forward(old) == applied->id(0));
        QCOMPARE(schedule::describe(split.step, before), "split(j, [None, 4])");
    }

    void refused()
    {
        constexpr const char *loops = "i, j, k = sch.get_loops('Y')\n";
        const auto refuse = [&](const std::string &steps, const char *code, const char *hint = "") {
            checkRefused(mmRelu, loops + steps, code, hint);
        };
        refuse("sch.split(j, [None, 0])", "schedule.factor-not-positive");
        refuse("sch.split(j, [-1, 8])", "schedule.factor-not-positive");
        refuse("sch.split(j, [None, None])", "schedule.factors");
        refuse("sch.split(j, [])", "schedule.factors");
        refuse("sch.split(j, [2, 3])", "schedule.factors-too-small", "None");
        refuse("sch.split(j, [9223372036854775807, 9223372036854775807])", "schedule.too-many-iterations");
        refuse("sch.annotate(j, 'pragma', 1)\nsch.split(j, [None, 2])", "schedule.loop-annotated",
               "unannotate");
        refuse("sch.bind(j, 'threadIdx.x')\nsch.split(j, [None, 2])", "schedule.loop-thread-bound");
        refuse("sch.split(j, [None, 2])\nsch.split(j, [None, 2])", "schedule.unknown-statement", "get_loops");
        refuse("sch.split('Y', [None, 2])", "schedule.argument");
        refuse("sch.split(j, ['x', 2])", "schedule.argument");
        refuse("sch.split(j)", "schedule.argument");
        refuse("sch.split(sch.get_block('Y'), [None, 2])", "schedule.not-a-loop");
        refuse("sch.split(j, [None, 2], factor=3)", "schedule.argument", "factors");
    }

    void startMustBeZero()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(2, 14):
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = A[vi]
)",
                     "i, = sch.get_loops('C')\nsch.split(i, [None, 4])", "schedule.loop-start");
    }

    void byTheLengthOfVectors()
    {
        checkPrimitive(filling, "i, = sch.get_loops('A')\nsch.split(i, [None, 4 * T.vscale()])", R"(
@T.prim_func
def main(A: T.Buffer((115,), "float32")):
    for i_0, i_1 in T.grid(57 // (T.vscale() * 2) + 1, T.vscale() * 4):
        with T.block("A"):
            vi = T.axis.spatial(115, i_0 * (T.vscale() * 4) + i_1)
            T.where(i_0 * (T.vscale() * 4) + i_1 < 115)
            A[vi] = T.float32(1)
)");
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((2048,), "float32")):
    for i in range(T.vscale() * 8):
        with T.block("A"):
            vi = T.axis.spatial(2048, i)
            A[vi] = T.float32(1)
)",
                       "i, = sch.get_loops('A')\nsch.split(i, [2, T.vscale() * 4])", R"(
@T.prim_func
def main(A: T.Buffer((2048,), "float32")):
    for i_0, i_1 in T.grid(2, T.vscale() * 4):
        with T.block("A"):
            vi = T.axis.spatial(2048, i_0 * (T.vscale() * 4) + i_1)
            T.where(i_0 * (T.vscale() * 4) + i_1 < T.vscale() * 8)
            A[vi] = T.float32(1)
)");
    }

    void factorsThatCoverOnTheTarget()
    {
        constexpr const char *steps =
            "i, = sch.get_loops('A')\nsch.split(i, [T.ceildiv(115, 4 * T.vscale()), 4 * T.vscale()])";
        checkRefused(filling, steps, "schedule.factors-too-small", "\"target\"");
        const std::string function = filling;
        const std::size_t body = function.find("    for");
        const auto on = [&](const std::string &target) {
            return function.substr(0, body) + "    T.func_attr({\"target\": " + target + "})\n"
                   + function.substr(body);
        };
        const std::string loops = R"(    for i_0, i_1 in T.grid(57 // (T.vscale() * 2) + 1, T.vscale() * 4):
        with T.block("A"):
            vi = T.axis.spatial(115, i_0 * (T.vscale() * 4) + i_1)
            T.where(i_0 * (T.vscale() * 4) + i_1 < 115)
            A[vi] = T.float32(1)
)";
        for (const char *target : {"T.target(\"llvm -mtriple=aarch64-linux-gnu -mattr=+sve\")",
                                   "T.target({\"kind\": \"llvm\", \"mtriple\": \"aarch64-linux-gnu\", "
                                   "\"mattr\": [\"+v8a\", \"+sve2\"]})",
                                   "T.target(\"llvm -mtriple=riscv64-linux-gnu -mattr=+m,+v\")"}) {
            const std::string before = on(target);
            checkPrimitive(before, steps, before.substr(0, before.find("    for")) + loops);
        }
        checkRefused(on("T.target(\"llvm -mtriple=aarch64-linux-gnu -mattr=+neon\")"), steps,
                     "schedule.factors-too-small", "leave one factor as None");
        for (const char *target : {"T.target(\"llvm -mtriple=riscv64-linux-gnu -mattr=+m,+vx\")",
                                   "T.target(\"llvm -mtriple=x86_64-linux-gnu -mattr=+v\")",
                                   "T.target(\"llvm -mtriple=x86_64-linux-gnu -mattr=+sve\")"})
            checkRefused(on(target), steps, "schedule.factors-too-small");
        checkRefused(on("T.target(\"llvm -mtriple=aarch64-linux-gnu -mattr=+sve\")"),
                     "i, = sch.get_loops('A')\nsch.split(i, [7, T.vscale() * 4])",
                     "schedule.factors-too-small", "T.vscale() * 28 iterations");
    }

    void longVectorsWithoutPredicate()
    {
        const schedule::State state = scheduled(filling);
        const auto run = schedule::runScheduleScript(
            state, "i, = sch.get_loops('A')\nsch.split(i, [None, 4 * T.vscale()], disable_predication=True)",
            "");
        QVERIFY(run);
        QVERIFY(!script::print(run->state.module).text.contains("T.where"));
    }

    void formulasThatAreNoFactors()
    {
        const auto split = [](const std::string &factors) {
            return "i, = sch.get_loops('A')\nsch.split(i, " + factors + ')';
        };
        checkRefused(filling, split("[None, T.vscale() - 3]"), "schedule.factor-not-positive", "less than 1");
        checkRefused(filling, split("[None, T.int64(0)]"), "schedule.factor-not-positive");
        checkRefused(filling, split("[None, T.vscale() // 0]"), "script.value", "division by zero");
        checkRefused(filling, split("[None, T.vscale() * 0.5]"), "script.value", "integers only");
        checkRefused(filling, "i, = sch.get_loops('A')\nsch.loop_partition(i, [None, T.vscale()])",
                     "schedule.argument", "a list of integers and None");
    }

    void constantsWithATypeOfTheirOwn()
    {
        checkPrimitive(filling, "i, = sch.get_loops('A')\nsch.split(i, [T.int64(23), None])", R"(
@T.prim_func
def main(A: T.Buffer((115,), "float32")):
    for i_0, i_1 in T.grid(23, 5):
        with T.block("A"):
            vi = T.axis.spatial(115, i_0 * 5 + i_1)
            A[vi] = T.float32(1)
)");
    }

    void aRangeThatReadsDataHasNoGuard()
    {
        constexpr const char *rows = R"(
@T.prim_func
def main(A: T.Buffer((6, 8), "float32"), N: T.Buffer((6,), "int32"), C: T.Buffer((6, 8), "float32")):
    for i in range(6):
        for j in range(N[i] % 8):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj]
)";
        checkSchedule(rows, "sch.split(sch.get_loops('C')[0], [None, 3])");
        checkRefused(rows, "sch.split(sch.get_loops('C')[0], [None, 4])", "schedule.unguarded-read",
                     "N[i] % 8");
    }
};

QTEST_GUILESS_MAIN(SplitTest)
#include "split_test.moc"
