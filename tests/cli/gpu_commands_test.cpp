// SPDX-License-Identifier: Apache-2.0
// Answers of nestc about a GPU's kernels where no device runs them: the ladder of trust, PTX, resources.
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;
using nestwright::test::Outcome;

namespace {

constexpr auto product = "op:matmul(M=64,N=64,K=32)";

QString rung(const char *name) { return NestcRunner::example(QByteArray("schedules/gpu_matmul/") + name); }

/// All threads that data lets store to one element.
constexpr auto race = R"(from tvm.script import tir as T
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in T.thread_binding(64, thread="threadIdx.x"):
        with T.block("all"):
            v = T.axis.spatial(64, i)
            if A[v] > T.float32(0):
                B[0] = A[v]
)";

Outcome withoutNvrtc(const QStringList &arguments)
{
    NestcRunner nestc;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("NESTWRIGHT_NVRTC"), QStringLiteral("/nowhere"));
    nestc.process().setProcessEnvironment(environment);
    return nestc.run(arguments);
}

} // namespace

class GpuCommandsTest : public QObject {
    Q_OBJECT

    bool m_hasNvrtc = false;

private Q_SLOTS:
    void initTestCase()
    {
        const Outcome outcome = NestcRunner().run({"list", "targets", "--json"});
        for (const QJsonValue target : QJsonDocument::fromJson(outcome.out.toUtf8()).array()) {
            if (target["name"] == "cuda")
                m_hasNvrtc = target["tool"].toString().startsWith(QStringLiteral("NVRTC "));
        }
    }

    void ladderOfTrust()
    {
        const Outcome outcome =
            NestcRunner().run({"verify", product, "--schedule", rung("2_register_tile.py"), "--target",
                               "cuda", "--how", "all"});
        COMPARE_STATUS(outcome, 0);
        const QStringList lines =
            outcome.out.split('\n', Qt::SkipEmptyParts).filter(QRegularExpression("^\\S"));
        QStringList rungs;
        for (const QString &line : lines) {
            rungs << line.section(' ', 0, 0);
            QVERIFY2(line.contains(" holds ") || line.contains(" not here "), qPrintable(line));
        }
        QCOMPARE(rungs, (QStringList{"opencl", "cuda-text", "nvrtc", "device", "interpreter"}));
        QVERIFY2(lines.front().contains(" holds "), qPrintable(outcome.out));
        QCOMPARE(lines.at(2).contains(QRegularExpression("holds .*sm_90 \\d+ registers, 8192 bytes shared")),
                 m_hasNvrtc);
    }

    void wrongProgramFails()
    {
        NestcRunner nestc;
        const QString file = nestc.write("race.py", race);
        const Outcome outcome = nestc.run({"verify", file, "--target", "cuda", "--how", "interpreter"});
        COMPARE_STATUS(outcome, 1);
        QVERIFY2(outcome.err.contains("[interp.race]"), qPrintable(outcome.err));
    }

    void rungOfOthers()
    {
        const Outcome outcome = NestcRunner().run({"verify", product, "--how", "nvrtc"});
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("[usage.rung]") && outcome.err.contains("llvm, c, interpreter, all"),
                 qPrintable(outcome.err));
    }

    void withoutTheCompiler()
    {
        const Outcome ladder =
            withoutNvrtc({"verify", product, "--target", "cuda", "--how", "interpreter,nvrtc"});
        COMPARE_STATUS(ladder, 0);
        QVERIFY2(ladder.out.contains(QRegularExpression("nvrtc +not here .*/nowhere")),
                 qPrintable(ladder.out));
        const Outcome resources = withoutNvrtc({"resources", product});
        COMPARE_STATUS(resources, 2);
        QVERIFY2(resources.err.contains("[cuda.no-compiler]") && resources.err.contains("NESTWRIGHT_NVRTC"),
                 qPrintable(resources.err));
        const Outcome ptx =
            withoutNvrtc({"source", product, "--schedule", rung("1_shared_memory.py"), "--target", "ptx"});
        COMPARE_STATUS(ptx, 0);
        QVERIFY2(ptx.out.startsWith("// Made by LLVM ") && ptx.out.contains(".visible .entry main_kernel("),
                 qPrintable(ptx.out));
    }

    void resources()
    {
        if (!m_hasNvrtc)
            QSKIP("NVRTC is not here");
        const QStringList arguments{"resources", product,           "--schedule", rung("1_shared_memory.py"),
                                    "--target",  "cuda -arch=sm_90"};
        const Outcome asJson = NestcRunner().run(arguments + QStringList{"--json"});
        COMPARE_STATUS(asJson, 0);
        const QJsonObject all = QJsonDocument::fromJson(asJson.out.toUtf8()).object();
        int sharedBytes = 0;
        for (const QJsonValue &each : all["buffers"].toArray())
            sharedBytes += each["scope"].toString() == u"shared" ? each["bytes"].toInt() : 0;
        const QJsonArray kernels = all["kernels"].toArray();
        QCOMPARE(kernels.size(), 1);
        const QJsonObject kernel = kernels.first().toObject();
        QCOMPARE(kernel["architecture"].toString(), QStringLiteral("sm_90"));
        QCOMPARE(kernel["spill-store-bytes"].toInt(-1), 0);
        QVERIFY(kernel["registers"].toInt() > 0 && kernel["registers"].toInt() < 128);
        QVERIFY(sharedBytes > 0 && kernel["threads"].toInt() > 0);
        QCOMPARE(kernel["shared-bytes"].toInt(), sharedBytes);
        QVERIFY(kernel["blocks-per-multiprocessor"].toInt() > 0);
        const Outcome asTable = NestcRunner().run(arguments);
        COMPARE_STATUS(asTable, 0);
        QVERIFY2(asTable.out.contains("sm_90, by NVRTC ") && asTable.out.contains(" run side by side, ")
                     && asTable.out.contains("A_shared takes "),
                 qPrintable(asTable.out));
    }

    void architectureThatDoesNotExist()
    {
        const Outcome outcome = NestcRunner().run({"resources", product, "--target", "cuda -arch=sm_35"});
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("[target.option]") && outcome.err.contains("sm_90"),
                 qPrintable(outcome.err));
    }

    void resourcesOfAProcessor()
    {
        const Outcome outcome = NestcRunner().run({"resources", product, "--target", "llvm"});
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("choose the target cuda"), qPrintable(outcome.err));
    }

    void ptx()
    {
        if (!m_hasNvrtc)
            QSKIP("NVRTC is not here");
        const Outcome outcome = NestcRunner().run(
            {"source", product, "--schedule", rung("1_shared_memory.py"), "--target", "ptx"});
        COMPARE_STATUS(outcome, 0);
        QVERIFY2(outcome.out.contains(".target sm_80") && outcome.out.contains(".visible .entry main_kernel(")
                     && outcome.out.contains("bar.sync"),
                 qPrintable(outcome.out));
        QVERIFY2(!outcome.out.contains(".loc") && !outcome.out.contains(".section"), qPrintable(outcome.out));
    }
};

QTEST_GUILESS_MAIN(GpuCommandsTest)
#include "gpu_commands_test.moc"
