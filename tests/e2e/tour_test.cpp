// SPDX-License-Identifier: GPL-3.0-or-later
// The tour of docs/tour.md, step by step as it is written there, on the bundled example. NESTWRIGHT_SHOTS=DIR
// leaves a picture of each step there.
#include "app/window/help/help_window.h"
#include "app/window/help/key_sheet.h"
#include "app/window/panes/source_pane.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/code/code_view.h"
#include "widgets/document/action_list.h"
#include "widgets/document/buffer_mime.h"
#include "widgets/forms/primitive_form.h"
#include "widgets/history/history_view.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"

#include <QDragEnterEvent>
#include <QLineEdit>
#include <QProcess>
#include <QTextBrowser>

using namespace nestwright;
using e2e::patience;

class TourTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    void measure() const
    {
        press(Qt::Key_M);
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().current().measurement
                                     && document().tree().current().measurement->ok()
                                     && !m_window->measuring().isRunning(),
                                 patience);
        QCOMPARE(document().tree().current().measurement->verdict, measure::Verdict::Verified);
        QVERIFY(settle());
    }
    /// To the place right above another loop: the dashed line there.
    void dragAbove(const char *name, const char *other) const
    {
        const QPoint from = tree()->rowRect(row(name)).center();
        const QPoint to(from.x(), tree()->rowRect(row(other)).top());
        const int before = document().tree().size();
        QTest::mousePress(tree()->viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(tree()->viewport(), from - QPoint(0, 12));
        QTest::mouseMove(tree()->viewport(), from - QPoint(0, 24));
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->actions().placements().empty(), patience);
        QTest::mouseMove(tree()->viewport(), to);
        QTest::mouseRelease(tree()->viewport(), Qt::LeftButton, {}, to);
        awaitVariants(before + 1);
    }

