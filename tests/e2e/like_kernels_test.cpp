// SPDX-License-Identifier: GPL-3.0-or-later
// A recipe on all like kernels of a model: asked for in the list of kernels and in the dialog of recipes,
// tried, cancelled, ticked and kept. By mouse and keys.
#include "app/window/dialogs/recipe_dialog.h"
#include "app/window/panes/history_pane.h"
#include "app/window/tools/like_kernels_table.h"
#include "app/window/tools/like_kernels_window.h"
#include "tests/e2e/dialog_hands.h"
#include "tests/e2e/model_fixture.h"
#include "widgets/document/command_registry.h"
#include "widgets/history/kernels_view.h"
#include "widgets/look/finding_box.h"

#include <QComboBox>
#include <QListWidget>
#include <QTableView>

#include <algorithm>

using namespace nestwright;
using app::LikeKernelsTable;
using app::LikeKernelsWindow;
using e2e::patience;

class LikeKernelsWindowTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    LikeKernelsWindow *like() const { return m_window->findChild<LikeKernelsWindow *>(); }
    LikeKernelsTable *table() const { return like()->table(); }
    static QPushButton *buttonBeginning(const QWidget *dialog, const char *text)
    {
        for (QPushButton *each : dialog->findChildren<QPushButton *>()) {
            if (each->text().remove(u'&').startsWith(QLatin1String(text)))
                return each;
        }
        return nullptr;
    }
    QPushButton *keep() const { return buttonBeginning(like(), "Keep"); }

    void tryOut() const
    {
        QPushButton *button = e2e::button(like(), "Try and measure");
        QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), patience);
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!button->isEnabled() && e2e::button(like(), "Cancel")->isEnabled());
    }

    void choose(const QString &schedule) const
    {
        const int row = like()->schedules()->findText(schedule, Qt::MatchStartsWith);
        QVERIFY2(row >= 0, qPrintable(schedule));
        like()->schedules()->setFocus();
        like()->schedules()->setCurrentIndex(row);
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {});
        qputenv("NESTWRIGHT_EXAMPLES", QFile::encodeName(QDir::currentPath() + QStringLiteral("/examples")));
        m_window->open(QDir::currentPath() + QStringLiteral("/examples/models/transformer_encoder.onnx"));
        if (!QTest::qWaitFor([this] { return m_window->model().isOpen() && m_window->model().kernel() >= 0; },
                             patience))
            QSKIP("built without the reader for ONNX");
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }

    void fromTheListOfKernels()
    {
        auto *kernels = m_window->findChild<history::KernelsView *>();
        QTRY_VERIFY_WITH_TIMEOUT(kernels->isVisible() && kernels->table()->model()->rowCount() == 7,
                                 patience);
        const QModelIndex index = kernels->table()->currentIndex();
        QVERIFY(index.isValid());
        chooseFromMenu(QStringLiteral("Apply to all like kernels"), "like-kernels-menu");
        const QPoint at = kernels->table()->visualRect(index).center();
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, kernels->table()->viewport()->mapToGlobal(at));
        QCoreApplication::sendEvent(kernels->table()->viewport(), &event);
        QTRY_VERIFY_WITH_TIMEOUT(like() && like()->isVisible(), patience);
        QVERIFY(like()->schedules()->currentText().startsWith(QStringLiteral("steps of")));
        QVERIFY(!keep()->isEnabled());
        like()->setEffort({2, 0.002});
    }

    /// The default schedule of a kernel, recorded, is that of the kernel and fits others.
    void theStepsOfTheVariant()
    {
        tryOut();
        QTRY_VERIFY_WITH_TIMEOUT(like()->isSettled() && e2e::button(like(), "Try and measure")->isEnabled(),
                                 4 * patience);
        QVERIFY2(like()->found(), qPrintable(like()->note()->title()));
        const auto &kernels = like()->found()->kernels;
        QCOMPARE(kernels.size(), 7U);
        QVERIFY(kernels[static_cast<std::size_t>(m_window->model().kernel())].isAsItIs);
        QVERIFY(std::ranges::count_if(kernels, [](const auto &each) { return each.run.has_value(); }) >= 2);
    }

    void itCanBeCancelled()
    {
        choose(QStringLiteral("recipe rows"));
        tryOut();
        QTRY_VERIFY_WITH_TIMEOUT(table()->topLevelItemCount() > 0, patience);
        QTest::mouseClick(e2e::button(like(), "Cancel"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(like()->isSettled(), patience);
        QCOMPARE(like()->note()->title(), QStringLiteral("Cancelled"));
        QVERIFY(e2e::button(like(), "Try and measure")->isEnabled());
        QVERIFY(!document().isModified());
    }

    void whatIsTickedIsKept()
    {
        tryOut();
        QTRY_VERIFY_WITH_TIMEOUT(like()->isSettled() && e2e::button(like(), "Try and measure")->isEnabled(),
                                 4 * patience);
        QCOMPARE(table()->topLevelItemCount(), 7);
        for (const int place : table()->ticked())
            QVERIFY(like()->found()->kernels[static_cast<std::size_t>(place)].isFaster());
        like()->rule()->setFocus();
        QTest::keyClick(like()->rule(), Qt::Key_Down);
        QCOMPARE(table()->ticked().size(), 6U);
        shoot("like-kernels-light", like());
        m_theme->setMode(look::Mode::Dark);
        QTest::qWait(50);
        shoot("like-kernels-dark", like());
        m_theme->setMode(look::Mode::Light);
        // One is left out.
        table()->setFocus();
        table()->setCurrentItem(table()->topLevelItem(1));
        QTest::keyClick(table(), Qt::Key_Space);
        std::vector<int> places = table()->ticked();
        QCOMPARE(places.size(), 5U);
        QCOMPARE(keep()->text(), QStringLiteral("Keep on 5 kernels"));
        QTest::mouseClick(keep(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(like()->note()->title(), QStringLiteral("Kept on 5 kernels"), patience);
        QVERIFY(settle());
        const auto sessions = m_window->model().sessions();
        for (int place = 0; place < 7; ++place) {
            const auto session = sessions.find(place);
            const bool isKept = session != sessions.end() && session->second.tree().current().name == "rows";
            QCOMPARE(isKept, std::ranges::contains(places, place));
            if (isKept)
                QVERIFY(session->second.tree().current().measurement);
        }
        QVERIFY(document().isModified());
        QVERIFY(!keep()->isEnabled());
        shoot("like-kernels-kept");
    }

    void theSessionKeepsIt()
    {
        QSignalSpy saved(&document(), &document::Document::saved);
        document().save(path("kept.nest"));
        QTRY_VERIFY_WITH_TIMEOUT(saved.count() > 0, patience);
        const auto work = session::loadModelProject(path("kept.nest").toStdString());
        QVERIFY(work.has_value());
        QCOMPARE(
            std::ranges::count_if(
                work->sessions, [](const auto &each) { return each.second.tree().current().name == "rows"; }),
            5);
        like()->close();
    }

    void fromTheDialogOfRecipes()
    {
        QVERIFY(m_window->commands().trigger(QStringLiteral("schedule.recipe")));
        app::RecipeDialog *recipes = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT((recipes = m_window->findChild<app::RecipeDialog *>()), patience);
        auto *list = recipes->findChild<QListWidget *>();
        QTRY_VERIFY_WITH_TIMEOUT(!list->item(0)->toolTip().isEmpty(), patience); // all were tried
        QListWidgetItem *elementwise =
            list->findItems(QStringLiteral("elementwise"), Qt::MatchExactly).value(0);
        QVERIFY(elementwise);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(elementwise).center());
        QLineEdit *lanes = nullptr;
        for (QLineEdit *each : recipes->findChildren<QLineEdit *>())
            lanes = each->accessibleName() == u"lanes" ? each : lanes;
        QVERIFY(lanes);
        lanes->selectAll();
        QTest::keyClicks(lanes, "8");
        shoot("like-kernels-recipe", recipes);
        QTest::mouseClick(buttonBeginning(recipes, "All like kernels"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(like()->isVisible(), patience);
        QTRY_COMPARE_WITH_TIMEOUT(like()->schedules()->currentText(),
                                  QStringLiteral("recipe elementwise (lanes=8)"), patience);
        QTest::keyClick(like(), Qt::Key_Escape);
        QTRY_VERIFY(!like()->isVisible());
    }

    void ofAKernelAloneThereAreNone()
    {
        QSignalSpy opened(&document(), &document::Document::opened);
        m_window->open(QStringLiteral("op:matmul(M=32,N=32,K=32)"));
        QTRY_VERIFY_WITH_TIMEOUT(opened.count() > 0, patience);
        QVERIFY(settle());
        QVERIFY(!m_window->commands().trigger(QStringLiteral("schedule.likeKernels")));
        QTest::keyClick(m_window.get(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!like()->isVisible());
    }
};

QTEST_MAIN(LikeKernelsWindowTest)
#include "like_kernels_test.moc"
