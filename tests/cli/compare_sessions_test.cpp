// SPDX-License-Identifier: Apache-2.0
// Two session files: of one kernel, or of one model.
#include "core/session/files/project_file.h"
#include "tests/cli/nestc_runner.h"

using namespace nestwright;
using test::NestcRunner;
using test::Outcome;

namespace {

constexpr const char *fastSteps = R"(b = sch.get_block("C")
i, j, k = sch.get_loops(b)
sch.reorder(k, j)
j0, j1 = sch.split(j, [None, 8])
sch.vectorize(j1)
)";

/// The kernel unscheduled and, as the variant "fast", in vectors; `isFast`: the second is current.
QByteArray sessionText(const std::string &kernel, bool isFast)
{
    auto session = session::Session::open(kernel);
    if (!session)
        qFatal("%s", session.error().render().c_str());
    const auto end = session->importSchedule(fastSteps, "fast.py");
    if (!end)
        qFatal("%s", end.error().render().c_str());
    session->tree().setName(*end, "fast");
    if (!isFast)
        session->tree().setCurrent(session->tree().root().id);
    return QByteArray::fromStdString(session::writeProject(*session));
}

QJsonObject jsonOf(const Outcome &outcome) { return QJsonDocument::fromJson(outcome.out.toUtf8()).object(); }

} // namespace

class CompareSessionsTest : public QObject {
    Q_OBJECT
    NestcRunner m_nestc;
    QString m_encoder = NestcRunner::example("models/transformer_encoder.onnx");
    bool m_haveModels = false;

    Outcome compare(const QStringList &arguments) { return m_nestc.run(QStringList{"compare"} + arguments); }

private Q_SLOTS:
    void initTestCase()
    {
        const std::string kernel = "op:matmul(M=256,N=256,K=256)";
        m_nestc.write("plain.nest", sessionText(kernel, false));
        m_nestc.write("fast.nest", sessionText(kernel, true));
        m_nestc.write("copy.nest", sessionText(kernel, true));
        m_nestc.write("other.nest", sessionText("op:matmul(M=256,N=256,K=128)", true));
        const Outcome kept =
            m_nestc.run({"schedule-model", m_encoder, "--recipe", "rows", "--keep", "all", "--write",
                         "rows.nest", "--repetitions", "2", "--seconds", "0.002"});
        m_haveModels = kept.status == 0;
        m_nestc.write("rows_copy.nest", m_nestc.read("rows.nest"));
        m_nestc.run({"schedule-model", m_encoder, "--recipe", "gemm_int8", "--write", "usual.nest"});
        m_nestc.run(
            {"schedule-model", m_encoder, "-O", "1", "--recipe", "gemm_int8", "--write", "level.nest"});
        m_nestc.run({"schedule-model", NestcRunner::example("models/two_sizes.onnx"), "--size", "batch=1",
                     "--recipe", "gemm_int8", "--write", "unlike.nest"});
    }

    void theCurrentVariants()
    {
        const Outcome outcome = compare({"plain.nest", "fast.nest"});
        COMPARE_STATUS(outcome, 0);
        QVERIFY2(outcome.out.contains("'fast'") && outcome.out.contains("'plain'"), qPrintable(outcome.out));
        QVERIFY2(outcome.out.contains("j_1 vector"), qPrintable(outcome.out));
    }

    /// A copy of a file is not significantly faster or slower, whatever the machine does.
    void aCopy()
    {
        const Outcome outcome =
            compare({"fast.nest", "copy.nest", "--fail-below", "0.98", "--json", "--repetitions", "3"});
        COMPARE_STATUS(outcome, 0);
        const QJsonObject json = jsonOf(outcome);
        QCOMPARE(json["same-code"].toBool(), true);
        QCOMPARE(json["names"].toArray(), (QJsonArray{"fast", "copy"}));
        QVERIFY(json["speedup"].toObject()["ratio"].toDouble() > 0);
        QCOMPARE(json["speedup"].toObject()["significant"].toBool(true), false);
        const Outcome text = compare({"fast.nest", "fast.nest", "--measure", "--repetitions", "3"});
        COMPARE_STATUS(text, 0);
        QVERIFY2(text.out.contains("'fast 2' is ") && text.out.contains(", not significant."),
                 qPrintable(text.out));
    }

    void aSlowerOneFails()
    {
        const Outcome slower =
            compare({"fast.nest", "plain.nest", "--fail-below", "0.9", "--repetitions", "5"});
        COMPARE_STATUS(slower, 1);
        COMPARE_STATUS(compare({"plain.nest", "fast.nest", "--fail-below", "0.9", "--repetitions", "5"}), 0);
    }

