// SPDX-License-Identifier: GPL-3.0-or-later
// A script that prints the difference between two of its schedules: the window shows it, from the list of
// problems and by a tab.
#include "app/window/panes/nest_pane.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/code/code_view.h"
#include "widgets/code/difference_view.h"
#include "widgets/history/problems_view.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/look/tab_row.h"

using namespace nestwright;
using app::NestPane;
using code::LineMark;
using e2e::patience;

namespace {

const char *const compared = R"(import tvm
from tvm import te
import difflib
A = te.placeholder((32,), name="A")
B = te.compute((32,), lambda i: A[i] + 1.0, name="B")
def compute_diff(s1: str, s2: str):
    for line in difflib.ndiff(s1.splitlines(), s2.splitlines()):
        print(line)
s1 = te.create_schedule(B.op)
s1[B].split(B.op.axis[0], factor=8)
base = str(tvm.lower(s1, [A, B], simple_mode=True))
s2 = te.create_schedule(B.op)
s2[B].split(B.op.axis[0], factor=4)
split = str(tvm.lower(s2, [A, B], simple_mode=True))
compute_diff(base, split)
)";

const char *const plain = R"(from tvm import te
A = te.placeholder((16,), name="A")
B = te.compute((16,), lambda i: A[i] + 1.0, name="B")
func = te.create_prim_func([A, B])
)";

} // namespace

class ComparisonTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    void openExample(const char *name) const
    {
        m_window->open(m_folder.filePath(QStringLiteral("examples/") + QLatin1String(name)));
        QTRY_COMPARE_WITH_TIMEOUT(document().isOpen() ? document().title() : QString(), QString(name),
                                  patience);
        QVERIFY(settle());
    }
    look::TabRow *tabsOf(const char *dock) const
    {
        return m_window->findChild<look::CardDock *>(QLatin1String(dock))
            ->header()
            ->findChild<look::TabRow *>();
    }
    /// The lines of the loop nest with this mark, without the others.
    QStringList marked(LineMark mark) const
    {
        const code::CodeView *view = m_window->nestPane()->view();
        QStringList lines;
        for (std::size_t i = 0; i < view->source().marks.size(); ++i) {
            if (view->source().marks[i] == mark)
                lines << view->text().line(int(i)).trimmed().toString();
        }
        return lines;
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"two.py", compared}, {"plain.py", plain}});
        openExample("two.py");
    }
    void cleanupTestCase() { m_window.reset(); }

    void theNoteShowsTheDifference()
    {
        QVERIFY(marked(LineMark::Added).isEmpty());
        auto *problems = m_window->findChild<history::ProblemsView *>();
        tabsOf("history")->setFocus();
        QTest::keyClick(tabsOf("history"), Qt::Key_Right); // findings
        QTest::keyClick(tabsOf("history"), Qt::Key_Right);
        QVERIFY(problems->isVisible());
        QListWidgetItem *note = nullptr;
        for (int row = 0; row < problems->count(); ++row) {
            if (problems->item(row)->text().contains("compares \"s1\" with \"s2\""))
                note = problems->item(row);
        }
        QVERIFY(note);
        problems->scrollToItem(note);
        shoot("comparison-note");
        QTest::mouseClick(problems->viewport(), Qt::LeftButton, {}, problems->visualItemRect(note).center());
        QTRY_VERIFY_WITH_TIMEOUT(!marked(LineMark::Added).isEmpty(), patience);
        QCOMPARE(m_window->nestPane()->tab(), int(NestPane::AgainstChosen));
        QCOMPARE(marked(LineMark::Removed)[0], QString("for i_0, i_1 in T.grid(4, 8):"));
        QCOMPARE(marked(LineMark::Added)[0], QString("for i_0, i_1 in T.grid(8, 4):"));
        m_theme->setMode(look::Mode::Light);
        shoot("comparison-light");
        m_theme->setMode(look::Mode::Dark);
        shoot("comparison-dark");
        m_theme->setMode(look::Mode::Light);
    }

    /// Its tab stays while variants come and go, and goes with the kernel.
    void theTabStaysWithTheKernel()
    {
        const session::VariantId split = document().currentId();
        document().jumpTo(document().session().comparisons()[0].before);
        QVERIFY(settle());
        QVERIFY(marked(LineMark::Added).isEmpty());
        QCOMPARE(tabsOf("nest")->count(), 6);
        document().jumpTo(split);
        QVERIFY(settle());
        QVERIFY(!marked(LineMark::Added).isEmpty());
        openExample("plain.py");
        QCOMPARE(tabsOf("nest")->count(), 5);
        QCOMPARE(m_window->nestPane()->tab(), int(NestPane::Nest));
        QVERIFY(m_window->nestPane()->view()->source().marks.empty());
    }

    /// The unscheduled program has its tab anyway.
    void againstTheFirst()
    {
        openExample("two.py");
        m_window->nestPane()->compareWith(document().tree().root().id);
        QVERIFY(settle());
        QCOMPARE(m_window->nestPane()->tab(), int(NestPane::AgainstFirst));
        QCOMPARE(tabsOf("nest")->count(), 5);
        QCOMPARE(marked(LineMark::Removed)[0], QString("for i in range(32):"));
    }

    /// The other differences are shown the same way; the key that shows one hides it again.
    void againstTheParent()
    {
        openExample("two.py");
        tree()->setFocus();
        press(Qt::Key_D, Qt::ControlModifier);
        QVERIFY(settle());
        QCOMPARE(m_window->nestPane()->tab(), int(NestPane::AgainstParent));
        QCOMPARE(marked(LineMark::Removed)[0], QString("for i in range(32):"));
        QVERIFY(!marked(LineMark::Added).contains("T.writes(B[v_i])")); // it only moved to the right
        press(Qt::Key_D, Qt::ControlModifier);
        QVERIFY(settle());
        QVERIFY(marked(LineMark::Removed).isEmpty());
    }

    void keysGoFromChangeToChange()
    {
        press(Qt::Key_F7); // nothing to go to: it says so and moves nothing
        code::DifferenceView *difference = m_window->nestPane()->difference();
        QCOMPARE(difference->currentChange(), -1);
        press(Qt::Key_D, Qt::ControlModifier);
        QVERIFY(settle());
        QVERIFY(difference->changeCount() >= 2);
        press(Qt::Key_F7);
        QCOMPARE(difference->currentChange(), 0);
        press(Qt::Key_F7);
        QCOMPARE(difference->currentChange(), 1);
        press(Qt::Key_F7, Qt::ShiftModifier);
        QCOMPARE(difference->currentChange(), 0);
        press(Qt::Key_F7, Qt::ShiftModifier);
        QCOMPARE(difference->currentChange(), difference->changeCount() - 1);
        shoot("comparison-unified");
    }

    /// Removed parts at the left, added ones at the right, each linked with the tree.
    void sideBySide()
    {
        code::DifferenceView *difference = m_window->nestPane()->difference();
        tree()->setFocus();
        press(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(settle());
        code::CodeView *older = difference->olderView(), *newer = difference->view();
        QVERIFY(older->isVisible());
        QCOMPARE(older->text().lineCount(), newer->text().lineCount());
        QVERIFY(std::ranges::contains(older->source().marks, LineMark::Removed));
        QVERIFY(!std::ranges::contains(newer->source().marks, LineMark::Removed));
        const auto lineOf = [](code::CodeView *view, const char *part) {
            for (int line = 0; line < view->text().lineCount(); ++line) {
                if (view->text().line(line).contains(QLatin1String(part)))
                    return line;
            }
            return -1;
        };
        for (code::CodeView *view : {older, newer}) {
            document().selection().select(row("i_0"));
            const int line = lineOf(view, "T.block(\"B\")");
            view->scrollToLine(line);
            QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                              view->rectOf({line, 14}).center().toPoint());
            QVERIFY(settle());
            QCOMPARE(document().selection().current(), row("B"));
        }
        for (const look::Mode mode : {look::Mode::Dark, look::Mode::Light}) {
            m_theme->setMode(mode);
            shoot(mode == look::Mode::Dark ? "comparison-sides-dark" : "comparison-sides-light");
        }
        tree()->setFocus();
        press(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!older->isVisible());
    }

    /// While a step is pointed at, the program after it shows the change.
    void aPreviewIsADifferenceToo()
    {
        press(Qt::Key_D, Qt::ControlModifier);
        QVERIFY(settle());
        QVERIFY(marked(LineMark::Added).isEmpty());
        click("i_0");
        const forms::ActionStrip *actions = strip();
        QTest::mouseMove(actions->button("parallel"), actions->button("parallel")->rect().center());
        QTRY_VERIFY_WITH_TIMEOUT(marked(LineMark::Added).contains("for i_0 in T.parallel(8):"), patience);
        QVERIFY(marked(LineMark::Removed).contains("for i_0, i_1 in T.grid(8, 4):"));
        QTest::mouseMove(tree()->viewport(), QPoint(5, tree()->viewport()->height() - 5));
        QTRY_VERIFY_WITH_TIMEOUT(marked(LineMark::Added).isEmpty(), patience);
    }
};

QTEST_MAIN(ComparisonTest)
#include "comparison_test.moc"
