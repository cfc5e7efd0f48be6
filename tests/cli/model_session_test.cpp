// SPDX-License-Identifier: Apache-2.0
// A session on a model in place of the model, in every command: its schedules are those of the kernels, its
// times are kept in it and become reports.
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;
using nestwright::test::Outcome;

class ModelSessionTest : public QObject {
    Q_OBJECT
    NestcRunner m_nestc;
    QString m_model, m_kernel;

    QJsonObject session() const { return QJsonDocument::fromJson(m_nestc.read("M.nest")).object(); }

    Outcome run(const QStringList &arguments)
    {
        const Outcome outcome = m_nestc.run(arguments);
        if (outcome.status != 0)
            qWarning("%s: %s", qPrintable(arguments.join(u' ')), qPrintable(outcome.err));
        return outcome;
    }

private Q_SLOTS:
    /// Some kernels get the schedule of a recipe; the first of them is looked at.
    void initTestCase()
    {
        m_model = NestcRunner::example("models/transformer_encoder.onnx");
        const Outcome made =
            m_nestc.run({"schedule-model", m_model, "--recipe", "rows", "--keep", "all", "--repetitions", "2",
                         "--seconds", "0.001", "--budget", "0.05", "--write", "M.nest"});
        if (made.err.contains("ONNX"))
            QSKIP("built without the reader for ONNX");
        COMPARE_STATUS(made, 0);
        const QJsonObject kernels = session()["kernels"].toObject();
        QVERIFY(!kernels.isEmpty());
        m_kernel = kernels.keys().front();
    }

    /// Scheduling itself has timed the model as it is now.
    void schedulingKeepsTimes()
    {
        const QJsonArray times = session()["times"].toArray();
        QCOMPARE(times.size(), 1);
        const QJsonObject first = times[0].toObject();
        QVERIFY(first["seconds"].toDouble() > 0 && !first["machine"].toString().isEmpty());
        QVERIFY(
            QRegularExpression("^20\\d\\d-\\d\\d-\\d\\dT.*Z$").match(first["date"].toString()).hasMatch());
        double nodes = 0, kernels = 0;
        for (const QJsonValue &node : first["nodes"].toArray())
            nodes += node["seconds"].toDouble();
        for (const QJsonValue &kernel : first["kernels"].toArray())
            kernels += kernel["seconds"].toDouble();
        QVERIFY(nodes > 0 && std::abs(nodes - kernels) < 1e-9 + 1e-6 * nodes);
    }

    void benchingKeepsTimesAndAllElse()
    {
        QJsonObject before = session();
        QVERIFY(run({"bench-model", "M.nest", "--repetitions", "3"}).status == 0);
        QJsonObject after = session();
        QCOMPARE(after["times"].toArray().size(), before["times"].toArray().size() + 1);
        QVERIFY(after["times"].toArray().last()["runs"].toInt() == 3);
        before.remove("times");
        after.remove("times");
        QCOMPARE(after, before);
    }

    /// The same numbers as of the model itself, to the last bits that another order of sums allows.
    void itRunsAsTheModel()
    {
        const auto outputs = [&](const QString &model) {
            const Outcome ran = run({"run-model", model, "--random", "--json", "-"});
            return QJsonDocument::fromJson(ran.out.toUtf8());
        };
        const QJsonDocument own = outputs(m_model), ofSession = outputs("M.nest");
        QVERIFY(!own.isNull() && !ofSession.isNull());
        QCOMPARE(ofSession.isArray() ? ofSession.array().size() : ofSession.object().size(),
                 own.isArray() ? own.array().size() : own.object().size());
    }

    void exportTakesItsSchedules()
    {
        QVERIFY(run({"export", "M.nest", "--format", "c", "-o", m_nestc.file("s.c")}).status == 0);
        const QByteArray scheduled = m_nestc.read("s_kernels.c");
        QVERIFY(run({"export", m_model, "--format", "c", "-o", m_nestc.file("s.c")}).status == 0);
        QVERIFY(!scheduled.isEmpty() && scheduled != m_nestc.read("s_kernels.c"));
        QVERIFY(run({"export", "M.nest", "--format", "shared", "-o", m_nestc.file("s.so")}).status == 0);
    }

    void graphsAreThoseOfTheModel()
    {
        for (const char *form : {"relay", "tasks", "dot", "memory"}) {
            const Outcome ofSession = run({"graph", "M.nest", "--print", form});
            COMPARE_STATUS(ofSession, 0);
            if (QByteArray(form) != "memory")
                QCOMPARE(ofSession.out, run({"graph", m_model, "--print", form}).out);
        }
        const Outcome script = run({"graph", "M.nest", "--schedule-of", m_kernel});
        COMPARE_STATUS(script, 0);
        QVERIFY(script.out != run({"graph", m_model, "--schedule-of", m_kernel}).out);
    }

