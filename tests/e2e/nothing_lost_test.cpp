// SPDX-License-Identifier: GPL-3.0-or-later
// The window when things go wrong: work that does not end, a file changed by another, a program that is
// killed or crashes. NESTWRIGHT_SHOTS=DIR leaves pictures there.
#include "app/window/dialogs/recovery_dialog.h"
#include "app/window/frame/banner.h"
#include "core/ir/npy.h"
#include "core/session/files/project_file.h"
#include "core/support/errors/crash_report.h"
#include "tests/e2e/window_fixture.h"
#include "tests/support/long_session.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/files/autosave.h"
#include "widgets/document/model.h"
#include "widgets/document/work/model_measuring.h"
#include "widgets/jobs/mailbox.h"
#include "widgets/look/link_button.h"

#include <QClipboard>
#include <QLabel>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace nestwright;
using e2e::patience;

namespace {

constexpr int longestClose = 2000, longestReaction = 200; // ms

const char *const kernel = R"(from tvm import te
A = te.placeholder((128, 128), name="A")
B = te.compute((128, 128), lambda i, j: A[i, j] + 1.0, name="B")
func = te.create_prim_func([A, B])
)";

const char *const endless = R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    A[0] = 0
    while A[0] < 1:
        A[1] = A[1] + 1
)";

const char *const scheduleScript = R"(def apply_trace(sch):
  b0 = sch.get_block(name="B", func_name="main")
  l1, l2 = sch.get_loops(block=b0)
  sch.parallel(loop=l1)
)";

} // namespace

class NothingLostTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    QString write(const char *name, const QByteArray &text) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write");
        return file.fileName();
    }

    void openKernel() const
    {
        m_window->open(write("plus.py", kernel));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QVERIFY(settle());
    }

    void parallelize() const
    {
        m_window->open(write("schedule.py", scheduleScript));
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), 2, patience);
        QVERIFY(settle());
    }

    QString longSession() const
    {
        static const QByteArray text = QByteArray::fromStdString(tests::longSessionText());
        return write("long.nest", text);
    }

    QPushButton *button(const char *text, QWidget *within) const
    {
        for (QPushButton *each : within->findChildren<QPushButton *>()) {
            if (each->isVisible() && each->text().remove(u'&') == QLatin1String(text))
                return each;
        }
        return nullptr;
    }

    /// The window as a process of its own, with these folders for its files.
    void start(QProcess &process, const QStringList &arguments) const
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_STATE_HOME"), path("state"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), path("config"));
        environment.remove(QStringLiteral("NESTWRIGHT_CRASH_REPORTS"));
        process.setProcessEnvironment(environment);
        process.setStandardErrorFile(path("stderr"));
        process.start(qEnvironmentVariable("NESTWRIGHT_BIN_DIR") + QStringLiteral("/nestwright"), arguments);
        QVERIFY(process.waitForStarted());
    }

    QString kept() const
    {
        const QDir folder(path("state/nestwright/autosave"));
        return folder.entryList({QStringLiteral("session-*.nest")}).value(0);
    }

