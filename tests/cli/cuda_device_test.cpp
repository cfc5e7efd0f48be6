// SPDX-License-Identifier: Apache-2.0
// Kernels on an NVIDIA GPU by its driver, for which a library of the tests stands in (tests/cuda).
#include "tests/cli/nestc_runner.h"
#include "tests/support/shared_stages.h"

#include <QTemporaryDir>

using nestwright::test::NestcRunner;
using nestwright::test::Outcome;

namespace {

constexpr auto product = "op:matmul(M=64,N=64,K=32)";

QString tiled() { return NestcRunner::example("schedules/gpu_matmul/2_register_tile.py"); }

/// Runs nestc with the stand-in as driver and compiler. `fault`: what goes wrong with it.
Outcome withGpu(const QStringList &arguments, const QString &fault = {})
{
    NestcRunner nestc;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    const QString standIn = environment.value(QStringLiteral("NESTWRIGHT_CUDA_STAND_IN"));
    environment.insert(QStringLiteral("NESTWRIGHT_CUDA_DRIVER"), standIn);
    environment.insert(QStringLiteral("NESTWRIGHT_NVRTC"), standIn);
    environment.insert(QStringLiteral("NESTWRIGHT_CUBLAS"), standIn);
    environment.insert(QStringLiteral("NESTWRIGHT_CUDA_FAULT"), fault);
    nestc.process().setProcessEnvironment(environment);
    return nestc.run(arguments);
}

Outcome measured(const QString &fault = {})
{
    return withGpu({"measure", product, "--schedule", tiled(), "--target", "cuda"}, fault);
}

} // namespace

class CudaDeviceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void deviceIsListed()
    {
        const Outcome outcome = withGpu({"list", "targets", "--json"});
        COMPARE_STATUS(outcome, 0);
        const QJsonArray targets = QJsonDocument::fromJson(outcome.out.toUtf8()).array();
        QJsonObject device;
        for (const QJsonValue target : targets) {
            if (target["name"] == "cuda")
                device = target["devices"][0].toObject();
        }
        QCOMPARE(device["name"].toString(), QStringLiteral("Stand-in GPU"));
        QCOMPARE(device["architecture"].toString(), QStringLiteral("sm_90"));
        QCOMPARE(device["driver"].toString(), QStringLiteral("CUDA 13.0"));
        QCOMPARE(device["compute-units"].toInt(), 2);
        QCOMPARE(device["threads-in-a-block"].toInt(), 1024);
    }

    void everyRungHolds()
    {
        const Outcome outcome =
            withGpu({"verify", product, "--schedule", tiled(), "--target", "cuda", "--how", "all"});
        COMPARE_STATUS(outcome, 0);
        QVERIFY2(outcome.out.contains(QRegularExpression("\ndevice +holds ")), qPrintable(outcome.out));
    }

    void wrongScheduleIsFoundOnTheDevice()
    {
        NestcRunner files;
        const QString file = files.write("unguarded.py", R"(from tvm.script import tir as T
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in T.thread_binding(64, thread="threadIdx.x"):
        with T.block("all"):
            v = T.axis.spatial(64, i)
            B[v] = A[v] + T.float32(1)
)");
        const Outcome right = withGpu({"verify", file, "--target", "cuda"});
        COMPARE_STATUS(right, 0);
        QVERIFY2(right.out.contains("verified"), qPrintable(right.out));
    }

    /// More than 48 KB for the arrays of a block.
    void muchSharedMemoryComesWithTheLaunch()
    {
        NestcRunner files;
        const QString file =
            files.write("stages.py", "from tvm.script import tir as T\n"
                                         + QByteArray::fromStdString(nestwright::tests::sharedStages(8192)));
        const Outcome right = withGpu({"verify", file, "--target", "cuda -arch=sm_90", "--how", "all"});
        COMPARE_STATUS(right, 0);
        QVERIFY2(right.out.contains(QRegularExpression("\ndevice +holds ")), qPrintable(right.out));
        // Without an architecture it is that of the GPU here.
        const Outcome here = withGpu({"verify", file, "--target", "cuda", "--how", "device"});
        COMPARE_STATUS(here, 0);
        const Outcome facts = withGpu({"resources", file, "--target", "cuda -arch=sm_90"});
        QVERIFY2(facts.out.contains("65536"), qPrintable(facts.out + facts.err));
    }

    void measuring()
    {
        const Outcome outcome = measured();
        COMPARE_STATUS(outcome, 0);
        // Of the GPU's own peak, which is measured by kernels before.
        QVERIFY2(outcome.out.contains(QRegularExpression("2_register_tile +[0-9.]+ .* [0-9.]+ % .*verified")),
                 qPrintable(outcome.out));
    }

    void whatGoesWrong_data()
    {
        QTest::addColumn<QString>("fault");
        QTest::addColumn<QString>("message");
        QTest::newRow("no GPU") << "none" << "NVIDIA's driver finds no GPU";
        QTest::newRow("updated driver")
            << "mismatch" << "NVIDIA's driver does not begin: the driver says error 803, ";
        QTest::newRow("little memory") << "memory" << "the GPU has not enough memory";
        QTest::newRow("lost") << "lost" << "the driver lost the GPU";
        QTest::newRow("outside") << "outside" << "a kernel reads or writes outside of its arrays";
    }
    void whatGoesWrong()
    {
        QFETCH(QString, fault);
        QFETCH(QString, message);
        const Outcome outcome = measured(fault);
        QVERIFY2(outcome.status == 1 || outcome.status == 2, qPrintable(outcome.err + outcome.out));
        QVERIFY2((outcome.err + outcome.out).contains(message), qPrintable(outcome.err + outcome.out));
    }

    void architectureOfAnother()
    {
        const Outcome outcome =
            withGpu({"measure", product, "--schedule", tiled(), "--target", "cuda -arch=sm_80"});
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("[device.architecture]") && outcome.err.contains("-arch=sm_90"),
                 qPrintable(outcome.err));
    }

    /// Machine code is disassembled, here by a program that prints one instruction.
    void machineCodeAsText()
    {
        QTemporaryDir folder;
        QFile tool(folder.filePath(QStringLiteral("nvdisasm")));
        QVERIFY(tool.open(QIODevice::WriteOnly));
        tool.write("#!/bin/sh\ntest -s \"$3\" || exit 1\necho '.text.main_kernel:'\n"
                   "echo '//## File \"kernels.cu\", line 6'\necho '/*0000*/ @P0 EXIT ;'\n");
        tool.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        tool.close();
        qputenv("NESTWRIGHT_NVDISASM", tool.fileName().toUtf8());
        const QStringList command{"source", product, "--schedule", tiled(), "--target", "sass"};
        const Outcome outcome = withGpu(command + QStringList{"--arch", "sm_90"});
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(outcome.out, QStringLiteral("// Made by NVRTC for sm_90\n\nmain_kernel:\n    @P0   EXIT\n"));
        qputenv("NESTWRIGHT_NVDISASM", "/nowhere");
        const Outcome none = withGpu(command);
        COMPARE_STATUS(none, 2);
        QVERIFY2(none.err.contains("[cuda.disassembler]") && none.err.contains("NESTWRIGHT_NVDISASM"),
                 qPrintable(none.err));
        qunsetenv("NESTWRIGHT_NVDISASM");
    }

    void cublasIsTimed()
    {
        const Outcome outcome = withGpu({"peer", "op:matmul(M=24,N=16,K=40)", "--target", "cuda"});
        COMPARE_STATUS(outcome, 0);
        QVERIFY2(outcome.out.startsWith("cuBLAS 13.2: "), qPrintable(outcome.out));
    }

    void checkOfAMachine()
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        const QString standIn = environment.value(QStringLiteral("NESTWRIGHT_CUDA_STAND_IN"));
        for (const char *name : {"NESTWRIGHT_CUDA_DRIVER", "NESTWRIGHT_NVRTC"})
            environment.insert(QString::fromLatin1(name), standIn);
        QProcess script;
        script.setProcessEnvironment(environment);
        script.start(QStringLiteral("scripts/gpu_check.sh"),
                     {QStringLiteral("--nestc"), qEnvironmentVariable("NESTWRIGHT_BIN_DIR") + "/nestc",
                      QStringLiteral("--quick"), QStringLiteral("--only"), QStringLiteral("gpu_layer_norm")});
        QVERIFY(script.waitForFinished(120'000));
        const QString told =
            QString::fromUtf8(script.readAllStandardOutput() + script.readAllStandardError());
        QVERIFY2(script.exitCode() == 0, qPrintable(told));
        QVERIFY2(told.contains("Stand-in GPU"), qPrintable(told));
        QCOMPARE(told.count(QStringLiteral("device holds")), 1);
    }

    void driverThatIsNone()
    {
        NestcRunner nestc;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("NESTWRIGHT_CUDA_DRIVER"), QStringLiteral("/nowhere/libcuda.so.1"));
        nestc.process().setProcessEnvironment(environment);
        const Outcome outcome =
            nestc.run({"verify", product, "--schedule", tiled(), "--target", "cuda", "--how", "device"});
        QVERIFY2(outcome.status == 1 || outcome.status == 2, qPrintable(outcome.err));
        QVERIFY2(outcome.err.contains("[device.driver]"), qPrintable(outcome.err));
    }
};

QTEST_GUILESS_MAIN(CudaDeviceTest)
#include "cuda_device_test.moc"
