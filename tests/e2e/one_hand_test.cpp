// SPDX-License-Identifier: GPL-3.0-or-later
// The whole job by keyboard alone, and by mouse alone: open an example, split, reorder, vectorize,
// parallelise, measure, undo, branch, export. Keys go to whatever has the focus, clicks to visible widgets.
// NESTWRIGHT_SHOTS=DIR leaves pictures there.
#include "app/window/commands/command_palette.h"
#include "core/ir/node/equality.h"
#include "core/schedule/script/reader.h"
#include "tests/e2e/dialog_hands.h"
#include "tests/e2e/window_fixture.h"
#include "tests/support/programs.h"
#include "widgets/document/action_list.h"
#include "widgets/forms/primitive_form.h"
#include "widgets/history/history_view.h"
#include "widgets/look/button.h"

#include <QAbstractButton>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QtTest>

using namespace nestwright;

static constexpr int patience = 8000;

class OneHandTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    QString selected() const
    {
        const document::NestRow *found = document().nest()->row(document().selection().current());
        return found ? found->name : QString();
    }
    void awaitMeasured() const
    {
        QTRY_VERIFY_WITH_TIMEOUT(
            document().tree().current().measurement && !m_window->measuring().isRunning(), patience);
        QVERIFY(settle());
        QVERIFY(document().tree().current().measurement->isVerified());
    }
    /// The exported files make the program of the window from the kernel.
    void checkExported(const QString &file) const
    {
        QFile script(file);
        QVERIFY2(script.open(QIODevice::ReadOnly), qPrintable(file));
        const auto made = schedule::runScheduleScript(*document().tree().root().state,
                                                      script.readAll().toStdString(), "exported.py");
        QVERIFY2(made, made ? "" : made.error().render().c_str());
        QVERIFY(ir::structurallyEqual(made->state.module, document().nest()->loops.state().module));
    }

    // --- keyboard -----------------------------------------------------------------------------------------

    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) const { press(key, modifiers); }
    static void type(const QString &text) { QTest::keyClicks(QApplication::focusWidget(), text); }
    /// Tab until the focus is on a button with that text.
    void tabTo(const QString &text) const
    {
        for (int i = 0; i < 60; ++i) {
            const auto *button = qobject_cast<QAbstractButton *>(QApplication::focusWidget());
            if (button && button->text() == text)
                return;
            key(Qt::Key_Tab);
        }
        QFAIL(qPrintable(QStringLiteral("Tab never reaches ") + text));
    }
    /// Up or down in the tree to a loop.
    void goTo(const char *name) const
    {
        key(Qt::Key_Home);
        for (int i = 0; i < 20 && selected() != QLatin1String(name); ++i)
            key(Qt::Key_Down);
        QCOMPARE(selected(), QString::fromLatin1(name));
        QVERIFY(settle());
    }
    void splitByKeys(const char *name, const char *factor) const
    {
        goTo(name);
        const int before = document().tree().size();
        key(Qt::Key_S);
        QTRY_VERIFY(qobject_cast<QLineEdit *>(QApplication::focusWidget()));
        type(QString::fromLatin1(factor));
        key(Qt::Key_Return);
        awaitVariants(before + 1);
    }

    // --- mouse --------------------------------------------------------------------------------------------

    static void clickOn(QWidget *widget)
    {
        QVERIFY(widget && widget->isVisible());
        QTest::mouseClick(widget, Qt::LeftButton, {}, widget->rect().center());
        QTest::qWait(1);
    }
    template <class T = QAbstractButton> static T *withText(const QWidget *in, const QString &text)
    {
        for (T *each : in->findChildren<T *>()) {
            if (each->isVisible() && each->text() == text)
                return each;
        }
        return nullptr;
    }
    void splitByMouse(const char *name) const
    {
        click(name);
        const int before = document().tree().size();
        clickOn(strip()->button("split"));
        QTRY_VERIFY(strip()->form());
        clickOn(withText<look::Button>(strip()->form(), QStringLiteral("Apply"))); // the proposed values
        awaitVariants(before + 1);
    }
    void drag(const char *name, const char *below) const
    {
        const QPoint from = tree()->rowRect(row(name)).center();
        const QRect to = tree()->rowRect(row(below));
        QWidget *port = tree()->viewport();
        const int before = document().tree().size();
        QTest::mousePress(port, Qt::LeftButton, {}, from);
        QTest::mouseMove(port, from + QPoint(0, 12));
        QTest::mouseMove(port, from + QPoint(0, 24));
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->actions().placements().empty(), patience);
        QTest::mouseMove(port, QPoint(from.x(), to.bottom()));
        QTest::mouseRelease(port, Qt::LeftButton, {}, QPoint(from.x(), to.bottom()));
        awaitVariants(before + 1);
    }

