// SPDX-License-Identifier: Apache-2.0
// nestc while one system call fails: whole files, one error, no crash. A sample of all calls;
// NESTWRIGHT_FAULT_ALL=1 takes all.
#include "tests/cli/nestc_runner.h"
#include "tests/support/fault_places.h"

#include <QElapsedTimer>
#include <cerrno>
#include <cstring>

using nestwright::test::NestcRunner;

namespace {

constexpr int longest = 60000; ///< ms

struct Fault {
    const char *kind;
    int error;
};

const QByteArray kernel = R"(from tvm import te
A = te.placeholder((16, 16), name="A")
B = te.compute((16, 16), lambda i, j: A[i, j] + 1.0, name="B")
func = te.create_prim_func([A, B])
)";

const QByteArray schedule = R"(def apply_trace(sch):
  b0 = sch.get_block(name="B", func_name="main")
  l1, l2 = sch.get_loops(block=b0)
  sch.parallel(loop=l1)
)";

} // namespace

class NestcFaultsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString file(const QString &name) const { return m_folder.filePath(name); }
    void write(const QString &name, const QByteArray &text) const
    {
        QFile out(file(name));
        QVERIFY(out.open(QIODevice::WriteOnly) && out.write(text) == text.size());
    }
    QByteArray read(const QString &name) const
    {
        QFile in(file(name));
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
    }

    /// Runs nestc with the n-th call failing; says whether there was an n-th.
    bool run(const QStringList &arguments, const Fault &fault, int n, QString &wrong)
    {
        const QString mark = file(QStringLiteral("fired"));
        QFile::remove(mark);
        QProcess nestc;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LD_PRELOAD", qEnvironmentVariable("NESTWRIGHT_FAULTS_LIBRARY"));
        environment.insert("NESTWRIGHT_FAULT",
                           QStringLiteral("%1:%2:%3").arg(fault.kind).arg(n).arg(fault.error));
        environment.insert("NESTWRIGHT_FAULT_MARK", mark);
        environment.insert("NESTWRIGHT_CRASH_REPORTS", "0");
        environment.insert("XDG_CACHE_HOME", file(QStringLiteral("cache")));
        nestc.setProcessEnvironment(environment);
        nestc.setWorkingDirectory(m_folder.path());
        nestc.start(qEnvironmentVariable("NESTWRIGHT_BIN_DIR") + "/nestc", arguments);
        const QString what =
            QStringLiteral("%1 call %2: %3: ").arg(fault.kind).arg(n).arg(strerror(fault.error));
        if (!nestc.waitForFinished(longest)) {
            nestc.kill();
            nestc.waitForFinished();
            wrong = what + "does not end";
            return false;
        }
        const QString errors = QString::fromUtf8(nestc.readAllStandardError());
        const int status = nestc.exitStatus() == QProcess::NormalExit ? nestc.exitCode() : -1;
        if (status < 0 || status > 2)
            wrong = what + QStringLiteral("status %1\n%2").arg(status).arg(errors);
        else if (status == 1 && errors.isEmpty() && !nestc.readAllStandardOutput().isEmpty())
            ; // the result of a variant says why it was not measured
        else if (status != 0 && errors.count("error: ") != 1)
            wrong = what + QStringLiteral("%1 errors\n%2").arg(errors.count("error: ")).arg(errors);
        return QFile::exists(mark);
    }

    /// `check` looks at the files after each run.
    template <class Check>
    void runAll(const QStringList &arguments, const std::vector<Fault> &faults, const Check &check)
    {
        int runs = 0;
        for (const Fault &fault : faults) {
            QString wrong;
            nestwright::tests::FaultPlaces place;
            for (; run(arguments, fault, place.current(), wrong); place.next()) {
                ++runs;
                QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
                const QString damaged = check();
                QVERIFY2(damaged.isEmpty(),
                         qPrintable(QStringLiteral("%1 call %2: ").arg(fault.kind).arg(place.current())
                                    + damaged));
            }
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
        qInfo("%d calls made to fail", runs);
        QVERIFY(runs > 0);
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(QFile::exists(qEnvironmentVariable("NESTWRIGHT_FAULTS_LIBRARY")));
        write(QStringLiteral("kernel.py"), kernel);
        write(QStringLiteral("schedule.py"), schedule);
    }

    /// The old file or the new one, and nothing beside it.
    void saving()
    {
        const QString out = QStringLiteral("out.py");
        const QStringList arguments{"apply", "kernel.py", "--schedule", "schedule.py", "-o", out};
        QString none;
        run(arguments, {"open", EIO}, -1, none);
        const QByteArray scheduled = read(out);
        QVERIFY(scheduled.contains("T.parallel"));
        const QByteArray old = "the old file\n";
        write(out, old);
        runAll(arguments,
               {{"write", ENOSPC},
                {"write", EIO},
                {"fsync", EIO},
                {"rename", EIO},
                {"open", EMFILE},
                {"open", ENOSPC}},
               [&]() -> QString {
                   const QByteArray now = read(out);
                   write(out, old);
                   const QStringList left =
                       QDir(m_folder.path()).entryList({".out*", "out*"}, QDir::Files | QDir::Hidden);
                   if (left != QStringList{out})
                       return left.join(' ');
                   return now == old || now == scheduled ? QString() : QString::fromUtf8("torn: " + now);
               });
    }

    void measuring()
    {
        runAll({"measure", "kernel.py", "--repetitions", "2", "--seconds", "0.001", "--json", "times.json"},
               {{"fork", EAGAIN}, {"open", EMFILE}, {"write", ENOSPC}, {"mmap", ENOMEM}},
               [] { return QString(); });
    }

    void runningAModel()
    {
        const QString model = NestcRunner::example(QStringLiteral("models/transformer_encoder.onnx"));
        if (!QFile::exists(model))
            QSKIP("there is no model");
        runAll({"run-model", model, "--random", "--json", "statistics.json"},
               {{"fork", EAGAIN}, {"open", EMFILE}, {"write", ENOSPC}, {"mmap", ENOMEM}},
               [] { return QString(); });
    }
};

QTEST_GUILESS_MAIN(NestcFaultsTest)
#include "nestc_test.moc"
