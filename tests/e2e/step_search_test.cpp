// SPDX-License-Identifier: GPL-3.0-or-later
// The step that made a variant wrong, from the history's menu and by command: a banner names it, its buttons
// go to it and show the few steps that it takes.
#include "app/window/frame/banner.h"
#include "app/window/frame/work_line.h"
#include "tests/e2e/matmul_scripts.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/document/command_registry.h"
#include "widgets/history/history_view.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QPushButton>

using namespace nestwright;
using e2e::patience;
using session::VariantId;

namespace {

const char *const faulty = R"(def apply_trace(sch):
  b = sch.get_block("C")
  c = sch.cache_write(b, 0, "global")
  i, j, k = sch.get_loops(b)
  i0, i1 = sch.split(i, [None, 16])
  sch.unsafe_set_dtype(b, 0, "float16")
  j0, j1 = sch.split(j, [None, 8])
  sch.reorder(i0, j0, k, i1, j1)
  sch.vectorize(j1)
)";

} // namespace

class StepSearchTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    history::HistoryView *view() const { return m_window->findChild<history::HistoryView *>(); }
    app::Banner *banner() const { return m_window->banner(); }
    const session::Variant &current() const { return document().tree().current(); }
    void open(const QString &file)
    {
        const int before = document().isOpen() ? document().tree().size() : 0;
        m_window->open(file);
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && document().tree().size() > before, patience);
        QVERIFY(settle());
    }
    void awaitBanner(const QString &begin) const
    {
        QTRY_VERIFY_WITH_TIMEOUT(banner()->isVisible(), patience);
        QVERIFY2(banner()->text().startsWith(begin), qPrintable(banner()->text()));
        QVERIFY(settle());
    }
    void pressButton(const QString &begin) const
    {
        for (auto *button : banner()->findChildren<QPushButton *>()) {
            if (button->text().startsWith(begin))
                return QTest::mouseClick(button, Qt::LeftButton);
        }
        QFAIL(qPrintable("no button " + begin));
    }
    void chooseFromMenuOf(VariantId variant, const QString &begin) const
    {
        chooseFromMenu(begin, "step-search-menu");
        const QRect rect = view()->rowRect(variant);
        const QPoint place(rect.left() + 120, rect.center().y());
        QContextMenuEvent menu(QContextMenuEvent::Mouse, place, view()->viewport()->mapToGlobal(place));
        QCoreApplication::sendEvent(view()->viewport(), &menu);
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1920, 1080, {{"matmul.py", e2e::smallMatmul}});
        open(m_folder.filePath(QStringLiteral("examples/matmul.py")));
        QFile file(path("schedule.py"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(faulty);
        file.close();
        open(path("schedule.py"));
        QCOMPARE(document().tree().path(current().id).size(), 7U);
    }
    void cleanupTestCase() { m_window.reset(); }

    void theMenuFindsTheStep()
    {
        const VariantId end = current().id;
        chooseFromMenuOf(end, QStringLiteral("Find the step that made it wrong"));
        awaitBanner(QStringLiteral(
            "Step 3 of 6, unsafe_set_dtype(C, C_global, \"float16\"), is at fault.\nWrong result: "));
        QVERIFY2(banner()->text().contains(QStringLiteral("2 of 3 steps are enough")),
                 qPrintable(banner()->text()));
        shoot("step-search-banner");
        pressButton(QStringLiteral("Go to it"));
        QTRY_VERIFY_WITH_TIMEOUT(current().label.starts_with("unsafe_set_dtype"), patience);
        QVERIFY(settle());
        document().jumpTo(end);
        QTRY_COMPARE_WITH_TIMEOUT(current().id, end, patience);
        QVERIFY(settle());
    }

    void theSmallestScriptBecomesABranch()
    {
        const int before = document().tree().size();
        m_window->commands().trigger(QStringLiteral("history.findWrong"));
        awaitBanner(QStringLiteral("Step 3 of 6"));
        pressButton(QStringLiteral("Show the smallest script"));
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), before + 1, patience); // the first step is shared
        QVERIFY(settle());
        QCOMPARE(current().name, std::string("smallest wrong"));
        QCOMPARE(document().tree().path(current().id).size(), 3U);
        shoot("step-search-smallest");
    }

    void whatIsRightIsSaidToBe()
    {
        document().jumpTo(*current().parent); // cache_write alone
        QVERIFY(settle());
        QTRY_VERIFY_WITH_TIMEOUT(current().label.starts_with("cache_write"), patience);
        m_window->commands().trigger(QStringLiteral("history.findWrong"));
        awaitBanner(QStringLiteral("Nothing is wrong"));
        document().jumpTo(document().tree().root().id);
        QTRY_VERIFY_WITH_TIMEOUT(current().isRoot(), patience);
        QVERIFY(settle());
        const auto *command = m_window->commands().find(QStringLiteral("history.findSlow"));
        QVERIFY(command);
        QCOMPARE(command->unavailable(), QStringLiteral("No step leads to it."));
    }

    /// The line of work has the phase and a link that cancels.
    void itIsCancelled()
    {
        document().jumpTo({document().tree().size() - 2});
        QVERIFY(settle());
        banner()->hide();
        m_window->commands().trigger(QStringLiteral("history.findSlow"));
        auto *line = m_window->findChild<app::WorkLine *>();
        QTRY_VERIFY_WITH_TIMEOUT(line->text().contains(QStringLiteral("looking for the step")), patience);
        shoot("step-search-work");
        m_window->commands().trigger(QStringLiteral("history.stopSearch"));
        QVERIFY(settle());
        QTest::qWait(200);
        QVERIFY(banner()->isHidden());
    }
};

QTEST_MAIN(StepSearchTest)
#include "step_search_test.moc"