    /// Commands on kernels take one by its name, or the one that is open in the session.
    void kernelsByName()
    {
        const QString kernel = "M.nest#" + m_kernel;
        const Outcome printed = run({"print", kernel}), opened = run({"print", "M.nest"});
        COMPARE_STATUS(printed, 0);
        COMPARE_STATUS(opened, 0);
        QVERIFY(printed.out.contains("@T.prim_func") && opened.out.contains("@T.prim_func"));
        QVERIFY2(opened.err.contains("its open kernel is taken"), qPrintable(opened.err));
        QVERIFY(printed.out != run({"print", m_model + '#' + m_kernel}).out); // which is unscheduled
        QVERIFY(run({"source", kernel, "--target", "c"}).status == 0);
        const Outcome measured = run({"measure", kernel, "--repetitions", "2"});
        COMPARE_STATUS(measured, 0);
        QVERIFY2(measured.out.contains("unscheduled") && measured.out.contains("rows"),
                 qPrintable(measured.out));
        QVERIFY(run({"report", kernel, "-o", m_nestc.file("k.html")}).status == 0);
        QVERIFY(m_nestc.read("k.html").contains("Schedule script"));
        const Outcome none = m_nestc.run({"print", "M.nest#none"});
        COMPARE_STATUS(none, 2);
        QVERIFY2(none.err.contains("the model has no kernel \"none\""), qPrintable(none.err));
    }

    void reportsOfEveryForm()
    {
        for (const char *file : {"r.html", "r.md", "r.csv", "r.json"})
            QVERIFY(run({"report", "M.nest", "-o", m_nestc.file(file)}).status == 0);
        const QJsonObject json = QJsonDocument::fromJson(m_nestc.read("r.json")).object();
        const QJsonArray kernels = json["kernels"].toArray(), times = json["times"].toArray();
        QVERIFY(!kernels.isEmpty() && !times.isEmpty());
        const QByteArray machine = times.last()["machine"].toString().toUtf8(),
                         date = times.last()["date"].toString().toUtf8();
        bool isNamed = false;
        for (const QJsonValue &kernel : kernels)
            isNamed = isNamed || (kernel["name"] == m_kernel && kernel["schedule"] != "default");
        QVERIFY(isNamed);
        const QByteArray csv = m_nestc.read("r.csv");
        QVERIFY(csv.startsWith("kind,name,kernel,nodes,seconds,"));
        QVERIFY(csv.contains("\nmodel,") && csv.contains("\nkernel,") && csv.contains("\nnode,"));
        for (const char *file : {"r.html", "r.csv"})
            QVERIFY2(m_nestc.read(file).contains(date) && m_nestc.read(file).contains(machine.left(3)), file);
        QVERIFY(m_nestc.read("r.md").contains("| kernel | nodes | ms |"));
        QVERIFY(!m_nestc.read("r.html").contains("<script"));
    }

    void aSessionWithoutTimesHasAReport()
    {
        QJsonObject bare = session();
        bare.remove("times");
        m_nestc.write("bare.nest", QJsonDocument(bare).toJson());
        QVERIFY(run({"report", "bare.nest", "-o", m_nestc.file("b.md")}).status == 0);
        QVERIFY(m_nestc.read("b.md").contains("Not timed yet"));
        QVERIFY(run({"bench-model", "bare.nest", "--repetitions", "1"}).status == 0);
        QVERIFY(m_nestc.read("bare.nest").contains("\"times\""));
    }

    void wrongSessionsSayWhatTheyAre()
    {
        const Outcome settings = m_nestc.run({"bench-model", "M.nest", "-O", "1"});
        COMPARE_STATUS(settings, 2);
        QVERIFY(settings.err.contains("a session says itself how its model is made"));
        QJsonObject moved = session();
        QJsonObject model = moved["model"].toObject();
        model["path"] = "/nowhere/gone.onnx";
        moved["model"] = model;
        m_nestc.write("moved.nest", QJsonDocument(moved).toJson());
        for (const QStringList &command :
             {QStringList{"bench-model"}, QStringList{"run-model"}, QStringList{"graph"},
              QStringList{"export", "--format", "c", "-o", "x.c"}}) {
            const Outcome outcome = m_nestc.run(command + QStringList{"moved.nest"});
            COMPARE_STATUS(outcome, 2);
            QVERIFY2(outcome.err.contains("the model of this session"), qPrintable(outcome.err));
        }
        const Outcome sized = m_nestc.run({"report", "M.nest", "--measure", "-o", "x.html"});
        COMPARE_STATUS(sized, 2);
    }
};

QTEST_GUILESS_MAIN(ModelSessionTest)
#include "model_session_test.moc"
