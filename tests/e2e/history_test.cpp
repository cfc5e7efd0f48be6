// SPDX-License-Identifier: GPL-3.0-or-later
// The history by mouse and keys: steps left out, moved, brought to another branch; a conflict and how to go
// on; names, notes and stars.
#include "app/window/dialogs/marks_dialog.h"
#include "app/window/frame/banner.h"
#include "app/window/tools/sweep_dialog.h"
#include "tests/e2e/dialog_hands.h"
#include "tests/e2e/matmul_scripts.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/charts/sweep_curve.h"
#include "widgets/history/history_view.h"

#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QToolButton>

using namespace nestwright;
using e2e::patience;
using session::VariantId;

namespace {

const char *const other = R"(def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  k0, k1 = sch.split(k, [None, 4])
  j0, j1 = sch.split(j, [None, 16])
)";

} // namespace

class HistoryTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    history::HistoryView *view() const { return m_window->findChild<history::HistoryView *>(); }
    const session::VariantTree &variants() const { return document().tree(); }
    QStringList way() const
    {
        QStringList labels;
        for (const VariantId id : variants().path(variants().current().id)) {
            if (!variants().at(id).isRoot())
                labels << QString::fromStdString(variants().at(id).label);
        }
        return labels;
    }
    VariantId made(const char *label, VariantId tip) const
    {
        for (const VariantId id : variants().path(tip)) {
            if (variants().at(id).label.starts_with(label))
                return id;
        }
        return {};
    }
    QPoint place(VariantId id) const
    {
        const QRect rect = view()->rowRect(id);
        return {rect.left() + 120, rect.center().y()};
    }
    /// Presses a row, and lets go of it on another.
    void drag(VariantId from, VariantId to) const
    {
        QTest::mousePress(view()->viewport(), Qt::LeftButton, {}, place(from));
        QTest::mouseMove(view()->viewport(), (place(from) + place(to)) / 2);
        QTest::mouseMove(view()->viewport(), place(to));
        shoot("history-drag");
        QTest::mouseRelease(view()->viewport(), Qt::LeftButton, {}, place(to));
    }
    void openMatmul(const char *script)
    {
        QFile file(path("schedule.py"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(script);
        file.close();
        const int before = document().isOpen() ? document().tree().size() : 0;
        if (before == 0) {
            m_window->open(m_folder.filePath(QStringLiteral("examples/matmul.py")));
            QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
            QVERIFY(settle());
        }
        m_window->open(path("schedule.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().size() > std::max(1, before), patience);
        QVERIFY(settle());
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1920, 1080, {{"matmul.py", e2e::smallMatmul}});
        openMatmul(e2e::tiledSchedule);
        QCOMPARE(way().size(), 5);
    }
    void cleanupTestCase() { m_window.reset(); }

    /// Delete leaves the step of the row that is looked at out; those after it are made again.
    void aStepIsLeftOut()
    {
        const VariantId tip = variants().current().id;
        view()->setFocus();
        press(Qt::Key_Up, Qt::ControlModifier);
        QCOMPARE(variants().current().id, tip); // only looked at
        QCOMPARE(view()->focused(), made("parallel", tip));
        press(Qt::Key_Delete);
        QTRY_COMPARE_WITH_TIMEOUT(way().size(), 4, patience);
        QVERIFY(settle());
        QCOMPARE(
            way().join(u' '),
            QStringLiteral(
                "split(i, [None, 16]) split(j, [None, 8]) reorder(i_0, j_0, k, i_1, j_1) vectorize(j_1)"));
        QCOMPARE(badge("j_1"), QStringLiteral("vector"));
        QVERIFY(badge("i_0").isEmpty());
        document().jumpTo(tip);
        QTRY_COMPARE_WITH_TIMEOUT(variants().current().id, tip, patience);
        QCOMPARE(way().size(), 5);
    }

    void aStepMovesUp()
    {
        const VariantId tip = variants().current().id;
        view()->setFocus();
        press(Qt::Key_Up, Qt::AltModifier);
        QTRY_VERIFY_WITH_TIMEOUT(variants().current().id != tip, patience);
        QVERIFY(settle());
        QCOMPARE(way().at(3), QStringLiteral("vectorize(j_1)"));
        QCOMPARE(way().at(4), QStringLiteral("parallel(i_0)"));
        document().jumpTo(tip);
        QTRY_COMPARE_WITH_TIMEOUT(variants().current().id, tip, patience);
    }

    /// A row dropped on another branch brings its step there.
    void aStepIsDroppedOnABranch()
    {
        const VariantId tip = variants().current().id, vectorize = made("vectorize", tip);
        openMatmul(other);
        const VariantId base = variants().current().id;
        QCOMPARE(way().size(), 2);
        chooseFromMenu(QStringLiteral("Take this step along"), "history-menu");
        drag(vectorize, base);
        QTRY_COMPARE_WITH_TIMEOUT(way().size(), 3, patience);
        QVERIFY(settle());
        QCOMPARE(way().last(), QStringLiteral("vectorize(j_1)"));
        QCOMPARE(badge("j_1"), QStringLiteral("vector"));
        document().jumpTo(tip);
        QTRY_COMPARE_WITH_TIMEOUT(variants().current().id, tip, patience);
    }

    /// Steps that need the one left out stop the edit; a button goes on without them.
    void aConflictIsGoneOnFrom()
    {
        const VariantId tip = variants().current().id, split = made("split(j", tip);
        chooseFromMenu(QStringLiteral("Leave this step out"), "history-menu");
        QContextMenuEvent menu(QContextMenuEvent::Mouse, place(split),
                               view()->viewport()->mapToGlobal(place(split)));
        QCoreApplication::sendEvent(view()->viewport(), &menu);
        QTRY_COMPARE_WITH_TIMEOUT(way().size(), 1, patience);
        QVERIFY(settle());
        auto *banner = m_window->findChild<app::Banner *>();
        QTRY_VERIFY_WITH_TIMEOUT(banner->isVisible(), patience);
        QVERIFY2(banner->text().contains(QStringLiteral("j_0")), qPrintable(banner->text()));
        shoot("history-conflict");
        QPushButton *goOn = nullptr;
        for (auto *button : banner->findChildren<QPushButton *>()) {
            if (button->text().startsWith(QStringLiteral("Leave it out")))
                goOn = button;
        }
        QVERIFY(goOn);
        QTest::mouseClick(goOn, Qt::LeftButton);
        // parallel(i_0) can be made, vectorize(j_1) cannot.
        QTRY_COMPARE_WITH_TIMEOUT(way().size(), 2, patience);
        QVERIFY(settle());
        QCOMPARE(way().last(), QStringLiteral("parallel(i_0)"));
        QCOMPARE(document().rest().size(), 1U);
        document().jumpTo(tip);
        QTRY_COMPARE_WITH_TIMEOUT(variants().current().id, tip, patience);
    }

    /// A number of a step is given other values: predicted at once, measured by a click, one of them taken.
    void aNumberIsSwept()
    {
        const VariantId tip = variants().current().id, split = made("split(j", tip);
        const int before = variants().size();
        chooseFromMenu(QStringLiteral("Sweep a number"), "history-menu");
        QContextMenuEvent menu(QContextMenuEvent::Mouse, place(split),
                               view()->viewport()->mapToGlobal(place(split)));
        QCoreApplication::sendEvent(view()->viewport(), &menu);
        auto *dialog = m_window->findChild<app::SweepDialog *>();
        QVERIFY(dialog && dialog->isVisible());
        auto *curve = dialog->findChild<charts::SweepCurve *>();
        QTRY_COMPARE_WITH_TIMEOUT(curve->items().size(), 10U, patience);
        QVERIFY(std::ranges::all_of(curve->items(), [](const auto &item) { return item.predicted > 0; }));
        shoot("sweep-predicted", dialog);
        auto *slider = dialog->findChild<QSlider *>();
        QCOMPARE(curve->items()[std::size_t(slider->value())].value, 8);
        QTest::keyClick(slider, Qt::Key_Right);
        QTest::mouseClick(e2e::button(dialog, "Measure all"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(variants().size() > before, true, patience);
        QTRY_VERIFY_WITH_TIMEOUT(
            std::ranges::all_of(curve->items(), [](const auto &item) { return item.median > 0; }), patience);
        QCOMPARE(variants().current().id, tip);
        shoot("sweep-measured", dialog);
        QTest::mouseClick(e2e::button(dialog, "Use this value"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(way().at(1), QStringLiteral("split(j, [None, 12])"), patience);
        QCOMPARE(way().size(), 5);
        document().jumpTo(tip);
        QTRY_COMPARE_WITH_TIMEOUT(variants().current().id, tip, patience);
    }

    void namesNotesAndStars()
    {
        view()->setFocus();
        press(Qt::Key_F2);
        auto *dialog = m_window->findChild<app::MarksDialog *>();
        QVERIFY(dialog && dialog->isVisible());
        const auto edits = dialog->findChildren<QLineEdit *>();
        QTest::keyClicks(edits.at(0), QStringLiteral("tiled"));
        QTest::keyClicks(edits.at(1), QStringLiteral("fast, to show"));
        QTest::keyClicks(dialog->findChild<QPlainTextEdit *>(), QStringLiteral("j in vectors of 8"));
        QTest::mouseClick(dialog->findChildren<QToolButton *>().at(3), Qt::LeftButton);
        shoot("history-name", dialog);
        QTest::keyClick(dialog, Qt::Key_Return, Qt::ControlModifier);
        if (dialog->isVisible())
            dialog->accept();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        view()->setFocus();
        press(Qt::Key_B, Qt::ControlModifier);
        const session::Variant &variant = variants().current();
        QCOMPARE(variant.name, std::string("tiled"));
        QCOMPARE(variant.marks.tags, (std::vector<std::string>{"fast", "to show"}));
        QCOMPARE(variant.marks.note, std::string("j in vectors of 8"));
        QCOMPARE(variant.marks.color, 3);
        QTRY_VERIFY(variant.marks.star);
        QVERIFY(document().isModified());
        shoot("history-marked");
        m_window->resize(1366, 768);
        m_theme->setMode(look::Mode::Dark);
        shoot("history-marked-dark");
    }
};

QTEST_MAIN(HistoryTest)
#include "history_test.moc"
