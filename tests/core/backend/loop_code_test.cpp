// SPDX-License-Identifier: Apache-2.0
// Machine code of loops: which loop of the program each is, what it runs, and for how long.
#include "core/backend/listing/loop_code.h"

#include "core/backend/backend.h"
#include "core/backend/llvm/read/assembly_loops.h"
#include "core/schedule/script/reader.h"
#include "core/suggest/loop_nest.h"
#include "tests/support/programs.h"

#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QtTest>

#include <format>

using namespace nestwright;
using backend::CycleLimit;
using backend::LoopCode;
using support::StmtId;

namespace {

target::Target zen()
{
    target::Target target;
    target.mtriple = "x86_64-linux-gnu";
    target.mcpu = "znver4";
    return target;
}

struct Kernel {
    schedule::State state;
    std::vector<LoopCode> loops;

    /// The loop of that name, or the block.
    StmtId id(std::string_view name) const
    {
        const suggest::LoopNest nest(state, script::print(state.module));
        for (const StmtId each : nest.all()) {
            if (nest.name(each) == name)
                return each;
        }
        return {};
    }
    std::vector<const LoopCode *> of(std::string_view loop) const
    {
        std::vector<const LoopCode *> found;
        for (const LoopCode &each : loops) {
            if (each.loop == id(loop))
                found.push_back(&each);
        }
        return found;
    }
};

Kernel kernel(std::string_view program, std::string_view script = {}, const target::Target &target = zen())
{
    schedule::State state = schedule::makeState(tests::program(program)).value();
    if (!script.empty())
        state = schedule::runScheduleScript(state, std::string(script), "s.py").value().state;
    return {state, backend::loopCode(state.module, target).value()};
}

constexpr std::string_view tiled = R"(
def apply_trace(sch):
  i, j, k = sch.get_loops(sch.get_block("C"))
  io, ii = sch.split(i, [None, 4])
  jo, ji = sch.split(j, [None, 32])
  sch.reorder(io, jo, k, ii, ji)
  sch.unroll(ii)
  sch.vectorize(ji)
  acc = sch.cache_write(sch.get_block("C"), 0, "local")
  sch.reverse_compute_at(acc, jo)
  sch.decompose_reduction(sch.get_block("C"), k)
)";

/// Lines of the assembly.
QStringList linesOf(const Kernel &kernel, const LoopCode &loop)
{
    const auto source = backend::source(kernel.state.module, zen(), backend::SourceKind::Asm).value();
    return QString::fromStdString(source.text)
        .split(u'\n')
        .mid(loop.firstLine, loop.lastLine - loop.firstLine + 1);
}

/// Cycles of an iteration by LLVM's own tool; 0 where it is not there.
double cyclesByTool(const QStringList &lines)
{
    QString tool = QStandardPaths::findExecutable(QStringLiteral("llvm-mca-19"));
    if (tool.isEmpty())
        tool = QStandardPaths::findExecutable(QStringLiteral("llvm-mca"));
    if (tool.isEmpty())
        return 0;
    QProcess process;
    process.start(tool, {"-mtriple=x86_64-linux-gnu", "-mcpu=znver4", "-iterations=200"});
    process.write(lines.join(u'\n').toUtf8() + '\n');
    process.closeWriteChannel();
    process.waitForFinished();
    static const QRegularExpression total(QStringLiteral("Total Cycles: +([0-9]+)"));
    return total.match(QString::fromUtf8(process.readAllStandardOutput())).captured(1).toDouble() / 200;
}

} // namespace

class LoopCodeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A short loop is written out, but one that is to stay.
    void loopsThatStay()
    {
        for (const int most : {0, 1}) {
            const ir::Module module = tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((64, 4), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(64):
        for k in T.serial(4, annotations={{"pragma_auto_unroll_max_step": {}}}):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]
)",
                                                                most));
            const schedule::State state = schedule::makeState(module).value();
            const Kernel made{state, backend::loopCode(state.module, zen()).value()};
            QCOMPARE(made.of("k").empty(), most == 1);
        }
    }

    void commentsTellOfLoops()
    {
        constexpr std::string_view text = "main:                      # @main\n"
                                          "# %bb.0:\n"
                                          "\txorl\t%eax, %eax\n"
                                          ".LBB0_1:                  # %outer\n"
                                          "                          # =>This Loop Header: Depth=1\n"
                                          "                          #     Child Loop BB0_2 Depth 2\n"
                                          "\t.loc\t1 7 0\n"
                                          "\tmovq\t%rax, 8(%rsp)     # 8-byte Spill\n"
                                          "\t.p2align\t4, 0x90\n"
                                          ".LBB0_2:                  # %inner\n"
                                          "                          #   Parent Loop BB0_1 Depth=1\n"
                                          "                          # =>  This Inner Loop Header: Depth=2\n"
                                          "\t.loc\t1 9 0\n"
                                          "\tvfmadd231ps\t(%rdi), %zmm0, %zmm1\n"
                                          "\tvaddss\t%xmm0, %xmm1, %xmm2\n"
                                          "\tvgatherdps\t(%rsi,%zmm3,4), %zmm4 {%k1}\n"
                                          "\t.loc\t1 8 0\n"
                                          "\tjne\t.LBB0_2\n"
                                          "# %bb.3:                  #   in Loop: Header=BB0_1 Depth=1\n"
                                          "\t.loc\t1 7 0\n"
                                          "\tmovq\t8(%rsp), %rcx     # 8-byte Reload\n"
                                          "\tjne\t.LBB0_1\n"
                                          "# %bb.4:\n"
                                          "\tretq\n";
        const std::vector<backend::AssemblyLoop> loops =
            backend::assemblyLoops(text, "#", *backend::processorFamilies().front());
        QCOMPARE(loops.size(), 2U);
        const LoopCode &outer = loops[0].code, &inner = loops[1].code;
        QCOMPARE(outer.loop.value, 7U);
        QCOMPARE(inner.loop.value, 8U);
        QVERIFY(!outer.isInnermost && inner.isInnermost);
        QCOMPARE(outer.parent, -1);
        QCOMPARE(inner.parent, 0);
        QCOMPARE(outer.counts.all, 3);
        QCOMPARE(outer.counts.spills, 1);
        QCOMPARE(outer.counts.reloads, 1);
        QCOMPARE(inner.counts.all, 4);
        QCOMPARE(inner.counts.packed, 1);
        QCOMPARE(inner.counts.scalar, 1);
        QCOMPARE(inner.counts.gathers, 1);
        QCOMPARE(inner.counts.multiplyAdds, 16.0);
        QCOMPARE(inner.counts.flops, 33.0);
        QCOMPARE(inner.vectorBits, 512);
        QVERIFY((inner.statements == std::vector{StmtId{9}, StmtId{8}}));
        QCOMPARE(QString::fromStdString(inner.function), QStringLiteral("main"));
        QCOMPARE(loops[1].instructions.size(), 4U);
    }

    void blocksMayStandBeforeTheirHeader()
    {
        constexpr std::string_view text = "f:\n"
                                          ".LBB0_3:   #   in Loop: Header=BB0_1 Depth=1\n"
                                          "\t.loc\t1 5 0\n"
                                          "\tje\t.LBB0_9\n"
                                          ".LBB0_1:   # =>This Inner Loop Header: Depth=1\n"
                                          "\t.loc\t1 6 0\n"
                                          "\tincq\t%rax\n"
                                          "\tjmp\t.LBB0_3\n"
                                          ".LBB0_9:\n"
                                          "\tretq\n";
        const auto loops = backend::assemblyLoops(text, "#", *backend::processorFamilies().front());
        QCOMPARE(loops.size(), 1U);
        QCOMPARE(loops[0].code.loop.value, 5U); // of the branch that leaves
        QCOMPARE(loops[0].code.counts.all, 3);
        QCOMPARE(loops[0].code.firstLine, 2);
        QCOMPARE(loops[0].code.lastLine, 5);
    }

    void loopsOfAScheduledKernel()
    {
        const Kernel made = kernel("matmul", tiled);
        const auto k = made.of("k");
        QVERIFY(!k.empty()); // LLVM may unroll the loop around it
        QVERIFY(k.front()->isInnermost);
        QCOMPARE(k.front()->vectorBits, 512);
        const double steps = k.front()->counts.packed / 8.0; // LLVM may unroll the loop
        QCOMPARE(k.front()->counts.multiplyAdds, steps * 128);
        QCOMPARE(k.front()->counts.flops, steps * 256);
        QCOMPARE(k.front()->counts.spills, 0);
        QVERIFY(k.front()->counts.loads >= 2 * steps);
        QCOMPARE(k.front()->counts.calls, 0);
        QVERIFY(k.front()->time);
        QVERIFY(k.front()->time->leastCycles >= 8 * steps); // one multiply-add of 512 bits in a cycle
        QVERIFY(k.front()->time->cycles >= k.front()->time->leastCycles - 0.1);
        QVERIFY(made.of("j_1").empty()); // vectors
        QCOMPARE(made.of("i_0").size(), 1U);
        QVERIFY(!made.of("i_0").front()->time);
        // A loop that became vectors is found in the loop of machine code around it.
        QVERIFY(std::ranges::contains(k, backend::codeOf(made.loops, {made.id("C_update")})));
        QCOMPARE(backend::codeOf(made.loops, {StmtId{9999}}), nullptr);
    }

    void chainOfAdditionsWaits()
    {
        const Kernel made = kernel("matmul");
        const LoopCode *k = backend::codeOf(made.loops, {made.id("C")});
        QVERIFY(k && k->time);
        QVERIFY(k->loop == made.id("k"));
        QCOMPARE(k->time->limit, CycleLimit::Latency);
        QCOMPARE(k->counts.packed, 0);
        QVERIFY(k->time->cycles >= 3 * k->counts.scalar);
        QVERIFY(k->time->leastCycles < k->time->cycles);
    }

    void everyLoopIsOfTheProgram()
    {
        for (const tests::Program &program : tests::programs()) {
            const auto state = schedule::makeState(tests::program(program.name));
            if (!state)
                continue; // flat
            const Kernel made = kernel(program.name);
            const suggest::LoopNest nest(made.state, script::print(made.state.module));
            for (const LoopCode &loop : made.loops)
                QVERIFY2(!loop.loop || nest.loop(loop.loop), std::string(program.name).c_str());
        }
    }

    void timeIsThatOfLlvmsTool()
    {
        int compared = 0;
        for (const std::string_view name : {"matmul", "mm_relu", "elementwise", "conv2d_pad", "softmax"}) {
            const Kernel made = kernel(name, name == "matmul" ? tiled : "");
            for (const LoopCode &loop : made.loops) {
                const QStringList lines = linesOf(made, loop);
                if (!loop.time || lines.size() != loop.counts.all)
                    continue;
                const double expected = cyclesByTool(lines);
                if (expected == 0)
                    QSKIP("llvm-mca is not there");
                QVERIFY2(std::abs(loop.time->cycles - expected) <= 0.05 * expected + 1,
                         std::format("{}: {} instead of {}", name, loop.time->cycles, expected).c_str());
                ++compared;
            }
        }
        QVERIFY(compared >= 4);
    }

    void otherProcessors()
    {
        target::Target arm;
        arm.mtriple = "aarch64-linux-gnu";
        arm.mcpu = "neoverse-n2";
        const Kernel made = kernel("matmul", tiled, arm);
        const LoopCode *k = backend::codeOf(made.loops, {made.id("C_update")});
        QVERIFY(k);
        QVERIFY(k->loop == made.id("k"));
        QVERIFY(k->counts.packed > 0);
        QVERIFY(k->time && k->time->cycles > 0);
        target::Target c;
        c.kind = target::TargetKind::C;
        const auto refused = backend::loopCode(made.state.module, c);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("backend.unsupported"));
    }

    void texts()
    {
        LoopCode loop;
        loop.vectorBits = 256;
        loop.counts.all = 9;
        loop.counts.packed = 1;
        loop.counts.scalar = 2;
        loop.counts.loads = 3;
        loop.counts.stores = 2;
        loop.counts.reloads = loop.counts.spills = 1;
        QCOMPARE(
            QString::fromStdString(backend::instructionsText(loop)),
            QStringLiteral("9 instructions: 1 computes vectors of 256 bits, 2 compute one number, 2 loads, "
                           "1 store, 2 registers put aside or fetched back"));
        QCOMPARE(backend::timeText(loop), std::string());
        loop.time = {22, 16, CycleLimit::Units, "FP0"};
        QCOMPARE(backend::timeText(loop), std::string("16.0 to 22.0 cycles an iteration, limited by FP0"));
        loop.time = {4, 4.01, CycleLimit::Latency, ""};
        QCOMPARE(backend::timeText(loop),
                 std::string("4.0 cycles an iteration, limited by results it waits for"));
    }
};

QTEST_GUILESS_MAIN(LoopCodeTest)
#include "loop_code_test.moc"
