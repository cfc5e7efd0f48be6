// SPDX-License-Identifier: Apache-2.0
// Kernels on a device: its driver at work in the sandbox, what is said where something is wrong.
#include "tests/cli/nestc_runner.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using nestwright::test::NestcRunner;

namespace {

constexpr auto endless = "@T.prim_func\ndef main(A: T.Buffer((4,), \"int32\")):\n"
                         "    while A[0] < 1:\n        A[1] = A[1] + 1\n";
constexpr auto divides =
    "@T.prim_func\ndef main(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\")):\n"
    "    for i in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
    "        B[i] = i // (A[i] - A[i])\n";
constexpr auto tooMany = "@T.prim_func\ndef main(A: T.Buffer((1048576,), \"float32\")):\n"
                         "    for i in T.thread_binding(1048576, thread=\"threadIdx.x\"):\n"
                         "        A[i] = A[i] + T.float32(1)\n";

} // namespace

class DeviceCommandsTest : public QObject {
    Q_OBJECT

    bool m_hasDevice = false;

private Q_SLOTS:
    void initTestCase()
    {
        const auto outcome = NestcRunner().run({"list", "targets", "--json"});
        for (const QJsonValue target : QJsonDocument::fromJson(outcome.out.toUtf8()).array()) {
            if (target["name"] == "opencl")
                m_hasDevice = !target["devices"].toArray().isEmpty();
        }
        if (!m_hasDevice)
            QSKIP("there is no OpenCL device");
    }

    void aLadderIsMeasured()
    {
        NestcRunner nestc;
        QStringList arguments{"measure",       "op:matmul(M=64,N=64,K=64)",
                              "--target",      "opencl",
                              "--seconds",     "0.01",
                              "--repetitions", "2",
                              "--json",        nestc.file("times.json"),
                              "--schedule"};
        for (const char *rung : {"0_one_thread_an_element", "1_shared_memory", "2_register_tile"})
            arguments << NestcRunner::example(QByteArray("schedules/gpu_matmul/") + rung + ".py");
        const auto outcome = nestc.run(arguments);
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(nestc.read("times.json").count("\"verified\""), 3);
    }

    void results()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run({"verify", "op:softmax(M=8,N=16)", "--target", "opencl"});
        COMPARE_STATUS(outcome, 0);
    }

    void whatGoesWrongIsSaid_data()
    {
        QTest::addColumn<QString>("module");
        QTest::addColumn<QString>("says");
        QTest::newRow("loops for ever") << endless << "did not finish within 2 s";
        QTest::newRow("divides by zero") << divides << "zero";
        QTest::newRow("too many threads") << tooMany << "threads";
    }
    void whatGoesWrongIsSaid()
    {
        QFETCH(QString, module);
        QFETCH(QString, says);
        NestcRunner nestc;
        const QString file = nestc.write("kernel.py", module.toUtf8());
        const auto outcome =
            nestc.run({"measure", file, "--target", "opencl", "--timeout", "2", "--repetitions", "1"});
        COMPARE_STATUS(outcome, 1);
        QVERIFY2((outcome.out + outcome.err).contains(says), qPrintable(outcome.out + outcome.err));
    }

    void modelsStayOnTheProcessor()
    {
        const auto outcome =
            NestcRunner().run({"bench-model", NestcRunner::example("models/transformer_encoder.onnx"),
                               "--target", "opencl", "--repetitions", "1"});
        QVERIFY(outcome.status != 0);
        QVERIFY2(outcome.err.contains("opencl"), qPrintable(outcome.err));
    }
};

QTEST_GUILESS_MAIN(DeviceCommandsTest)
#include "device_commands_test.moc"