private Q_SLOTS:
    void init() { showWindow(1366, 768, {{"plus.py", kernel}}); }
    void cleanup()
    {
        m_window.reset();
        QDir(path("autosave")).removeRecursively();
        QDir(path("state")).removeRecursively();
    }

    void openingShowsItselfAndCanBeCancelled()
    {
        openKernel();
        m_window->open(longSession());
        auto *cancel = m_window->findChild<look::LinkButton *>(QStringLiteral("toolbar.cancel"));
        QTRY_VERIFY_WITH_TIMEOUT(cancel->isVisible(), patience);
        const auto isTold = [&] {
            return std::ranges::any_of(m_window->findChildren<QLabel *>(), [](const QLabel *label) {
                return label->isVisible()
                       && label->toolTip().contains(QStringLiteral(" s · opening long.nest · step "));
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(isTold(), patience);
        QVERIFY2(document().openingPhase().startsWith(QStringLiteral("step ")),
                 qPrintable(document().openingPhase()));
        shoot("opening");
        QElapsedTimer timer;
        timer.start();
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY(!document().isBusy() && !cancel->isVisible());
        QVERIFY2(timer.elapsed() < longestReaction, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(document().title(), QStringLiteral("plus.py"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isSettled(), patience);
        parallelize();
    }

    void stuckOpensDoNotHoldUpSaving()
    {
        openKernel();
        parallelize();
        const QString long1 = longSession();
        m_window->open(long1);
        QTest::qWait(20);
        m_window->open(long1);
        QSignalSpy saved(&document(), &document::Document::saved);
        document().save(path("saved.nest"));
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, 5000);
        QVERIFY(document().isBusy()); // still opening
        document().cancelWork();
    }

    void closingNeverTakesLong_data()
    {
        QTest::addColumn<QString>("state");
        for (const char *state : {"idle", "opening", "opening twice", "measuring", "measuring with inputs",
                                  "checking", "exporting", "saving", "saving onto a slow path"})
            QTest::newRow(state) << QString::fromLatin1(state);
    }
    void closingNeverTakesLong()
    {
        QFETCH(QString, state);
        openKernel();
        parallelize();
        if (state.startsWith(u"opening"))
            m_window->open(longSession());
        if (state == u"opening twice") {
            QTest::qWait(50);
            m_window->open(longSession());
        }
        if (state == u"measuring with inputs") {
            ir::NdArray array(ir::DataType::float32(), {128, 128});
            QVERIFY(ir::writeNpy(path("a.npy").toStdString(), array).has_value());
            document().setInputs({{"A", {path("a.npy").toStdString()}}});
        }
        if (state.startsWith(u"measuring")) {
            m_window->measuring().setEffort({1000, 1});
            m_window->measuring().measureAll();
            QTRY_VERIFY_WITH_TIMEOUT(m_window->measuring().phase().startsWith(QStringLiteral("timing")),
                                     patience);
        }
        if (state == u"checking") { // a kernel that does not end
            document().save(path("before.nest"));
            QTRY_VERIFY_WITH_TIMEOUT(!document().isModified(), patience);
            m_window->open(write("endless.py", endless));
            QTRY_COMPARE_WITH_TIMEOUT(document().title(), QStringLiteral("endless.py"), patience);
            m_window->measuring().measureAll();
            QTRY_VERIFY_WITH_TIMEOUT(m_window->measuring().phase() != QStringLiteral("compiling"), patience);
        }
        if (state == u"exporting") {
            m_window->open(QDir::currentPath() + QStringLiteral("/examples/models/transformer_encoder.onnx"));
            QTRY_VERIFY_WITH_TIMEOUT(m_window->model().kernel() >= 0 && !document().isBusy(), patience);
            m_window->exportTo(QStringLiteral("model-shared"), path("model.so"));
        }
        int folder = -1;
        if (state == u"saving onto a slow path") { // another program writes there, and goes on
            QDir().mkpath(path("slow"));
            folder = ::open(path("slow").toUtf8().constData(), O_RDONLY | O_DIRECTORY);
            QCOMPARE(flock(folder, LOCK_EX), 0);
            document().save(path("slow/closing.nest"));
        }
        if (state == u"saving")
            document().save(path("closing.nest"));
        else
            QTest::qWait(100);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(m_window->close());
        m_window.reset();
        qInfo("closed in %lld ms", static_cast<long long>(timer.elapsed()));
        QVERIFY2(timer.elapsed() < longestClose, qPrintable(QString::number(timer.elapsed())));
        if (folder >= 0)
            ::close(folder); // its waiters go on, and theirs
        else
            QVERIFY(tests::isSanitized || jobs::abandonedThreads() == 0); // all ended by themselves
        // Unsaved changes are kept.
        const bool isSaved = state == u"saving" || state == u"checking";
        QCOMPARE(QDir(path("autosave")).entryList({QStringLiteral("session-*.nest")}).size(),
                 isSaved ? 0 : 1);
        if (state == u"saving")
            QCOMPARE(session::loadProject(path("closing.nest").toStdString())->tree().size(), 2);
    }

    void filesChangedByOthersAreAskedAbout()
    {
        openKernel();
        parallelize();
        QSignalSpy saved(&document(), &document::Document::saved);
        const QString file = path("shared.nest");
        document().save(file);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, patience);
        const QByteArray other = "what another program wrote\n";
        write("shared.nest", other);
        document().undo();
        QTRY_COMPARE_WITH_TIMEOUT(document().currentId().value, 0, patience);
        target::Target target;
        target.threads = 1;
        document().setTarget(target);
        const auto ask = [&]() -> QMessageBox * {
            m_window->commands().trigger(QStringLiteral("file.save"));
            const auto box = [&] { return m_window->findChild<QMessageBox *>(); };
            [&] { QTRY_VERIFY_WITH_TIMEOUT(box(), patience); }();
            return box();
        };
        QMessageBox *box = ask();
        QVERIFY(box && box->text().contains(QStringLiteral("shared.nest")));
        shoot("changed_file", box);
        QTest::keyClick(box, Qt::Key_Escape);
        QTRY_VERIFY(!m_window->findChild<QMessageBox *>());
        QVERIFY(document().isModified());
        QFile read(file);
        QVERIFY(read.open(QIODevice::ReadOnly));
        QCOMPARE(read.readAll(), other);
        box = ask();
        QVERIFY(box);
        QTest::mouseClick(button("Save anyway", box), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 2, patience);
        QVERIFY(session::loadProject(file.toStdString()).has_value());
    }

    void killedProgramsAreRecovered()
    {
        QProcess killed;
        start(killed,
              {write("plus.py", kernel), QStringLiteral("--schedule"), write("schedule.py", scheduleScript)});
        QTRY_VERIFY_WITH_TIMEOUT(!kept().isEmpty(), patience);
        QTest::qWait(500);
        killed.kill(); // SIGKILL
        QVERIFY(killed.waitForFinished());

        m_window = std::make_unique<app::MainWindow>(
            *m_theme, app::WindowFolders{path("settings.ini"), path("state/nestwright/autosave")});
        m_window->resize(1366, 768);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        QVERIFY(m_window->banner()->isVisible());
        QVERIFY2(m_window->banner()->text().contains(QStringLiteral("plus.py")),
                 qPrintable(m_window->banner()->text()));
        QVERIFY(m_window->banner()->text().contains(QStringLiteral("today at")));
        shoot("recovery_banner");
        m_window->commands().trigger(QStringLiteral("file.recover"));
        auto *dialog = m_window->findChild<app::RecoveryDialog *>();
        QVERIFY(dialog);
        QTest::qWait(100);
        shoot("recovery_dialog", dialog);
        m_theme->setMode(look::Mode::Dark);
        QTest::qWait(50);
        shoot("recovery_banner_dark");
        shoot("recovery_dialog_dark", dialog);
        m_theme->setMode(look::Mode::Light);
        QTest::mouseClick(button("Restore", dialog), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QCOMPARE(document().tree().size(), 2);
        QCOMPARE(document().tree().current().id.value, 1);
        QVERIFY(document().isModified());
        QVERIFY(settle());
        // The new window keeps it before the old file goes; then there is nothing left to recover.
        QTRY_COMPARE_WITH_TIMEOUT(
            QDir(path("state/nestwright/autosave")).entryList({QStringLiteral("session-*.nest")}).size(), 1,
            patience);
    }

    void crashesLeaveAReport()
    {
        QProcess crashed;
        start(crashed,
              {write("plus.py", kernel), QStringLiteral("--schedule"), write("schedule.py", scheduleScript)});
        QTRY_VERIFY_WITH_TIMEOUT(!kept().isEmpty(), patience);
        kill(static_cast<pid_t>(crashed.processId()), SIGSEGV);
        QVERIFY(crashed.waitForFinished());
        QCOMPARE(crashed.exitStatus(), QProcess::CrashExit);
        const auto reports = support::crashReports(path("state/nestwright/crashes").toStdString());
        QCOMPARE(reports.size(), std::size_t{1});
        QFile report(QString::fromStdString(reports.front().string()));
        QVERIFY(report.open(QIODevice::ReadOnly));
        const QByteArray text = report.readAll();
        for (const char *part : {"Program: nestwright", "Qt: 6", "LLVM", "SIGSEGV", "open ", "plus.py",
                                 "QCoreApplication::exec", "End of the report"})
            QVERIFY2(text.contains(part), text.constData());

        // The next start says where it lies, with the open document or alone, and once.
        qputenv("XDG_STATE_HOME", path("state").toUtf8());
        const auto next = [&](const char *settings, const char *autosave) {
            m_window = std::make_unique<app::MainWindow>(*m_theme,
                                                         app::WindowFolders{path(settings), path(autosave)});
            m_window->resize(1366, 768);
            m_window->show();
            QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        };
        next("first.ini", "state/nestwright/autosave");
        QVERIFY(m_window->banner()->isVisible());
        for (const QString &part :
             {QStringLiteral("did not end in order"), QStringLiteral("plus.py"), report.fileName()})
            QVERIFY2(m_window->banner()->text().contains(part), qPrintable(m_window->banner()->text()));
        next("second.ini", "empty");
        QVERIFY(m_window->banner()->isVisible());
        for (const QString &part : {QStringLiteral("The program crashed"), report.fileName()})
            QVERIFY2(m_window->banner()->text().contains(part), qPrintable(m_window->banner()->text()));
        shoot("crash_banner");
        QVERIFY(button("Open", m_window->banner()));
        QTest::mouseClick(button("Copy path", m_window->banner()), Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(), report.fileName());
        QVERIFY(!m_window->banner()->isVisible());
        next("second.ini", "empty");
        QVERIFY(!m_window->banner()->isVisible());
        qunsetenv("XDG_STATE_HOME");
    }

    void missingTemporaryFolderIsOneError()
    {
        const QByteArray before = qgetenv("TMPDIR");
        const QByteArray nowhere = path("no/such/folder").toUtf8();
        qputenv("TMPDIR", nowhere);
        openKernel();
        parallelize();
        m_window->measuring().measure({document().currentId()});
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->measuring().isRunning(), patience);
        const auto &failed = document().tree().current().measurement;
        QVERIFY(failed && failed->failure);
        QVERIFY2(failed->failure->message.contains("no/such/folder")
                     && failed->failure->hint.contains("TMPDIR"),
                 failed->failure->render().c_str());
        m_window->open(QDir::currentPath() + QStringLiteral("/examples/models/transformer_encoder.onnx"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->model().kernel() >= 0 && !document().isBusy(), patience);
        m_window->modelMeasuring().measure();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->banner()->isVisible(), patience);
        QVERIFY2(m_window->banner()->text().contains(QStringLiteral("no/such/folder")),
                 qPrintable(m_window->banner()->text()));
        QVERIFY(!m_window->modelMeasuring().isRunning());
        // Sessions are kept for the next start without a home, too.
        const QByteArray home = qgetenv("HOME"), state = qgetenv("XDG_STATE_HOME");
        qunsetenv("HOME");
        qunsetenv("XDG_STATE_HOME");
        const QString kept = document::Autosave::defaultFolder();
        qputenv("HOME", home);
        if (!state.isEmpty())
            qputenv("XDG_STATE_HOME", state);
        QVERIFY2(kept.endsWith(QStringLiteral("/autosave")), qPrintable(kept));
        if (before.isEmpty())
            qunsetenv("TMPDIR");
        else
            qputenv("TMPDIR", before);
    }
};

QTEST_MAIN(NothingLostTest)
#include "nothing_lost_test.moc"
