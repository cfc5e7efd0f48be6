// SPDX-License-Identifier: GPL-3.0-or-later
// From the plain product of two matrices to the speed of tuned libraries by clicks: a recipe is chosen, its
// values changed, applied and measured. The ratio to the fastest library of this machine is printed, not
// asserted.
#include "app/window/dialogs/recipe_dialog.h"
#include "tests/e2e/dialog_hands.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/peer_measuring.h"
#include "widgets/look/button.h"

#include <QLabel>
#include <QListWidget>
#include <QtTest>

using namespace nestwright;
using app::RecipeDialog;
using e2e::patience;

class RecipeTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    RecipeDialog *dialog() const
    {
        auto *found = m_window->findChild<RecipeDialog *>();
        return found && found->isVisible() ? found : nullptr;
    }

    void open(const QString &kernel)
    {
        const int before = document().isOpen() ? 1 : 0;
        QSignalSpy opened(&document(), &document::Document::opened);
        m_window->open(kernel);
        QTRY_VERIFY_WITH_TIMEOUT(opened.count() > 0 || before > 1, patience);
        QVERIFY(settle());
    }

    void askForRecipe()
    {
        auto *ask = m_window->findChild<look::Button *>(QStringLiteral("loops.recipe"));
        QVERIFY(ask && ask->isVisible());
        QTest::mouseClick(ask, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(dialog() != nullptr, patience);
    }

    void press(const char *text)
    {
        QPushButton *wanted = e2e::button(dialog(), text);
        QVERIFY(wanted);
        QTRY_VERIFY_WITH_TIMEOUT(wanted->isEnabled(), patience);
        QTest::mouseClick(wanted, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(dialog() == nullptr, patience);
    }

    QLineEdit *value(const char *name) const
    {
        for (QLineEdit *each : dialog()->findChildren<QLineEdit *>()) {
            if (each->accessibleName() == QLatin1String(name))
                return each;
        }
        return nullptr;
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {});
        qputenv("NESTWRIGHT_EXAMPLES", QFile::encodeName(QDir::currentPath() + QStringLiteral("/examples")));
    }
    void cleanupTestCase() { m_window.reset(); }

    void fromThePlainLoopsByClicks_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QString>("recipe");
        QTest::newRow("product") << "matmul" << "gemm";
        QTest::newRow("convolution") << "conv2d" << "conv2d";
        QTest::newRow("softmax") << "softmax" << "rows";
    }

    /// The library's own bar stands beside that of the recipe.
    void fromThePlainLoopsByClicks()
    {
        QFETCH(QString, kernel);
        QFETCH(QString, recipe);
        open(QDir::currentPath() + QStringLiteral("/examples/%1.py").arg(kernel));
        m_window->measuring().setEffort({}); // as a person measures
        askForRecipe();
        shoot(qPrintable("recipe-" + kernel));
        press("Apply and measure");
        const auto measured = [this] {
            const auto &measurement = document().tree().current().measurement;
            return measurement && measurement->ok();
        };
        QTRY_VERIFY_WITH_TIMEOUT(measured(), 2 * patience);
        const session::Variant &current = document().tree().current();
        QCOMPARE(QString::fromStdString(current.name), recipe);
        const auto *measuring = m_window->findChild<document::Measuring *>();
        QTRY_VERIFY_WITH_TIMEOUT(!measuring->isRunning(), 2 * patience);
        const auto *peer = m_window->findChild<document::PeerMeasuring *>();
        QTRY_VERIFY_WITH_TIMEOUT(!peer->isRunning(), 2 * patience);
        shoot(qPrintable("recipe-measured-" + kernel));
        const auto time = peer->time();
        qInfo("%s %.1f GFLOPS, %s %.1f: %.2f times as fast", qPrintable(recipe),
              current.measurement->gflops(), time ? time->library.c_str() : "no library",
              time ? time->gflops() : 0, time ? time->seconds.median / current.measurement->time.median : 0);
        while (document().canUndo()) {
            const int before = document().currentId().value;
            document().undo();
            QTRY_VERIFY_WITH_TIMEOUT(document().currentId().value != before && !document().isBusy(),
                                     patience);
        }
        QVERIFY(document().tree().current().isRoot());
    }

    /// The first that fits, though others stand before it.
    void theOneForTheTypes()
    {
        open(QDir::currentPath() + QStringLiteral("/examples/matmul_int8.py"));
        askForRecipe();
        press("Apply");
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().current().name, std::string("gemm_int8"), patience);
    }

    void valuesAreTriedAsTheyAreTyped()
    {
        open(QStringLiteral("op:matmul(M=100,N=60,K=30)"));
        askForRecipe();
        QPushButton *apply = e2e::button(dialog(), "Apply");
        QTRY_VERIFY_WITH_TIMEOUT(apply->isEnabled(), patience);
        QLineEdit *rows = value("rows");
        QVERIFY(rows);
        rows->selectAll();
        QTest::keyClicks(rows, "4 +");
        QVERIFY(!apply->isEnabled());
        rows->selectAll();
        QTest::keyClicks(rows, "-1");
        QTest::qWait(500); // the trial has come and gone
        QTRY_VERIFY_WITH_TIMEOUT(!apply->isEnabled(), patience);
        rows->selectAll();
        QTest::keyClicks(rows, "4");
        press("Apply");
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().current().name, std::string("gemm"), patience);
        QVERIFY(!document().tree().current().measurement);
    }

    void whereItDoesNotFit()
    {
        open(QStringLiteral("op:row_sum(M=32,N=32)"));
        askForRecipe();
        auto *list = dialog()->findChild<QListWidget *>();
        QTRY_COMPARE_WITH_TIMEOUT(list->currentItem() ? list->currentItem()->text() : QString(),
                                  QStringLiteral("rows"), patience);
        QListWidgetItem *other = list->findItems(QStringLiteral("gemm"), Qt::MatchExactly).value(0);
        QVERIFY(other && other->toolTip().contains(QStringLiteral("does not fit here")));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(other).center());
        const auto says = [this] {
            for (const QLabel *label : dialog()->findChildren<QLabel *>()) {
                if (label->text().contains(QStringLiteral("does not fit here")))
                    return true;
            }
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(says(), patience);
        QVERIFY(!e2e::button(dialog(), "Apply")->isEnabled());
        QTest::keyClick(dialog(), Qt::Key_Escape);
        QTRY_VERIFY(dialog() == nullptr);
        QVERIFY(document().tree().current().isRoot());
    }
};

QTEST_MAIN(RecipeTest)
#include "recipe_test.moc"