    void variantsByName()
    {
        const Outcome both = compare({"plain.nest", "fast.nest", "--variant", "fast", "--json"});
        COMPARE_STATUS(both, 0);
        QCOMPARE(jsonOf(both)["same-code"].toBool(), true);
        const Outcome each = compare({"fast.nest", "fast.nest", "--variant", "unscheduled,fast", "--json"});
        COMPARE_STATUS(each, 0);
        QCOMPARE(jsonOf(each)["names"].toArray(), (QJsonArray{"unscheduled", "fast"}));
        QCOMPARE(jsonOf(each)["same-code"].toBool(), false);
        COMPARE_STATUS(compare({"fast.nest", "fast.nest", "--variant", "#0,#1"}), 0);
        const Outcome named = compare({"plain.nest", "fast.nest", "--names", "old,new", "--json"});
        QCOMPARE(jsonOf(named)["names"].toArray(), (QJsonArray{"old", "new"}));
    }

    void refused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("fault");
        QTest::newRow("kernel") << QStringList{"fast.nest", "other.nest"}
                                << "are sessions on different kernels: main";
        QTest::newRow("variant") << QStringList{"fast.nest", "copy.nest", "--variant", "fest"}
                                 << "did you mean 'fast'";
        QTest::newRow("three") << QStringList{"fast.nest", "copy.nest", "--variant", "a,b,c"}
                               << "more than two variants";
        QTest::newRow("file") << QStringList{"fast.nest", "none.nest"} << "none.nest";
        QTest::newRow("no session") << QStringList{"fast.nest", "op:matmul(M=8,N=8,K=8)"}
                                    << "\"op:matmul(M=8,N=8,K=8)\" is no session";
        QTest::newRow("schedule") << QStringList{"fast.nest", "copy.nest", "--recipe", "gemm"}
                                  << "by their own schedules";
    }

    void refused()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, fault);
        const Outcome outcome = compare(arguments);
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains(fault), qPrintable(outcome.err));
    }

    void aModelAndItsCopy()
    {
        if (!m_haveModels)
            QSKIP("built without the reader for ONNX");
        const Outcome outcome =
            compare({"rows.nest", "rows_copy.nest", "--fail-below", "0.98", "--json", "--repetitions", "4"});
        COMPARE_STATUS(outcome, 0);
        const QJsonObject json = jsonOf(outcome);
        QCOMPARE(json["kernels"].toArray().size(), 7);
        QCOMPARE(json["total"].toObject()["same"].toBool(), true);
        QCOMPARE(json["total"].toObject()["speedup"].toObject()["significant"].toBool(true), false);
        for (const auto &kernel : json["kernels"].toArray()) {
            QVERIFY(kernel.toObject()["same"].toBool());
            QCOMPARE(kernel.toObject()["speedup"].toObject()["significant"].toBool(true), false);
        }
    }

    void modelsKernelByKernel()
    {
        if (!m_haveModels)
            QSKIP("built without the reader for ONNX");
        const Outcome untimed = compare({"usual.nest", "rows.nest"});
        COMPARE_STATUS(untimed, 0);
        QVERIFY2(untimed.out.startsWith("6 of 7 kernels have another schedule in 'rows' than in 'usual'."),
                 qPrintable(untimed.out));
        QCOMPARE(untimed.out.count("the same program"), 1);
        const Outcome timed = compare({"usual.nest", "rows.nest", "--measure", "--repetitions", "4"});
        COMPARE_STATUS(timed, 0);
        QVERIFY2(timed.out.contains("'rows' is ") && timed.out.contains("\ntotal "), qPrintable(timed.out));
        QVERIFY(timed.out.contains("usual ms") && timed.out.contains("rows ms"));
    }

    void unlikeModels_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("fault");
        QTest::newRow("kernel and model")
            << QStringList{"fast.nest", "rows.nest"} << "one is a session on a model, the other on a kernel";
        QTest::newRow("settings") << QStringList{"usual.nest", "level.nest"} << "optimised in another way";
        QTest::newRow("variant") << QStringList{"usual.nest", "rows.nest", "--variant", "fast"}
                                 << "no variants of their own";
    }

    void unlikeModels()
    {
        if (!m_haveModels)
            QSKIP("built without the reader for ONNX");
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, fault);
        const Outcome outcome = compare(arguments);
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains(fault), qPrintable(outcome.err));
    }

    void otherModels()
    {
        if (m_nestc.read("unlike.nest").isEmpty())
            QSKIP("there is no session on another model");
        const Outcome outcome = compare({"usual.nest", "unlike.nest"});
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("are not sessions on the same model"), qPrintable(outcome.err));
    }
};

QTEST_GUILESS_MAIN(CompareSessionsTest)
#include "compare_sessions_test.moc"