private Q_SLOTS:
    void init()
    {
        const std::string text(tests::programText("matmul"));
        showWindow(1366, 768, {{"matmul.py", text.c_str()}});
    }
    void cleanup() { m_window.reset(); }

    void byKeyboardAlone()
    {
        tabTo(QStringLiteral("matmul"));
        key(Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && settle(), patience);
        splitByKeys("i", "32");
        splitByKeys("j", "32");
        goTo("i_1");
        key(Qt::Key_Down, Qt::AltModifier); // inwards, past j_0
        awaitVariants(4);
        QCOMPARE(order(), QStringLiteral("i_0 j_0 i_1 j_1 k C"));
        goTo("j_1");
        key(Qt::Key_Down, Qt::AltModifier);
        awaitVariants(5);
        QCOMPARE(order(), QStringLiteral("i_0 j_0 i_1 k j_1 C"));
        goTo("j_1");
        key(Qt::Key_V);
        awaitVariants(6);
        QCOMPARE(badge("j_1"), QStringLiteral("vector"));
        key(Qt::Key_M);
        awaitMeasured();
        goTo("i_0");
        key(Qt::Key_P);
        awaitVariants(7);
        QCOMPARE(badge("i_0"), QStringLiteral("parallel"));
        key(Qt::Key_M);
        awaitMeasured();
        key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(settle());
        QVERIFY(badge("i_0").isEmpty());
        goTo("k");
        key(Qt::Key_U);
        awaitVariants(8); // a branch
        // Through the history and back into the tree.
        key(Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(QApplication::focusWidget(), m_window->historyView());
        for (const Qt::Key each : {Qt::Key_Up, Qt::Key_Down, Qt::Key_Down}) {
            if (badge("i_0") == u"parallel")
                break;
            key(each);
            QVERIFY(settle());
        }
        QCOMPARE(badge("i_0"), QStringLiteral("parallel"));
        key(Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(QApplication::focusWidget(), tree());
        shoot("keyboard-alone");

        key(Qt::Key_K, Qt::ControlModifier);
        type(QStringLiteral("export schedule"));
        const QString file = path("by_keys.py");
        QSignalSpy exported(m_window.get(), &app::MainWindow::exported);
        const e2e::FileNameHand hand(file);
        key(Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 1, patience);
        checkExported(file);
    }

    void byMouseAlone()
    {
        clickOn(withText(m_window.get(), QStringLiteral("matmul")));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && settle(), patience);
        splitByMouse("i");
        splitByMouse("j");
        drag("i_1", "j_0");
        QCOMPARE(order(), QStringLiteral("i_0 j_0 i_1 j_1 k C"));
        drag("j_1", "k");
        QCOMPARE(order(), QStringLiteral("i_0 j_0 i_1 k j_1 C"));
        click("j_1");
        clickOn(strip()->button("vectorize"));
        awaitVariants(6);
        auto *measure = m_window->findChild<look::Button *>(QStringLiteral("toolbar.measure.current"));
        clickOn(measure);
        awaitMeasured();
        click("i_0");
        clickOn(strip()->button("parallel"));
        awaitVariants(7);
        clickOn(measure);
        awaitMeasured();
        const session::VariantId parallel = document().currentId();
        clickOn(m_window->findChild<look::Button *>(QStringLiteral("toolbar.edit.undo")));
        QVERIFY(settle());
        QVERIFY(badge("i_0").isEmpty());
        click("k");
        clickOn(strip()->button("unroll"));
        awaitVariants(8);
        history::HistoryView *view = m_window->historyView();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->rowRect(parallel).center());
        QTRY_COMPARE_WITH_TIMEOUT(document().currentId(), parallel, patience);
        QVERIFY(settle());
        shoot("mouse-alone");

        QSignalSpy exported(m_window.get(), &app::MainWindow::exported);
        QTimer inDialog; // in its event loop
        connect(&inDialog, &QTimer::timeout, this, [&] {
            auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
            if (auto *buttons = dialog ? dialog->findChild<QDialogButtonBox *>() : nullptr)
                clickOn(buttons->button(QDialogButtonBox::Save)); // beside the kernel, as proposed
        });
        inDialog.start(50);
        clickOn(m_window->findChild<look::Button *>(QStringLiteral("toolbar.view.palette")));
        QTRY_VERIFY(m_window->commandPalette()->isVisible());
        QListWidget *commands = m_window->commandPalette()->list();
        const QList<QListWidgetItem *> found =
            commands->findItems(QStringLiteral("Export schedule script"), Qt::MatchContains);
        QVERIFY(!found.isEmpty());
        commands->scrollToItem(found.front()); // as the wheel does
        QTest::mouseClick(commands->viewport(), Qt::LeftButton, {},
                          commands->visualItemRect(found.front()).center());
        QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 1, patience);
        inDialog.stop();
        checkExported(exported.front().front().toString());
    }
};

QTEST_MAIN(OneHandTest)
#include "one_hand_test.moc"
