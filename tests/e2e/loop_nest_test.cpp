// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of the loop nest: long ones go on below, and the loops of T.grid may have one each. Links hold in
// both.
#include "app/window/panes/nest_pane.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/code/code_view.h"
#include "widgets/code/difference_view.h"
#include "widgets/document/command_registry.h"

using namespace nestwright;
using e2e::patience;

namespace {

const char *const longSum = R"(from tvm.script import tir as T
@T.prim_func
def main(first: T.Buffer((64, 64), "float32"), second: T.Buffer((64, 64), "float32"),
         total: T.Buffer((64, 64), "float32")):
    for row, column in T.grid(64, 64):
        with T.block("total"):
            v_row, v_column = T.axis.remap("SS", [row, column])
            total[v_row, v_column] = T.max(first[v_row, v_column] * second[v_row, v_column],
                                           first[v_row, v_column] + second[v_row, v_column])
)";

} // namespace

class LoopNestTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    code::CodeView *view() const { return m_window->nestPane()->view(); }
    /// The first line that holds `part`.
    int lineOf(const char *part) const
    {
        for (int line = 0; line < view()->text().lineCount(); ++line) {
            if (view()->text().line(line).contains(QLatin1String(part)))
                return line;
        }
        return -1;
    }
    void clickOn(const char *part) const
    {
        const int line = lineOf(part);
        QVERIFY2(line >= 0, part);
        const auto column = static_cast<int>(view()->text().line(line).indexOf(QLatin1String(part)));
        view()->goTo({line, column});
        QTest::mouseClick(view()->viewport(), Qt::LeftButton, {},
                          view()->rectOf({line, column}).center().toPoint());
        QVERIFY(settle());
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"long_sum.py", longSum}});
        m_window->open(m_folder.filePath("examples/long_sum.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }

    void longLinesGoOnBelow()
    {
        const int first = lineOf("def main(");
        QCOMPARE(view()->text().line(first + 1).trimmed().toString(),
                 QString("second: T.Buffer((64, 64), \"float32\"),"));
        QVERIFY(lineOf("first[v_row, v_column] + ") > lineOf("total[v_row, v_column] = T.max("));
        shoot("nest-wrapped");
    }

    /// A line that goes on is linked as a whole.
    void itsLinesAreLinked()
    {
        clickOn("row, column in");
        QCOMPARE(document().selection().current(), row("row"));
        clickOn("+ second[v_row");
        QCOMPARE(document().selection().current(), row("total"));
    }

    void loopsApart()
    {
        view()->setFocus();
        QTest::keyClick(view(), Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(settle());
        QVERIFY(m_window->commands().find("nest.splitGrids")->checked());
        QCOMPARE(lineOf("T.grid"), -1);
        QCOMPARE(lineOf("for column in range(64):"), lineOf("for row in range(64):") + 1);
        clickOn("for column");
        QCOMPARE(document().selection().current(), row("column"));
        shoot("nest-apart");
    }

    /// Differences are those of the same lines.
    void differencesOfLoopsApart()
    {
        click("column");
        tree()->setFocus();
        press(Qt::Key_P);
        QVERIFY(settle());
        press(Qt::Key_D, Qt::ControlModifier);
        QVERIFY(settle());
        QCOMPARE(m_window->nestPane()->difference()->changeCount(), 1);
        QCOMPARE(lineOf("for column in T.parallel(64):"), lineOf("for column in range(64):") + 1);
        press(Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(settle());
        QVERIFY(lineOf("for row, column in T.grid(64, 64):") > 0);
    }
};

QTEST_MAIN(LoopNestTest)
#include "loop_nest_test.moc"
