// SPDX-License-Identifier: Apache-2.0
// A session on a kernel in place of the kernel, in every command: it stands for its current variant, or for
// that which is named.
#include "core/ir/npy.h"
#include "core/session/files/project_file.h"
#include "tests/cli/nestc_runner.h"

using namespace nestwright;
using test::NestcRunner;
using test::Outcome;

namespace {

constexpr const char *rowSteps = R"(b = sch.get_block("C")
i, j, k = sch.get_loops(b)
sch.reorder(k, j)
)";
constexpr const char *vectorSteps = R"(j0, j1 = sch.split(j, [None, 8])
sch.vectorize(j1)
)";

} // namespace

class KernelSessionTest : public QObject {
    Q_OBJECT
    NestcRunner m_nestc;
    QString m_kernel = QStringLiteral("op:matmul(M=32,N=32,K=32)");

    std::optional<session::Session> m_session;

    /// The file of an array of zeros.
    QString array(const QString &name, const std::vector<std::int64_t> &shape) const
    {
        const auto written =
            ir::writeNpy(m_nestc.file(name).toStdString(), ir::NdArray(ir::DataType::float_(32), shape));
        return written ? m_nestc.file(name) : QString();
    }

    QString out(const QStringList &arguments)
    {
        const Outcome outcome = m_nestc.run(arguments);
        if (outcome.status != 0)
            qWarning("%s: %s", qPrintable(arguments.join(u' ')), qPrintable(outcome.err));
        return outcome.out;
    }

private Q_SLOTS:
    /// Unscheduled, "rows", and "vectors", which is current.
    void initTestCase()
    {
        auto session = session::Session::open(m_kernel.toStdString());
        QVERIFY(session.has_value());
        session->setTarget(target::parseTarget("c").value());
        const auto rows = session->importSchedule(rowSteps, "rows.py");
        QVERIFY(rows.has_value());
        session->tree().setName(*rows, "rows");
        const auto end = session->importSchedule(std::string(rowSteps) + vectorSteps, "vectors.py");
        QVERIFY(end.has_value());
        session->tree().setName(*end, "vectors");
        m_nestc.write("K.nest", QByteArray::fromStdString(session::writeProject(*session)));
        m_session = *session;
        m_nestc.write("rows.py", rowSteps);
        m_nestc.write("vectors.py", QByteArray(rowSteps) + vectorSteps);
        m_nestc.write("inner.py", "i, = sch.get_loops(sch.get_block('C'))[:1]\nsch.parallel(i)\n");
    }

    void itStandsForItsCurrentVariant()
    {
        const QString vectors = out({"apply", m_kernel, "--schedule", "vectors.py"});
        QVERIFY(vectors.contains("T.vectorized(8)"));
        QCOMPARE(out({"print", "K.nest"}), vectors);
        QCOMPARE(out({"source", "K.nest", "--target", "c"}),
                 out({"source", m_kernel, "--schedule", "vectors.py", "--target", "c"}));
        QCOMPARE(out({"lower", "K.nest"}), out({"lower", m_kernel, "--schedule", "vectors.py"}));
        for (const QStringList &module : {QStringList{"K.nest"}, {m_kernel, "--schedule", "vectors.py"}})
            COMPARE_STATUS(
                m_nestc.run(QStringList{"export"} + module
                            + QStringList{"--format", "c", "-o", module.front() == "K.nest" ? "a.c" : "b.c"}),
                0);
        QVERIFY(!m_nestc.read("a.c").isEmpty());
        QCOMPARE(QString(m_nestc.read("a.c")).replace("a_", "b_"),
                 QString(m_nestc.read("b.c")).replace("a_", "b_"));
        COMPARE_STATUS(m_nestc.run({"verify", "K.nest"}), 0);
        COMPARE_STATUS(m_nestc.run({"equal", "K.nest", "K.nest#vectors"}), 0);
        QVERIFY(out({"layout", "K.nest"}) == out({"layout", m_kernel, "--schedule", "vectors.py"}));
        QVERIFY(out({"suggest", "K.nest"}).contains("j_1"));
    }

