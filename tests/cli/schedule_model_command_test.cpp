// SPDX-License-Identifier: Apache-2.0
// A schedule on all kernels of a model, kept in a session that goes on with them.
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;
using nestwright::test::Outcome;

namespace {

const QStringList briefly{"--repetitions", "2", "--seconds", "0.002"};

QJsonObject jsonOf(const Outcome &outcome) { return QJsonDocument::fromJson(outcome.out.toUtf8()).object(); }

} // namespace

class ScheduleModelCommandTest : public QObject {
    Q_OBJECT
    NestcRunner m_nestc;
    QString m_model;

    Outcome schedule(const QStringList &arguments)
    {
        return m_nestc.run(QStringList{"schedule-model"} + arguments + briefly);
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_model = NestcRunner::example("models/transformer_encoder.onnx");
        if (m_nestc.run({"graph", m_model}).status != 0)
            QSKIP("built without the reader for ONNX");
    }

    void aTable()
    {
        const Outcome outcome = schedule({m_model, "--recipe", "rows", "--keep", "all"});
        COMPARE_STATUS(outcome, 0);
        const QStringList lines = outcome.out.split('\n');
        QVERIFY2(lines[0].startsWith("Fits 6 of 7 kernels: "), qPrintable(lines[0]));
        QVERIFY(lines[2].startsWith("kernel ") && lines[2].contains("with rows"));
        QCOMPARE(lines.filter(QRegularExpression(" kept$")).size(), 6);
        QVERIFY2(outcome.out.contains("does not fit [1]") && outcome.out.contains("\n[1] assert"),
                 qPrintable(outcome.out));
    }

    void theSessionHasWhatIsKept()
    {
        const Outcome kept =
            schedule({m_model, "--recipe", "rows", "--keep", "all", "--write", "kept.nest", "--json"});
        COMPARE_STATUS(kept, 0);
        int measured = 0;
        for (const auto &kernel : jsonOf(kept)["kernels"].toArray())
            measured += kernel.toObject()["after"].toObject()["verdict"].toString() == "verified" ? 1 : 0;
        QCOMPARE(measured, 6);
        const QJsonObject session = QJsonDocument::fromJson(m_nestc.read("kept.nest")).object();
        QCOMPARE(session["kernels"].toObject().size(), 6);
        QCOMPARE(session["model"].toObject()["path"].toString(), m_model);
        // Its kernels are scheduled so already.
        const Outcome again = schedule({"kept.nest", "--recipe", "rows", "--json", "--write", "again.nest"});
        COMPARE_STATUS(again, 0);
        for (const auto &each : jsonOf(again)["kernels"].toArray()) {
            const QJsonObject kernel = each.toObject();
            if (kernel["fits"].toBool())
                QCOMPARE(kernel["verdict"].toString(), QStringLiteral("scheduled so already"));
            QVERIFY(!kernel["kept"].toBool());
        }
        QCOMPARE(QJsonDocument::fromJson(m_nestc.read("again.nest")).object()["kernels"], session["kernels"]);
    }

    void aRecordedRecipe()
    {
        const QString kernel = QStringLiteral("packed_matmul_add_add");
        COMPARE_STATUS(m_nestc.run({"graph", m_model, "--schedule-of", kernel, "-o", m_nestc.file("own.py")}),
                       0);
        COMPARE_STATUS(
            m_nestc.run({"recipe", m_model + '#' + kernel, "--schedule", "own.py", "-o", "mine.py"}), 0);
        const Outcome outcome = schedule({m_model, "--recipe", "mine.py", "--json"});
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(jsonOf(outcome)["schedule"].toString(), QStringLiteral("mine"));
        int fitting = 0;
        for (const auto &each : jsonOf(outcome)["kernels"].toArray()) {
            fitting += each.toObject()["fits"].toBool() ? 1 : 0;
            if (each.toObject()["name"].toString() == kernel)
                QCOMPARE(each.toObject()["verdict"].toString(), QStringLiteral("scheduled so already"));
        }
        QVERIFY(fitting >= 2);
    }

    void whereItFitsNoKernel()
    {
        const Outcome outcome = schedule({m_model, "--recipe", "gemm_int8"});
        COMPARE_STATUS(outcome, 1);
        QVERIFY2(outcome.out.startsWith("Fits 0 of 7 kernels.\n"), qPrintable(outcome.out));
    }

    void refused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("fault");
        QTest::newRow("nothing to try") << QStringList{m_model} << "there is no schedule to try";
        QTest::newRow("two") << QStringList{m_model, "--recipe", "rows", "--recipe", "gemm"}
                             << "one is tried";
        QTest::newRow("no recipe") << QStringList{m_model, "--recipe", "row"} << "there is no recipe 'row'";
        QTest::newRow("no file") << QStringList{m_model, "--schedule", "none.py"} << "none.py";
        QTest::newRow("no model") << QStringList{"none.onnx", "--recipe", "rows"} << "none.onnx";
        QTest::newRow("no session") << QStringList{"none.nest", "--recipe", "rows"} << "none.nest";
        QTest::newRow("target") << QStringList{m_model, "--recipe", "rows", "--target", "x"} << "x";
        QTest::newRow("keep") << QStringList{m_model, "--recipe", "rows", "--keep", "some"} << "--keep";
        QTest::newRow("settings") << QStringList{"kept.nest", "--recipe", "rows", "-O", "1"}
                                  << "a session says itself";
    }

    void refused()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, fault);
        const Outcome outcome = schedule(arguments);
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains(fault), qPrintable(outcome.err));
    }
};

QTEST_GUILESS_MAIN(ScheduleModelCommandTest)
#include "schedule_model_command_test.moc"