private Q_SLOTS:
    void initTestCase()
    {
        QFile example(QDir::currentPath() + QStringLiteral("/examples/matmul.py"));
        QVERIFY2(example.open(QIODevice::ReadOnly), qPrintable(example.fileName()));
        QByteArray text = example.readAll();
        QVERIFY(text.contains("M = N = K = 1024"));
        text.replace("M = N = K = 1024", "M = N = K = 256"); // quick to measure
        showWindow(1600, 1000, {{"matmul.py", text.constData()}});
        m_window->open(m_folder.filePath(QStringLiteral("examples/matmul.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }

    void step1()
    {
        QCOMPARE(order(), QStringLiteral("i j k C"));
        QVERIFY(m_window->sourcePane()->view()->source().text.contains(QStringLiteral("main_kernel")));
        tree()->setFocus();
        measure();
        QCOMPARE(m_window->bars()->data().bars.size(), 1U);
        shoot("tour-1");
    }

    void step2()
    {
        click("i");
        press(Qt::Key_T);
        QTRY_VERIFY_WITH_TIMEOUT(strip()->form(), patience);
        press(Qt::Key_Return); // 32 × 32 is proposed
        awaitVariants(2);
        QCOMPARE(order(), QStringLiteral("i_0 j_0 i_1 j_1 k C"));
        QCOMPARE(document().nest()->row(row("i_1"))->extent, QStringLiteral("32"));
        tree()->setFocus();
        measure();
        shoot("tour-2");
    }

    void step3()
    {
        click("k");
        press(Qt::Key_S);
        QTRY_VERIFY(qobject_cast<QLineEdit *>(QApplication::focusWidget()));
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("4"));
        press(Qt::Key_Return);
        awaitVariants(3);
        dragAbove("k_0", "i_1");
        dragAbove("k_1", "j_1");
        QCOMPARE(order(), QStringLiteral("i_0 j_0 k_0 i_1 k_1 j_1 C"));
        shoot("tour-3");
    }

    void step4()
    {
        click("j_1");
        press(Qt::Key_V);
        awaitVariants(6);
        QCOMPARE(badge("j_1"), QStringLiteral("vector"));
        click("i_0");
        press(Qt::Key_P);
        awaitVariants(7);
        QCOMPARE(badge("i_0"), QStringLiteral("parallel"));
        tree()->setFocus();
        measure();
        const auto &all = document().tree().all();
        QVERIFY(document().tree().current().measurement->time.median < all[0].measurement->time.median);
        shoot("tour-4");
    }

    void step5()
    {
        click("k_0"); // which cannot run in parallel
        press(Qt::Key_P);
        QTRY_VERIFY(strip()->finding()->isVisible());
        press(Qt::Key_F1);
        QTRY_VERIFY(m_window->help() && m_window->help()->isVisible());
        QVERIFY(m_window->help()->page()->toPlainText().contains(QStringLiteral("parallel")));
        m_window->help()->close();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTest::keyClick(m_window.get(), '?');
        QTRY_VERIFY(m_window->findChild<app::KeySheet *>());
        auto *sheet = m_window->findChild<app::KeySheet *>();
        QTRY_VERIFY(sheet->isVisible());
        shoot("tour-5");
        QTest::keyClick(sheet, Qt::Key_Escape);
        QTRY_VERIFY(!sheet->isVisible());
    }

    /// A from the graph onto a loop.
    void step5Drag()
    {
        const QPointF to = tree()->rowRect(row("k_0")).center();
        QMimeData data;
        data.setData(QLatin1String(document::bufferMimeType), "A");
        QDragEnterEvent enter(to.toPoint(), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(tree()->viewport(), &enter);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->actions().placements().empty(), patience);
        QDragMoveEvent move(to.toPoint(), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(tree()->viewport(), &move);
        QDropEvent drop(to, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(tree()->viewport(), &drop);
        QTRY_VERIFY_WITH_TIMEOUT(order().contains(QStringLiteral("A_global")), patience);
        QVERIFY(settle());
        shoot("tour-5-drag");
    }

    void step6()
    {
        tree()->setFocus();
        const session::VariantId last = document().currentId();
        press(Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(document().currentId(), *document().tree().at(last).parent, patience);
        QVERIFY(settle());
        press(Qt::Key_D, Qt::ControlModifier);
        QVERIFY(settle());
        press(Qt::Key_F7);
        shoot("tour-6");
        press(Qt::Key_D, Qt::ControlModifier);
        QVERIFY(settle());
    }

    void step7()
    {
        tree()->setFocus();
        press(Qt::Key_1, Qt::AltModifier);
        QVERIFY(settle());
        const QString lowered = m_window->sourcePane()->view()->source().text;
        press(Qt::Key_2, Qt::AltModifier);
        QVERIFY(settle());
        QVERIFY(m_window->sourcePane()->view()->source().text != lowered);
        auto *loops = m_window->findChild<look::CardDock *>(QStringLiteral("loops"));
        QTest::mouseDClick(loops->header(), Qt::LeftButton);
        QTRY_VERIFY(loops->width() > 1500);
        shoot("tour-7");
        QTest::mouseDClick(loops->header(), Qt::LeftButton);
        QTRY_VERIFY(loops->width() < 800);
    }

    /// The script runs here again.
    void step8()
    {
        const QString file = path("my_schedule.py");
        QSignalSpy exported(m_window.get(), &app::MainWindow::exported);
        m_window->exportTo("schedule", file);
        QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 1, patience);
        QProcess nestc;
        nestc.start(qEnvironmentVariable("NESTWRIGHT_BIN_DIR") + QStringLiteral("/nestc"),
                    {"apply", path("examples/matmul.py"), "--schedule", file});
        QVERIFY2(nestc.waitForFinished(patience) && nestc.exitCode() == 0,
                 nestc.readAllStandardError().constData());
        QVERIFY(nestc.readAllStandardOutput().contains("T.parallel(8)"));
    }
};

QTEST_MAIN(TourTest)
#include "tour_test.moc"
