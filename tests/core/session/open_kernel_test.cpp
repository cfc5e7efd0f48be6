// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/open_kernel.h"

#include "core/analysis/verify/verify.h"
#include "core/catalog/preset.h"
#include "core/ir/node/equality.h"
#include "core/schedule/state.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "core/session/reuse/machine_parameters.h"
#include "core/session/reuse/own_schedule.h"
#include "tests/support/check.h"

#include <QtTest>

#include <filesystem>
#include <fstream>

using namespace nestwright;
using frontend::KernelSource;

namespace {

std::vector<std::string> pythonFiles(const std::string &folder)
{
    std::vector<std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".py")
            files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

class OpenKernelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void kinds_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("kind");
        const auto row = [](const char *name, const char *text, KernelSource kind) {
            QTest::newRow(name) << text << static_cast<int>(kind);
        };
        row("preset", "op:matmul", KernelSource::Preset);
        row("TE", "from tvm import te\nA = te.placeholder((4,))\n", KernelSource::TeScript);
        row("TE in a function", "def f(n):\n    return te.compute((n,), lambda i: i)\n",
            KernelSource::TeScript);
        row("TE with a schedule",
            "C = te.compute((4,), lambda i: i)\nsch = tvm.tir.Schedule(C)\nsch.split(1)\n",
            KernelSource::TeScript);
        row("function", "@T.prim_func\ndef f(a: T.handle):\n    pass\n", KernelSource::TvmScript);
        row("private function", "@tvm.script.tir.prim_func(private=True)\ndef f(a: T.handle):\n    pass\n",
            KernelSource::TvmScript);
        row("module", "@I.ir_module\nclass M:\n    pass\n", KernelSource::TvmScript);
        row("schedule", "def apply_trace(sch: tir.Schedule) -> None:\n    pass\n",
            KernelSource::ScheduleScript);
        row("schedule with another name", "def mine(s: tvm.tir.Schedule):\n    pass\n",
            KernelSource::ScheduleScript);
        row("schedule without a function", "b = sch.get_block(\"C\")\n", KernelSource::ScheduleScript);
        row("TVMScript that is not complete", "@T.prim_func\ndef f(a:\n", KernelSource::TvmScript);
        row("schedule that is not complete", "b0 = sch.get_block(\n", KernelSource::ScheduleScript);
        row("TE that is not complete", "A = te.placeholder((4,)\n", KernelSource::TeScript);
    }
    void kinds()
    {
        QFETCH(QString, text);
        QFETCH(int, kind);
        QCOMPARE(static_cast<int>(frontend::formOf(text.toStdString()).source), kind);
    }

    void everyExampleOpens()
    {
        const std::vector<std::string> files = pythonFiles("examples");
        QCOMPARE(files.size(), 10U);
        for (const std::string &file : files) {
            const auto kernel = frontend::openKernel(file);
            QVERIFY2(kernel, kernel ? "" : kernel.error().render().c_str());
            QVERIFY2(kernel->notes.empty(), file.c_str());
            QCOMPARE("examples/" + kernel->name, file);
            QVERIFY2(kernel->text.starts_with("# "), "an example begins by saying what it shows");
            const auto formed = analysis::verify(kernel->module, analysis::Level::Block);
            QVERIFY2(formed, formed ? "" : formed.error().render().c_str());
            const auto again = script::parseTvmScript(script::print(kernel->module).text, file);
            QVERIFY2(again, again ? "" : again.error().render().c_str());
            const auto difference = ir::firstDifference(kernel->module, *again);
            QVERIFY2(!difference, difference ? difference->c_str() : "");
            QVERIFY(kernel->graph.nodes.size() >= 3);
        }
    }

    /// The examples are the presets with their default sizes; only mm_relu.py, in TVMScript, says it in its
    /// own words.
    void examplesAreThePresets()
    {
        for (const catalog::Preset *preset : catalog::presets()) {
            if (preset->name == "matmul_relu")
                continue;
            const auto example = frontend::openKernel("examples/" + std::string(preset->name) + ".py");
            QVERIFY2(example, example ? "" : example.error().render().c_str());
            const auto made = catalog::makeModule(preset->name);
            QVERIFY(made);
            const auto difference = ir::firstDifference(example->module, *made);
            QVERIFY2(!difference, difference ? difference->c_str() : "");
        }
        const auto example = frontend::openKernel("examples/mm_relu.py");
        const auto made = catalog::makeModule(
            "matmul_relu", {{"M", std::int64_t{128}}, {"N", std::int64_t{128}}, {"K", std::int64_t{128}}});
        QVERIFY(example && made);
        const auto difference = ir::firstDifference(example->module, *made);
        QVERIFY2(!difference, difference ? difference->c_str() : "");
    }

    /// Each rung of the ladder is legal, and computes the naive product.
    void theLadderIsLegalAndRight()
    {
        const auto large = frontend::openKernel("examples/matmul.py");
        const auto small = frontend::openKernel("op:matmul(M=64,N=64,K=8)");
        QVERIFY(large && small);
        const std::vector<std::string> rungs = pythonFiles("examples/schedules/matmul");
        QCOMPARE(rungs.size(), 11U);
        std::vector<std::string> seen;
        for (const std::string &rung : rungs) {
            const auto script = frontend::openKernel(rung);
            QVERIFY(script && script->kind == KernelSource::ScheduleScript);
            for (const char *processor : {"x86-64-v2", "haswell", "skylake-avx512"}) {
                const auto target = target::parseTarget(std::string("llvm -mcpu=") + processor).value();
                const auto on = [&](const frontend::OpenedKernel &kernel) {
                    const schedule::State state = schedule::makeState(kernel.module).value();
                    auto run = session::runScriptFor(state, script->text, rung, target);
                    if (!run)
                        qFatal("%s", run.error().render().c_str());
                    return run->state.module;
                };
                QVERIFY(tests::checkEquivalent(small->module, on(*small)));
                if (processor == std::string_view("skylake-avx512"))
                    seen.push_back(script::print(on(*large)).text);
            }
        }
        for (std::size_t i = 1; i < seen.size(); ++i)
            QVERIFY2(seen[i] != seen[i - 1], rungs[i].c_str());
        for (const char *part : {"for i_0 in T.parallel(32)", "for j_0, k_0, i_1 in T.grid(32, 256, 32)",
                                 "for k_1 in T.unroll(4)", "for j_1 in T.vectorized(32)"})
            QVERIFY2(seen[5].contains(part), seen[5].c_str());
        QVERIFY2(seen[6].contains("for ax1_0 in T.parallel(32)"), seen[6].c_str()); // B in panels
        for (const char *part : {"for i_0 in T.parallel(8)", "for i_2 in T.unroll(8)", "scope=\"local\""})
            QVERIFY2(seen[8].contains(part), seen[8].c_str());
        for (const char *part : {"for j_0 in T.parallel(8)", "for i_0, j_1 in T.grid(128, 4)"})
            QVERIFY2(seen[9].contains(part), seen[9].c_str());
        QVERIFY2(seen[10].contains("for k_1 in T.unroll(4)"), seen[10].c_str());
    }

    void aLegacyScheduleRunsOnTheEngine()
    {
        const auto kernel = frontend::openKernelText(R"(import tvm
from tvm import te
M = N = K = 64
bn = 32
k = te.reduce_axis((0, K), "k")
A = te.placeholder((M, K), name="A")
B = te.placeholder((K, N), name="B")
packedB = te.compute((N / bn, K, bn), lambda bigN, k, littleN: B[k, bigN * bn + littleN], name="packedB")
C = te.compute((M, N), lambda m, n: te.sum(A[m, k] * packedB[n // bn, k, tvm.tir.indexmod(n, bn)], axis=k),
               name="C")
s = te.create_schedule(C.op)
CC = s.cache_write(C, "global")
mo, no, mi, ni = s[C].tile(C.op.axis[0], C.op.axis[1], bn, bn)
s[CC].compute_at(s[C], no)
mc, nc = s[CC].op.axis
(kaxis,) = s[CC].op.reduce_axis
ko, ki = s[CC].split(kaxis, factor=4)
s[CC].reorder(ko, mc, ki, nc)
s[CC].vectorize(nc)
s[CC].unroll(ki)
s[C].parallel(mo)
bigN, _, littleN = s[packedB].op.axis
s[packedB].vectorize(littleN)
s[packedB].parallel(bigN)
func = tvm.build(s, [A, B, C], target="llvm", name="mmult")
)",
                                                     "gemm.py");
        QVERIFY2(kernel, kernel ? "" : kernel.error().render().c_str());
        QVERIFY(!kernel->schedules.empty());
        const auto state = schedule::makeState(kernel->module);
        QVERIFY(state);
        const auto [run, error] = session::runOwnSchedule(*state, kernel->schedules.back(), "gemm.py");
        QVERIFY2(!error, error ? error->render().c_str() : "");
        QVERIFY(tests::checkEquivalent(kernel->module, run.state.module));
        const std::string text = script::print(run.state.module).text;
        for (const char *part :
             {"C_global[v_m, v_n] = C_global[v_m, v_n] + A[v_m, v_k] * packedB[v_n // 32, v_k, v_n % 32]",
              "for bigN in T.parallel(2)", "for ax1 in T.vectorized(32)", "for ax2_1 in T.unroll(4)"})
            QVERIFY2(text.contains(part), text.c_str());
    }

    /// Newer tutorials have the steps of a tir.Schedule below the kernel, in TVMScript or as tensor
    /// expressions.
    void stepsBelowTheKernelAreItsSchedule_data()
    {
        QTest::addColumn<QString>("head");
        QTest::newRow("TVMScript") << R"(import tvm
from tvm.script import tir as T
size = 64
@tvm.script.ir_module
class MyModule:
    @T.prim_func
    def main(a: T.handle, b: T.handle):
        A = T.match_buffer(a, (64,), dtype="float32")
        B = T.match_buffer(b, (64,), dtype="float32")
        for i in range(64):
            with T.block("B"):
                vi = T.axis.spatial(64, i)
                B[vi] = A[vi] + 1.0
print(MyModule.script())
)";
        QTest::newRow("tensor expressions") << R"(import tvm
from tvm import te
A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
func = te.create_prim_func([A, B])
MyModule = tvm.IRModule({"main": func})
)";
    }
    void stepsBelowTheKernelAreItsSchedule()
    {
        QFETCH(QString, head);
        const std::string steps = R"(
bn = half = 4
factor = half * 2
sch = tvm.tir.Schedule(MyModule)
print(type(sch))
block_b = sch.get_block("B", "main")
(i,) = sch.get_loops(block_b)
i_0, i_1 = sch.split(
    i, factors=[None, factor]
)
sch.mod.show()
sch.parallel(i_0)
sch.vectorize(sch.get_loops(block_b)[1])
rt_mod = tvm.build(sch.mod, target="llvm")
)";
        const auto kernel = frontend::openKernelText(head.toStdString() + steps, "k.py");
        QVERIFY2(kernel, kernel ? "" : kernel.error().render().c_str());
        QVERIFY(!kernel->schedules.empty());
        const auto state = schedule::makeState(kernel->module);
        QVERIFY(state);
        const auto [run, error] = session::runOwnSchedule(*state, kernel->schedules.back(), "k.py");
        QVERIFY2(!error, error ? error->render().c_str() : "");
        QVERIFY(tests::checkEquivalent(kernel->module, run.state.module));
        const std::string text = script::print(run.state.module).text;
        QVERIFY2(text.contains("in T.parallel(8)") && text.contains("in T.vectorized(8)"), text.c_str());

        const std::string wrong =
            head.toStdString() + "sch = tvm.tir.Schedule(MyModule)\n\nb = sch.get_block(\"nowhere\")\n";
        const auto second = frontend::openKernelText(wrong, "k.py");
        QVERIFY(second && !second->schedules.empty());
        const auto failed = session::runOwnSchedule(*state, second->schedules.back(), "k.py");
        QVERIFY(failed.error);
        QCOMPARE(failed.error->locations.at(0).line, static_cast<int>(head.count('\n')) + 3);
    }

    void regionsOfTvmScriptAreComplete()
    {
        const auto kernel = frontend::openKernel("examples/mm_relu.py");
        QVERIFY(kernel);
        const std::string text = script::print(kernel->module).text;
        QVERIFY2(text.contains("T.reads(A[vi, vk], B[vk, vj])"), text.c_str());
        QCOMPARE(kernel->graph.edges.size(), 4U);
    }

    void filesThatCannotBeOpened()
    {
        QCOMPARE(frontend::openKernel("no/such/file.py").error().code, "open.no-file");
        QCOMPARE(frontend::openKernel("examples").error().code, "open.unreadable");
        QCOMPARE(frontend::openKernel("op:nothing").error().code, "ops.unknown-operator");
        const auto syntax = frontend::openKernelText("A = te.placeholder((4,)\nB = 1\n", "a.py");
        QVERIFY(!syntax);
        QCOMPARE(syntax.error().code, "script.syntax");
        QCOMPARE(syntax.error().locations.at(0).file, "a.py");
        const auto empty = frontend::openKernelText("", "a.py");
        QVERIFY(!empty);
        QCOMPARE(empty.error().code, "te.no-kernel");
    }
};

} // namespace

QTEST_GUILESS_MAIN(OpenKernelTest)
#include "open_kernel_test.moc"
