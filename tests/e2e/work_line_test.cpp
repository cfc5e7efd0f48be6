// SPDX-License-Identifier: GPL-3.0-or-later
// The line of work in the toolbar: the phase of long work, with Cancel, and the result; and the window's
// title. NESTWRIGHT_SHOTS=DIR leaves pictures there.
#include "app/window/frame/banner.h"
#include "app/window/frame/work_line.h"
#include "tests/e2e/window_fixture.h"
#include "tests/support/programs.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/files/open_documents.h"
#include "widgets/document/work/model_measuring.h"
#include "widgets/look/button.h"
#include "widgets/look/link_button.h"

#include <QDesktopServices>
#include <QtTest>

using namespace nestwright;
using e2e::patience;

class WorkLineTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    app::WorkLine *line() const { return m_window->findChild<app::WorkLine *>(); }
    void open(const QString &file)
    {
        m_window->open(file);
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QVERIFY(settle());
    }
    /// Of the buttons of the toolbar.
    QList<QRect> places() const
    {
        QList<QRect> rects;
        for (const look::Button *button : m_window->findChildren<look::Button *>()) {
            if (button->objectName().startsWith("toolbar."))
                rects << button->geometry();
        }
        return rects;
    }

public Q_SLOTS:
    void show(const QUrl &url) { m_shown = url.toLocalFile(); }

private:
    QString m_shown;