    void othersByName()
    {
        const QString plain = out({"print", m_kernel}),
                      rows = out({"apply", m_kernel, "--schedule", "rows.py"});
        QVERIFY(plain != rows);
        QCOMPARE(out({"print", "K.nest#unscheduled"}), plain);
        QCOMPARE(out({"print", "K.nest", "--variant", "unscheduled"}), plain);
        QCOMPARE(out({"print", "--variant", "#0", "K.nest"}), plain);
        QCOMPARE(out({"print", "K.nest#rows"}), rows);
        QCOMPARE(out({"print", "K.nest#1"}), rows);
        QCOMPARE(out({"source", "K.nest", "--variant", "rows", "--target", "c"}),
                 out({"source", m_kernel, "--schedule", "rows.py", "--target", "c"}));
        for (const QStringList &named : {QStringList{"K.nest#vector"}, {"K.nest", "--variant", "vector"}}) {
            const Outcome none = m_nestc.run(QStringList{"print"} + named);
            COMPARE_STATUS(none, 2);
            QVERIFY2(none.err.contains("has no variant named \"vector\"") && none.err.contains("vectors"),
                     qPrintable(none.err));
        }
    }

    /// A schedule runs on the unscheduled program, or on the variant that is named.
    void schedulesOnIt()
    {
        QCOMPARE(out({"apply", "K.nest", "--schedule", "rows.py"}), out({"print", "K.nest#rows"}));
        const QString both = out({"apply", "K.nest#vectors", "--schedule", "inner.py"});
        QVERIFY(both.contains("T.parallel(32)") && both.contains("T.vectorized(8)"));
        COMPARE_STATUS(m_nestc.run({"verify", "K.nest#rows", "--schedule", "inner.py", "--seal"}), 0);
    }

    /// All variants that a window on the session measures: those without names have their number and step.
    void measuredAsInTheWindow()
    {
        const QStringList briefly{"--repetitions", "2", "--seconds", "0.001"};
        const QString all = out(QStringList{"measure", "K.nest"} + briefly);
        for (const char *name : {"unscheduled", "rows", "#2 split(j, [None, 8])", "vectors"})
            QVERIFY2(all.contains(name), qPrintable(all));
        QVERIFY2(out(QStringList{"measure", "K.nest", "--json", "-"} + briefly).contains("\"target\": \"c\""),
                 qPrintable(all));
        const QString one = out(QStringList{"measure", "K.nest#rows"} + briefly);
        QVERIFY2(one.contains("unscheduled") && one.contains("rows") && !one.contains("vectors"),
                 qPrintable(one));
        const QString scheduled = out(QStringList{"measure", "K.nest", "--schedule", "rows.py"} + briefly);
        QVERIFY2(scheduled.contains("rows") && !scheduled.contains("vectors"), qPrintable(scheduled));
        const QString elsewhere =
            out(QStringList{"measure", "K.nest#rows", "--target", "llvm", "--json", "-"} + briefly);
        QVERIFY2(elsewhere.contains("\"target\": \"llvm\""), qPrintable(elsewhere));
    }

    /// The inputs that the session has; those of --in stand in their place.
    void measuredWithItsInputs()
    {
        session::Session session = *m_session;
        session.setInputs({{"A", {array("small.npy", {4, 4}).toStdString()}}});
        m_nestc.write("inputs.nest", QByteArray::fromStdString(session::writeProject(session)));
        const QStringList briefly{"measure", "inputs.nest#rows", "--repetitions", "2", "--seconds", "0.001"};
        const Outcome refused = m_nestc.run(briefly);
        QVERIFY2(refused.status == 2 && refused.err.contains("measure.input"), qPrintable(refused.err));
        COMPARE_STATUS(m_nestc.run(briefly + QStringList{"--in", "A=" + array("whole.npy", {32, 32})}), 0);
    }

    /// The same option for files with schedules of their own.
    void filesWithSchedules()
    {
        const QString file = NestcRunner::example("matmul.py");
        QCOMPARE(out({"print", file, "--variant", "unscheduled"}), out({"print", file + "#unscheduled"}));
    }
};

QTEST_GUILESS_MAIN(KernelSessionTest)
#include "kernel_session_test.moc"
