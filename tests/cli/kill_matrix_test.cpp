// SPDX-License-Identifier: Apache-2.0
// Kills processes at random moments: none goes on alone, and the temporary folder is swept.
// NESTWRIGHT_KILL_COUNT says how many moments, NESTWRIGHT_KILL_SEED which.
#include "tests/cli/nestc_runner.h"
#include "tests/support/processes.h"

#include <csignal>
#include <map>
#include <random>
#include <sys/prctl.h>

using nestwright::test::NestcRunner;
using namespace nestwright::tests;

namespace {

constexpr auto kernel = R"(
@T.prim_func
def main(A: T.Buffer((256, 256), "float32"), B: T.Buffer((256, 256), "float32"),
         C: T.Buffer((256, 256), "float32")):
    for i, j, k in T.grid(256, 256, 256):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

} // namespace

class KillMatrixTest : public QObject {
    Q_OBJECT

    NestcRunner m_files;
    std::mt19937_64 m_random;

    std::uint64_t below(std::uint64_t bound) { return m_random() % bound; }

    std::vector<QStringList> commands() const
    {
        const QStringList lasting{"--seconds", "5", "--repetitions", "50"};
        return {QStringList{"measure", m_files.file("kernel.py")} + lasting,
                QStringList{"measure", m_files.file("kernel.py"), "--target", "c"} + lasting,
                {"run", m_files.file("kernel.py"), "--target", "c"},
                {"run", m_files.file("endless.py")},
                {"bench-model", NestcRunner::example("models/transformer_encoder.onnx"), "--repetitions",
                 "1000000"}};
    }

private Q_SLOTS:
    void initTestCase()
    {
        QCOMPARE(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
        m_random.seed(qEnvironmentVariable("NESTWRIGHT_KILL_SEED", "1").toULongLong());
        m_files.write("kernel.py", kernel);
        m_files.write("endless.py", "@T.prim_func\ndef main(A: T.Buffer((4,), \"int32\")):\n"
                                    "    while A[0] < 1:\n        A[1] = A[1] + 1\n");
        QVERIFY(QDir(m_files.file(".")).mkdir("tmp"));
        qputenv("TMPDIR", m_files.file("tmp").toUtf8());
    }

    void cleanup() { endDescendants(); }

    void nothingGoesOnAlone()
    {
        const qint64 count = qEnvironmentVariable("NESTWRIGHT_KILL_COUNT", "80").toLongLong();
        std::map<QByteArray, int> killed;
        for (qint64 round = 0; round < count; ++round) {
            const auto all = commands();
            const QStringList &command = all[below(all.size())];
            QProcess process;
            process.start(qEnvironmentVariable("NESTWRIGHT_BIN_DIR") + "/nestc", command);
            QVERIFY(process.waitForStarted());
            process.waitForFinished(int(below(1200)));
            const auto running = descendants();
            if (running.empty())
                continue;
            const pid_t victim = running[below(running.size())];
            const bool isParent = victim == process.processId();
            ++killed[nameOf(victim)];
            ::kill(victim, SIGKILL);
            // Where a part was killed, the command may go on without it, or end with an error: but it ends
            // when it is killed.
            if (!isParent && !process.waitForFinished(int(below(1000))))
                process.kill();
            QVERIFY(process.state() == QProcess::NotRunning || process.waitForFinished(60000));
            QVERIFY2(
                allGone(2000),
                qPrintable(
                    QString("round %1, %2: %3").arg(round).arg(command.join(' '), describe(descendants()))));
        }
        for (const auto &[name, times] : killed)
            qInfo("%s: killed %d times", name.constData(), times);
    }

    /// The next command clears away their leftovers; folders in use, and those of others, stay.
    void leftFoldersAreSwept()
    {
        const QDir temporary(m_files.file("tmp"));
        const QStringList quick{"measure", m_files.file("kernel.py"), "--seconds",
                                "0.01",    "--repetitions",           "1"};
        QCOMPARE(m_files.run(quick).status, 0); // sweeps leftovers of the killed ones
        QVERIFY(temporary.mkdir("nestwright-mine"));
        QProcess lasting;
        lasting.start(qEnvironmentVariable("NESTWRIGHT_BIN_DIR") + "/nestc", commands().front());
        QVERIFY(lasting.waitForStarted());
        const auto folders = [&] { return temporary.entryList({"nestwright-*"}, QDir::Dirs); };
        QTRY_VERIFY_WITH_TIMEOUT(folders().size() > 1, 20000);
        const QStringList before = folders();
        QCOMPARE(m_files.run(quick).status, 0);
        const QStringList after = folders(); // the one that runs may have made another meanwhile
        for (const QString &each : before)   // of the one that runs, and the one without a lock
            QVERIFY2(after.contains(each), qPrintable(each));
        lasting.kill();
        QVERIFY(lasting.waitForFinished(5000));
        QVERIFY(allGone(2000));
        QCOMPARE(m_files.run(quick).status, 0);
        QCOMPARE(folders(), QStringList{"nestwright-mine"});
    }
};

QTEST_GUILESS_MAIN(KillMatrixTest)
#include "kill_matrix_test.moc"
