// SPDX-License-Identifier: Apache-2.0
// A session on a kernel in place of the kernel, in every command: it stands for its current variant, or for
// that which is named.
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
        const auto rows = session->importSchedule(rowSteps, "rows.py");
        QVERIFY(rows.has_value());
        session->tree().setName(*rows, "rows");
        const auto end = session->importSchedule(std::string(rowSteps) + vectorSteps, "vectors.py");
        QVERIFY(end.has_value());
        session->tree().setName(*end, "vectors");
        m_nestc.write("K.nest", QByteArray::fromStdString(session::writeProject(*session)));
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

    void measuredByTheirNames()
    {
        const QString all = out({"measure", "K.nest", "--repetitions", "2", "--seconds", "0.001"});
        for (const char *name : {"unscheduled", "rows", "vectors"})
            QVERIFY2(all.contains(name), qPrintable(all));
        const QString one = out({"measure", "K.nest#rows", "--repetitions", "2", "--seconds", "0.001"});
        QVERIFY2(one.contains("rows") && !one.contains("vectors"), qPrintable(one));
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
