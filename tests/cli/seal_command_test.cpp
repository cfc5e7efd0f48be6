// SPDX-License-Identifier: Apache-2.0
// nestc verify --seal: sealed, of a smaller kernel, not equal by a step that is named, or not to be sealed,
// in words and as JSON.
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;
using nestwright::test::Outcome;

namespace {

/// Line 5 of these can be another step.
QByteArray script(const QByteArray &step)
{
    return "def apply_trace(sch):\n"
           "    b = sch.get_block(\"C\")\n"
           "    i, j, k = sch.get_loops(b)\n"
           "    i0, i1 = sch.split(i, [None, 8])\n"
           "    "
           + step
           + "\n"
             "    sch.unroll(i1)\n";
}

constexpr const char *right = "j0, j1 = sch.split(j, [None, 8])";
constexpr const char *narrowing =
    "w = sch.cache_write(b, 0, \"global\"); sch.unsafe_set_dtype(b, 0, \"float16\")";
constexpr const char *beyond = "j0, j1 = sch.split(j, [None, 7], disable_predication=True)";

} // namespace

class SealCommandTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void answers_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QByteArray>("step");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("says");
        QTest::addColumn<QString>("outcome");
        QTest::addColumn<QString>("code");
        const QString small = "op:matmul(M=48,N=40,K=32)", large = "op:matmul(M=1024,N=1024,K=1024)";
        QTest::newRow("sealed") << small << QByteArray(right) << 0
                                << "sealed: equal for every input, rounding apart" << "sealed" << "";
        QTest::newRow("smaller") << large << QByteArray(right) << 0 << "(of a smaller kernel: 1024 → "
                                 << "sealed" << "";
        QTest::newRow("narrowed") << small << QByteArray(narrowing) << 0 << "the seal does not apply: "
                                  << "does not apply" << "seal.narrowed";
        QTest::newRow("wrong") << small << QByteArray(beyond) << 1 << "not equal: " << "differs"
                               << "interp.out-of-domain";
        QTest::newRow("wrong, smaller") << large << QByteArray(beyond) << 1 << "not equal: " << "differs"
                                        << "interp.out-of-domain";
    }

    void answers()
    {
        QFETCH(QString, kernel);
        QFETCH(QByteArray, step);
        QFETCH(int, status);
        QFETCH(QString, says);
        QFETCH(QString, outcome);
        QFETCH(QString, code);
        NestcRunner nestc;
        const QStringList command{"verify", "--seal", kernel, "--schedule",
                                  nestc.write("s.py", script(step))};
        const Outcome text = nestc.run(command);
        COMPARE_STATUS(text, status);
        QVERIFY2(text.out.contains(says), qPrintable(text.out));
        const Outcome json = nestc.run(command + QStringList{"--json"});
        COMPARE_STATUS(json, status);
        const QJsonObject answer = QJsonDocument::fromJson(json.out.toUtf8()).object();
        QCOMPARE(answer["outcome"].toString(), outcome);
        QCOMPARE(answer["reason"]["code"].toString(), code);
        QCOMPARE(answer.contains("sizes"), kernel.contains("1024"));
        QVERIFY(answer["draws"].toInt() == 1 || outcome == "does not apply");
        if (outcome != "differs")
            return;
        QVERIFY2(text.out.contains("breaks it"), qPrintable(text.out));
        QVERIFY2(answer["step"]["sentence"].toString().contains("split"), qPrintable(json.out));
    }

    /// The schedule that stands in the kernel's own file.
    void ownSchedules()
    {
        NestcRunner nestc;
        const Outcome outcome =
            nestc.run({"verify", "--seal", QDir::current().filePath("examples/course/05_parallel.py")});
        COMPARE_STATUS(outcome, 0);
        QVERIFY2(outcome.out.contains("of a smaller kernel: 512 → "), qPrintable(outcome.out));
    }

    void muchWork()
    {
        NestcRunner nestc;
        const Outcome outcome = nestc.run({"verify", "--seal", "--recipe", "conv2d_int8:tiles=0",
                                           QDir::current().filePath("examples/conv2d_int8.py")});
        COMPARE_STATUS(outcome, 0);
        QVERIFY2(outcome.out.contains("the interpreter would go through")
                     && outcome.out.contains("--extent 0"),
                 qPrintable(outcome.out));
    }
};

QTEST_GUILESS_MAIN(SealCommandTest)
#include "seal_command_test.moc"
