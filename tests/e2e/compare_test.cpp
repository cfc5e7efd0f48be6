// SPDX-License-Identifier: GPL-3.0-or-later
// Two variants beside each other, by mouse and keys: chosen in the history, swapped, read loop by loop.
#include "app/window/tools/compare_window.h"
#include "app/window/tools/comparison_table.h"
#include "tests/e2e/matmul_scripts.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/code/code_view.h"
#include "widgets/code/difference_view.h"
#include "widgets/document/command_registry.h"
#include "widgets/history/history_view.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/tab_row.h"

#include <QComboBox>
#include <QMenu>
#include <QTreeWidget>

using namespace nestwright;
using app::CompareWindow;
using e2e::patience;
using session::VariantId;

namespace {

const char *const matmul = R"(from tvm import te
A = te.placeholder((256, 256), name="A")
B = te.placeholder((256, 256), name="B")
k = te.reduce_axis((0, 256), name="k")
C = te.compute((256, 256), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
func = te.create_prim_func([A, B, C])
)";

} // namespace

class CompareTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    history::HistoryView *view() const { return m_window->historyView(); }
    CompareWindow *window() const { return m_window->findChild<CompareWindow *>(); }
    bool settled() const
    {
        return QTest::qWaitFor([this] { return window() && window()->isSettled() && m_window->isSettled(); },
                               patience);
    }
    VariantId side(const QComboBox *box) const { return {box->currentData().toInt()}; }
    QStringList cells(int row) const
    {
        QStringList texts;
        for (int column = 0; column < window()->table()->columnCount(); ++column)
            texts << window()->table()->topLevelItem(row)->text(column);
        return texts;
    }
    QString sentence() const { return window()->sentence()->title(); }
    void shootBoth(const char *light, const char *dark) const
    {
        shoot(light, window());
        m_theme->setMode(look::Mode::Dark);
        QTest::qWait(50);
        shoot(dark, window());
        m_theme->setMode(look::Mode::Light);
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"matmul.py", matmul}, {"tiled.py", e2e::tiledSchedule}});
        m_window->open(m_folder.filePath(QStringLiteral("examples/matmul.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
        m_window->open(m_folder.filePath(QStringLiteral("examples/tiled.py")));
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), 6, patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }
    void init()
    {
        const bool isFirst = qstrcmp(QTest::currentTestFunction(), "theMenuOfAVariant") == 0;
        if (!isFirst && !window())
            QSKIP("no window was opened");
    }

    void theMenuOfAVariant()
    {
        const QRect rect = view()->rowRect({0});
        const QPoint place{rect.left() + 120, rect.center().y()};
        chooseFromMenu(QStringLiteral("Compare with the current variant"), "compare-menu");
        QContextMenuEvent event(QContextMenuEvent::Mouse, place, view()->viewport()->mapToGlobal(place));
        QCoreApplication::sendEvent(view()->viewport(), &event);
        QTRY_VERIFY_WITH_TIMEOUT(window(), patience);
        QVERIFY(settled());
        QCOMPARE(side(window()->firstSide()), VariantId{0});
        QCOMPARE(side(window()->secondSide()), VariantId{5});
        QVERIFY2(sentence().contains(u"'#0'") && sentence().contains(u"'#5'"), qPrintable(sentence()));
        QVERIFY(sentence().endsWith(u'.'));
    }

    void rowsAndSources()
    {
        QCOMPARE(window()->table()->topLevelItemCount(), 5); // k stayed; i and j became two each
        QCOMPARE(window()->table()->currentItem()->text(1), QString("k")); // where the time goes
        bool hasK = false;
        for (int row = 0; row < 5; ++row) {
            const QStringList texts = cells(row);
            if (texts[0] != QLatin1String("k"))
                continue;
            hasK = true;
            QCOMPARE(texts[1], QString("k"));
            QVERIFY(texts.contains(QStringLiteral("256")));
        }
        QVERIFY(hasK);
        const code::DifferenceView *sources = window()->sources();
        QVERIFY(sources->olderView()->isVisible() && sources->changeCount() > 0);
        QCOMPARE(sources->view()->text().lineCount(), sources->olderView()->text().lineCount());
        window()->resize(1366, 768);
        shootBoth("compare-asm-light", "compare-asm-dark");
    }

    /// A click on a row shows its lines on both sides.
    void aRowShowsItsLines()
    {
        QTreeWidget *table = window()->table();
        QTreeWidgetItem *k = table->findItems(QStringLiteral("k"), Qt::MatchExactly, 0).front();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualItemRect(k).center());
        QCOMPARE(table->currentItem(), k);
        const explore::LoopPair loops = app::loopsOf(*k);
        QVERIFY(loops.first && loops.first == loops.second);
        for (const code::CodeView *side : {window()->sources()->olderView(), window()->sources()->view()}) {
            const auto &spans = side->source().spans;
            const auto span = std::ranges::find(spans, loops.first, &code::Span::id);
            QVERIFY(span != spans.end());
            QVERIFY(side->firstVisibleLine() <= span->lastLine && side->lastVisibleLine() >= span->firstLine);
        }
        shoot("compare-row", window());
    }

    void otherSources()
    {
        look::TabRow *tabs = nullptr; // of the sources alone
        for (auto *each : window()->findChildren<look::TabRow *>())
            tabs = each->isVisible() ? each : tabs;
        QVERIFY(tabs);
        tabs->setFocus();
        for (const char *name : {"compare-llvm", "compare-c", "compare-script"}) {
            QTest::keyClick(tabs, Qt::Key_Right);
            QVERIFY(settled());
            QVERIFY2(window()->sources()->changeCount() > 0, name);
            shoot(name, window());
        }
        QVERIFY(window()->sources()->view()->source().text.contains(QStringLiteral("T.vectorized")));
        window()->resize(1920, 1080);
        shootBoth("compare-large-light", "compare-large-dark");
        window()->resize(1366, 768);
    }

    /// Swapped, what was better is worse.
    void swapped()
    {
        const QString before = sentence();
        QTest::mouseClick(window()->swapButton(), Qt::LeftButton);
        QVERIFY(settled());
        QCOMPARE(side(window()->firstSide()), VariantId{5});
        QCOMPARE(side(window()->secondSide()), VariantId{0});
        QVERIFY(sentence().contains(u"'#0'") && !sentence().isEmpty());
        QTest::mouseClick(window()->swapButton(), Qt::LeftButton);
        QVERIFY(settled());
        QCOMPARE(sentence(), before);
    }

    void aVariantWithItself()
    {
        QComboBox *first = window()->firstSide();
        first->setFocus();
        QTest::keyClick(first, Qt::Key_End);
        QVERIFY(settled());
        QCOMPARE(side(first), VariantId{5});
        QCOMPARE(sentence(), QString("The machine code of both is the same."));
        shoot("compare-same", window());
    }

    /// The key compares with the variant before the current one.
    void byKey()
    {
        window()->close();
        m_window->activateWindow();
        m_window->commands().trigger(QStringLiteral("history.compare"));
        QVERIFY(window()->isVisible());
        QVERIFY(settled());
        QCOMPARE(side(window()->firstSide()), VariantId{4});
        QCOMPARE(side(window()->secondSide()), VariantId{5});
    }

    /// Without a side the window says what is missing.
    void withoutASide()
    {
        window()->firstSide()->setCurrentIndex(-1);
        QVERIFY(settled());
        QCOMPARE(sentence(), QString("Choose two variants"));
        QCOMPARE(window()->table()->topLevelItemCount(), 0);
        window()->setSides({4}, {5});
        QVERIFY(settled());
        QVERIFY(window()->table()->topLevelItemCount() > 0);
    }

    /// Names that a person gives are those of the sides.
    void namesOfVariants()
    {
        document().setName({5}, "fast");
        QVERIFY(window()->secondSide()->currentText().contains(QStringLiteral("fast")));
        QCOMPARE(side(window()->secondSide()), VariantId{5});
    }
};

QTEST_MAIN(CompareTest)
#include "compare_test.moc"