private Q_SLOTS:
    void init()
    {
        const std::string text(tests::programText("matmul"));
        showWindow(1366, 768, {{"matmul.py", text.c_str()}});
        open(m_folder.filePath("examples/matmul.py"));
    }
    void cleanup() { m_window.reset(); }

    /// It covers nothing, moves nothing, shows the folder when asked to, and leaves by itself.
    void exportsAreToldForAWhile()
    {
        QVERIFY(!line()->isVisible());
        const QList<QRect> before = places();
        const QRect loops = m_window->loopPane()->geometry();
        QSignalSpy exported(m_window.get(), &app::MainWindow::exported);
        QElapsedTimer timer;
        timer.start();
        m_window->exportTo("schedule", path("matmul_schedule.py"));
        QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 1, patience);
        QCOMPARE(line()->text(), QStringLiteral("Exported matmul_schedule.py"));
        QVERIFY(line()->isVisible() && line()->link()->isVisible());
        QVERIFY(m_window->banner()->isHidden());
        QCOMPARE(places(), before);
        QCOMPARE(m_window->loopPane()->geometry(), loops);
        shoot("work-line-exported");
        QTRY_VERIFY_WITH_TIMEOUT(!line()->isVisible(), 8000);
        QVERIFY2(timer.elapsed() > 4500, qPrintable(QString::number(timer.elapsed())));

        m_window->exportTo("schedule", path("matmul_schedule.py"));
        QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 2, patience);
        QDesktopServices::setUrlHandler("file", this, "show");
        QTest::mouseClick(line()->link(), Qt::LeftButton);
        QDesktopServices::unsetUrlHandler("file");
        QCOMPARE(m_shown, m_folder.path());
        QVERIFY(!line()->isVisible());
    }

    /// It stays while it is pointed at.
    void theItemPointedAtStays()
    {
        QSignalSpy exported(m_window.get(), &app::MainWindow::exported);
        m_window->exportTo("schedule", path("matmul_schedule.py"));
        QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 1, patience);
        QEnterEvent enter(QPointF(3, 3), QPointF(3, 3), QPointF(3, 3));
        QCoreApplication::sendEvent(line(), &enter);
        QTest::qWait(5500);
        QVERIFY(line()->isVisible());
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(line(), &leave);
        QTRY_VERIFY_WITH_TIMEOUT(!line()->isVisible(), 8000);
    }

    /// Seconds go on where a share is not known; Cancel ends it.
    void measuringMoves()
    {
        m_window->measuring().setEffort({1000, 1});
        const QList<QRect> before = places();
        press(Qt::Key_M);
        QTRY_VERIFY_WITH_TIMEOUT(line()->text().contains(" s · "), patience);
        const QString first = line()->text();
        QTRY_VERIFY_WITH_TIMEOUT(line()->text() != first, 3000);
        QTRY_VERIFY_WITH_TIMEOUT(line()->text().contains(" % · "), patience);
        QCOMPARE(line()->link()->text(), QStringLiteral("Cancel"));
        QCOMPARE(places(), before);
        shoot("work-line-measuring");
        QTest::mouseClick(line()->link(), Qt::LeftButton);
        QVERIFY(!m_window->measuring().isRunning());
        QTRY_VERIFY(!line()->isVisible());
    }

    /// Of all variants that are measured, not of each again.
    void severalAreOneProgress()
    {
        document::Measuring &measuring = m_window->measuring();
        measuring.setEffort({5, 0.01});
        for (const char *loop : {"i", "j"}) {
            document().apply(*schedule::makeStep("parallel", {{"loop", row(loop)}}));
            QVERIFY(settle());
        }
        double least = 0;
        QStringList shown;
        const auto connection = connect(&measuring, &document::Measuring::changed, this, [&] {
            if (!measuring.isRunning())
                return;
            QVERIFY(measuring.fraction() >= least);
            least = measuring.fraction();
            shown << line()->text();
        });
        m_window->commands().trigger("measure.all");
        QTRY_VERIFY_WITH_TIMEOUT(!measuring.isRunning(), 120'000);
        disconnect(connection);
        QVERIFY2(least > 0.7, qPrintable(QString::number(least)));
        QVERIFY2(shown.join(u'\n').contains(QRegularExpression("\\d+ % · \\d+ s · 1 waiting · ")),
                 qPrintable(shown.join(u'\n')));
    }

    void aModelIsMeasuredTheSameWay()
    {
        open(QStringLiteral("examples/models/transformer_encoder.onnx"));
        double least = 0;
        QStringList phases, shown;
        const document::ModelMeasuring &measuring = m_window->modelMeasuring();
        const auto connection = connect(&measuring, &document::ModelMeasuring::changed, this, [&] {
            if (!measuring.isRunning())
                return;
            QVERIFY(measuring.fraction() >= least);
            least = measuring.fraction();
            phases << measuring.phase();
            shown << line()->text();
        });
        m_window->commands().trigger("measure.model");
        QTRY_VERIFY_WITH_TIMEOUT(measuring.last() && !measuring.isRunning(), 120'000);
        disconnect(connection);
        QVERIFY2(phases.contains("run 1 of 10") && phases.contains("run 10 of 10"),
                 qPrintable(phases.join(u'\n')));
        QVERIFY2(shown.join(u'\n').contains(
                     QRegularExpression("\\d+ % · \\d+ s · model: (compiling|run) \\d+ of ")),
                 qPrintable(shown.join(u'\n')));
        // A measurement stays with its tab.
        const double seconds = measuring.last()->seconds.median;
        m_window->documents().activate(0);
        QVERIFY(settle());
        QVERIFY(!measuring.last());
        m_window->documents().activate(1);
        QVERIFY(settle());
        QVERIFY(measuring.last());
        QCOMPARE(measuring.last()->seconds.median, seconds);

        // Cancelled at its first run: what is compiled is kept, and the ten runs are over within a moment.
        QSignalSpy measured(&measuring, &document::ModelMeasuring::measured);
        bool isCancelled = false;
        const auto cancelling = connect(&measuring, &document::ModelMeasuring::changed, this, [&] {
            if (isCancelled || !measuring.phase().startsWith("run 1 "))
                return;
            isCancelled = line()->link()->isVisible();
            QTest::mouseClick(line()->link(), Qt::LeftButton);
        });
        m_window->commands().trigger("measure.model");
        QTRY_VERIFY_WITH_TIMEOUT(isCancelled, patience);
        QVERIFY(!measuring.isRunning());
        QTRY_VERIFY(!line()->isVisible());
        QVERIFY(measured.isEmpty());
        disconnect(cancelling);
    }

    void theTitleNamesTheFileAndItsChanges()
    {
        QCOMPARE(m_window->windowTitle(), QStringLiteral("matmul.py[*] — Nestwright"));
        QVERIFY(!m_window->isWindowModified());
        click("i");
        press(Qt::Key_U);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isWindowModified(), patience);
        QVERIFY(settle());
        document().save(path("mine.nest"));
        QTRY_COMPARE_WITH_TIMEOUT(m_window->windowTitle(), QStringLiteral("mine.nest[*] — Nestwright"),
                                  patience);
        QVERIFY(!m_window->isWindowModified());
    }
};

QTEST_MAIN(WorkLineTest)
#include "work_line_test.moc"
