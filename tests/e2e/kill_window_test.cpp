// SPDX-License-Identifier: GPL-3.0-or-later
// The window, or what it has started, is killed at random moments of opening, scheduling and saving, of
// measuring a kernel and a model: nothing goes on without it, no file is torn, what was said to be saved is
// there, and the next start offers what was open. NESTWRIGHT_KILL_COUNT says how many moments,
// NESTWRIGHT_KILL_SEED which.
#include "core/session/files/project_file.h"
#include "core/session/model/model_project.h"
#include "tests/e2e/driven_window.h"
#include "tests/support/processes.h"
#include "tests/support/sanitized.h"
#include "widgets/document/files/left_behind.h"

#include <QDir>
#include <QTemporaryDir>

#include <csignal>
#include <map>
#include <random>
#include <set>
#include <sys/prctl.h>

using namespace nestwright;
using e2e::Driver;

namespace {

const char *const kernel = R"(from tvm import te
A = te.placeholder((256, 256), name="A")
B = te.placeholder((256, 256), name="B")
k = te.reduce_axis((0, 256), name="k")
C = te.compute((256, 256), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
func = te.create_prim_func([A, B, C])
)";

constexpr int longestEnd = 10000; ///< ms, of started processes; the machine may be busy

} // namespace

class KillWindowTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::mt19937_64 m_random;

    std::uint64_t below(std::uint64_t bound) { return m_random() % bound; }
    QString path(const QString &name) const { return m_folder.filePath(name); }

    /// Variants in a session's file; −1 where it is torn.
    static int variantsIn(const QString &file)
    {
        if (session::isModelProject(file.toStdString())) {
            const auto work = session::loadModelProject(file.toStdString());
            return work ? work->sessions.at(work->kernel).tree().size() : -1;
        }
        const auto session = session::loadProject(file.toStdString());
        return session ? session->tree().size() : -1;
    }

    /// Begins the work during which it is killed.
    void begin(Driver &driver, const QString &what) const
    {
        if (what == u"opening") {
            driver.tell(QStringLiteral("open ") + QDir::currentPath()
                        + QStringLiteral("/examples/models/transformer_decoder.onnx"));
            return;
        }
        const bool isModel = what.contains(u"model");
        const QString file =
            isModel ? QDir::currentPath() + QStringLiteral("/examples/models/transformer_encoder.onnx")
                    : path(QStringLiteral("kernel.py"));
        QCOMPARE(driver.ask(QStringLiteral("open ") + file), QStringLiteral("opened"));
        QVERIFY(driver.ask(QStringLiteral("step")).startsWith(QStringLiteral("stepped ")));
        if (what.startsWith(u"measuring")) {
            QCOMPARE(driver.ask(isModel ? QStringLiteral("model") : QStringLiteral("measure")),
                     QStringLiteral("measuring"));
            return;
        }
        for (int i = 0; i < 200; ++i) { // they wait for each other
            driver.tell(QStringLiteral("save ") + path(QStringLiteral("saved.nest")));
            driver.tell(QStringLiteral("step"));
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        QCOMPARE(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
        m_random.seed(qEnvironmentVariable("NESTWRIGHT_KILL_SEED", "1").toULongLong());
        QFile file(path(QStringLiteral("kernel.py")));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kernel) > 0);
    }

    void cleanup() { tests::endDescendants(); }

    /// A process that is copied to become dot or nestc must not wait for a parent that is gone.
    void startingProcessesEnd_data()
    {
        QTest::addColumn<QString>("what");
        QTest::newRow("dot") << QStringLiteral("opening");
        QTest::newRow("nestc") << QStringLiteral("measuring the model");
    }
    void startingProcessesEnd()
    {
        QFETCH(const QString, what);
        if (tests::isSanitized)
            QSKIP("Qt forks where a sanitizer is at work, and the copy waits for its parent");
        const QString folder =
            path(QStringLiteral("fork-%1").arg(QString::fromUtf8(QTest::currentDataTag())));
        QVERIFY(QDir().mkpath(folder));
        Driver driver(folder);
        QCOMPARE(driver.ask(QStringLiteral("fork")), QStringLiteral("armed"));
        begin(driver, what);
        const bool isDead = driver.process().waitForFinished(1000);
        driver.process().kill();
        QVERIFY(isDead || driver.process().waitForFinished(longestEnd));
        QVERIFY2(tests::allGone(longestEnd), qPrintable(tests::describe(tests::descendants())));
    }

    /// Twenty documents, each in a tab and changed: all are kept and offered.
    void everyOpenDocumentIsOffered()
    {
        constexpr int documents = 20;
        const QString folder = path(QStringLiteral("twenty"));
        QVERIFY(QDir().mkpath(folder));
        Driver driver(folder);
        std::set<QString> files;
        for (int i = 0; i < documents; ++i) {
            const QString file = folder + QStringLiteral("/kernel%1.py").arg(i);
            QVERIFY(QFile::copy(path(QStringLiteral("kernel.py")), file));
            files.insert(file);
            QCOMPARE(driver.ask(QStringLiteral("open ") + file), QStringLiteral("opened"));
            QCOMPARE(driver.ask(QStringLiteral("step")), QStringLiteral("stepped 2"));
        }
        QTest::qWait(1500); // the last change is kept a moment after it is made
        driver.process().kill();
        QVERIFY(driver.process().waitForFinished());
        std::set<QString> offered;
        const auto all = document::leftBehindIn(folder + QStringLiteral("/autosave"));
        QVERIFY(!all.empty() && all.front().crashed); // the one in sight; the others were put away in order
        for (const document::LeftBehind &left : all) {
            QCOMPARE(variantsIn(left.session), 2);
            offered.insert(left.origin);
        }
        QCOMPARE(offered, files);
    }

    void nothingIsLost()
    {
        const int count = qEnvironmentVariable("NESTWRIGHT_KILL_COUNT", "30").toInt();
        const QStringList states{QStringLiteral("saving"), QStringLiteral("measuring the model"),
                                 QStringLiteral("measuring"), QStringLiteral("saving the model"),
                                 QStringLiteral("opening")};
        std::map<QString, int> killed;
        int acknowledged = 0;
        for (int round = 0; round < count; ++round) {
            const QString &state = states[round % states.size()];
            const QString what = QStringLiteral("round %1, %2: ").arg(round).arg(state);
            const QString folder = path(QStringLiteral("state-%1").arg(round));
            QVERIFY(QDir().mkpath(folder));
            QFile::remove(path(QStringLiteral("saved.nest")));
            Driver driver(folder);
            begin(driver, state);
            if (QTest::currentTestFailed())
                return;
            QTest::qWait(static_cast<int>(below(900)));
            const std::vector<pid_t> running = tests::descendants();
            QVERIFY2(!running.empty(), qPrintable(what));
            // Mostly the window; another killed process is seen when the window is.
            const pid_t window = static_cast<pid_t>(driver.process().processId());
            const pid_t victim = below(3) == 0 ? running[below(running.size())] : window;
            ++killed[QString::fromUtf8(tests::nameOf(victim))];
            ::kill(victim, SIGKILL);
            if (victim != window) {
                QTest::qWait(static_cast<int>(below(300)));
                QCOMPARE(driver.process().state(), QProcess::Running); // it lives without the part
                driver.process().kill();
            }
            QVERIFY(driver.process().waitForFinished(longestEnd));
            QVERIFY2(tests::allGone(longestEnd), qPrintable(what + tests::describe(tests::descendants())));

            int saved = 0;
            for (const QString &answer : driver.answers()) {
                QVERIFY2(!answer.startsWith(QStringLiteral("failed")), qPrintable(what + answer));
                if (answer.startsWith(QStringLiteral("saved ")))
                    saved = std::max(saved, answer.section(u' ', 1).toInt());
            }
            acknowledged += saved > 0 ? 1 : 0;
            const QString file = path(QStringLiteral("saved.nest"));
            const int found = QFile::exists(file) ? variantsIn(file) : 0;
            QVERIFY2(found >= saved,
                     qPrintable(what + QStringLiteral("%1 variants saved, %2 found").arg(saved).arg(found)));
            if (state == u"opening")
                continue; // nothing need be open yet
            const auto left = document::leftBehindIn(folder + QStringLiteral("/autosave"));
            QVERIFY2(!left.empty(), qPrintable(what + QStringLiteral("nothing is offered")));
            QVERIFY(left.front().crashed && !left.front().origin.isEmpty());
            if (!left.front().session.isEmpty())
                QVERIFY2(variantsIn(left.front().session) > 0, qPrintable(what + left.front().session));
        }
        for (const auto &[name, times] : killed)
            qInfo("%s: killed %d times", qPrintable(name), times);
        qInfo("%d of them had a save acknowledged", acknowledged);
    }
};

DRIVEN_TEST_MAIN(KillWindowTest)
#include "kill_window_test.moc"
