// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule measured on other shapes, whose cells open in tabs; and steps saved as a recipe that is applied
// to another kernel. By mouse and keys.
#include "app/window/dialogs/recipe_dialog.h"
#include "app/window/dialogs/save_recipe_dialog.h"
#include "app/window/tools/transfer_settings.h"
#include "app/window/tools/transfer_window.h"
#include "core/session/reuse/recipe.h"
#include "tests/e2e/dialog_hands.h"
#include "tests/e2e/matmul_scripts.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/charts/ratio_map.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/files/open_documents.h"
#include "widgets/look/finding_box.h"

#include <QAbstractScrollArea>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QTableWidget>

using namespace nestwright;
using app::SaveRecipeDialog;
using app::TransferWindow;
using e2e::patience;

namespace {

const char *const evenTiles = R"(def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  i0, i1 = sch.split(i, [None, 4])
  j0, j1 = sch.split(j, [None, 16])
  sch.reorder(i0, j0, k, i1, j1)
  sch.vectorize(j1)
  sch.unroll(i1)
)";

} // namespace

class TransferWindowTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    TransferWindow *transfer() const { return m_window->findChild<TransferWindow *>(); }
    SaveRecipeDialog *dialog() const
    {
        auto *found = m_window->findChild<SaveRecipeDialog *>();
        return found && found->isVisible() ? found : nullptr;
    }

    void openKernel(const QString &kernel)
    {
        QSignalSpy opened(&document(), &document::Document::opened);
        m_window->open(kernel);
        QTRY_VERIFY_WITH_TIMEOUT(opened.count() > 0, patience);
        QVERIFY(settle());
    }

    static void type(QTableWidget *table, int row, int column, const QString &text)
    {
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualItemRect(table->item(row, column)).center());
        QTest::mouseDClick(table->viewport(), Qt::LeftButton, {},
                           table->visualItemRect(table->item(row, column)).center());
        auto *editor = table->findChild<QLineEdit *>();
        QVERIFY(editor);
        editor->selectAll();
        QTest::keyClicks(editor, text);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(table->item(row, column)->text(), text);
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"tiles.py", evenTiles}});
        qputenv("NESTWRIGHT_RECIPES", m_folder.filePath(QStringLiteral("recipes")).toUtf8());
        openKernel(QStringLiteral("op:matmul(M=64,N=64,K=64)"));
        m_window->open(m_folder.filePath(QStringLiteral("examples/tiles.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().size() >= 6, patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }

    void otherShapesAreMeasured()
    {
        QVERIFY(m_window->commands().trigger(QStringLiteral("measure.transfer")));
        QTRY_VERIFY_WITH_TIMEOUT(transfer() && transfer()->isSettled(), patience);
        transfer()->setEffort({2, 0.005});
        QTableWidget *shapes = transfer()->settings()->shapeTable();
        QTRY_COMPARE_WITH_TIMEOUT(shapes->rowCount(), 2, patience);
        QCOMPARE(shapes->columnCount(), 3); // K, M, N
        type(shapes, 1, 2, QStringLiteral("48"));
        QTest::mouseClick(e2e::button(transfer(), "Add"), Qt::LeftButton);
        QCOMPARE(shapes->rowCount(), 3);
        type(shapes, 2, 1, QStringLiteral("0")); // is no size
        for (QCheckBox *box : transfer()->findChildren<QCheckBox *>()) {
            if (box->text() == u"1" || box->text() == u"c")
                box->setChecked(true);
        }
        QTest::mouseClick(e2e::button(transfer(), "Measure"), Qt::LeftButton);
        QVERIFY(e2e::button(transfer(), "Cancel")->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(transfer()->isSettled() && e2e::button(transfer(), "Measure")->isEnabled(),
                                 4 * patience);
        QVERIFY(transfer()->table());
        const session::TransferTable &table = *transfer()->table();
        QCOMPARE(table.shapes.size(), 3U);
        for (std::size_t column = 0; column < table.targets.size(); ++column) {
            QVERIFY2(table.at(0, column).ratio(), session::textOf(table.shapes[0]).c_str());
            QVERIFY(table.at(1, column).ratio());
            QCOMPARE(table.at(2, column).why->code, "ops.bad-value");
        }
        shoot("transfer-light", transfer());
        m_theme->setMode(look::Mode::Dark);
        QTest::qWait(50);
        shoot("transfer-dark", transfer());
        m_theme->setMode(look::Mode::Light);
        for (const char *name : {"ratios.csv", "ratios.png", "ratios.svg"}) {
            QVERIFY(transfer()->exportTo(path(name)));
            QVERIFY(QFile(path(name)).size() > 100);
        }
        QVERIFY(!transfer()->exportTo(path("ratios.txt")));
    }

    void aCellOpensInATab()
    {
        const int before = m_window->documents().count();
        charts::RatioMap *map = transfer()->map();
        const int cell = static_cast<int>(transfer()->table()->targets.size()); // the second shape
        QSignalSpy opened(&document(), &document::Document::opened);
        QWidget *view = map->findChild<QAbstractScrollArea *>()->viewport();
        QTest::mouseClick(view, Qt::LeftButton, {}, view->mapFrom(map, map->positionOfItem(cell).toPoint()));
        QTRY_VERIFY_WITH_TIMEOUT(opened.count() > 0, patience);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->documents().count(), before + 1, patience);
        QVERIFY(settle());
        QVERIFY(!document().tree().current().isRoot());
        QVERIFY2(document().session().source().text.contains("N=48"),
                 document().session().source().text.c_str());
        shoot("transfer-opened");
        transfer()->close();
        m_window->documents().activate(0);
        QTRY_VERIFY_WITH_TIMEOUT(document().session().source().text.contains("N=64"), patience);
        QVERIFY(settle());
    }

    void stepsBecomeARecipe()
    {
        QVERIFY(m_window->commands().trigger(QStringLiteral("history.recipe")));
        QTRY_VERIFY_WITH_TIMEOUT(dialog(), patience);
        QPushButton *save = e2e::button(dialog(), "Save");
        QTRY_VERIFY_WITH_TIMEOUT(save->isEnabled(), patience);
        QTableWidget *numbers = dialog()->numbers();
        QCOMPARE(numbers->rowCount(), 2);
        QCOMPARE(numbers->item(0, 0)->text(), QStringLiteral("rows"));
        type(numbers, 0, 0, QStringLiteral("height"));
        QTRY_VERIFY_WITH_TIMEOUT(dialog()->preview()->toPlainText().contains(QStringLiteral("height=4")),
                                 patience);
        dialog()->name()->selectAll();
        QTest::keyClicks(dialog()->name(), QStringLiteral("my tiles"));
        QTRY_VERIFY_WITH_TIMEOUT(dialog()->verdict()->text().contains(QStringLiteral("no name for a recipe")),
                                 patience);
        QVERIFY(!save->isEnabled());
        dialog()->name()->selectAll();
        QTest::keyClicks(dialog()->name(), QStringLiteral("my_tiles"));
        QTRY_VERIFY_WITH_TIMEOUT(save->isEnabled(), patience);
        shoot("save-recipe-light", dialog());
        m_theme->setMode(look::Mode::Dark);
        QTest::qWait(50);
        shoot("save-recipe-dark", dialog());
        m_theme->setMode(look::Mode::Light);
        QTest::mouseClick(save, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog(), patience);
        QVERIFY(session::findRecipe("my_tiles"));
    }

    void andAreAppliedToAnother()
    {
        openKernel(QStringLiteral("op:matmul(M=40,N=32,K=16)"));
        QVERIFY(m_window->commands().trigger(QStringLiteral("schedule.recipe")));
        app::RecipeDialog *recipes = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT((recipes = m_window->findChild<app::RecipeDialog *>()), patience);
        auto *list = recipes->findChild<QListWidget *>();
        QListWidgetItem *mine = list->findItems(QStringLiteral("my_tiles"), Qt::MatchExactly).value(0);
        QVERIFY(mine);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(mine).center());
        QPushButton *apply = e2e::button(recipes, "Apply");
        QTRY_VERIFY_WITH_TIMEOUT(apply->isEnabled(), patience);
        QTest::mouseClick(apply, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().current().name, std::string("my_tiles"), patience);
    }
};

QTEST_MAIN(TransferWindowTest)
#include "transfer_window_test.moc"
