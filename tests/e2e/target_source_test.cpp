// SPDX-License-Identifier: GPL-3.0-or-later
// The target source in all its forms: the lowered module that explains C and LLVM IR, LLVM IR before and
// after LLVM's passes, assembly in both syntaxes.
#include "app/window/panes/source_pane.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/code/code_view.h"
#include "widgets/document/command_registry.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/tab_row.h"

#include <QSettings>

using namespace nestwright;
using e2e::patience;

namespace {

const char *const matmul = R"(from tvm import te
A = te.placeholder((1024, 1024), name="A")
B = te.placeholder((1024, 1024), name="B")
k = te.reduce_axis((0, 1024), name="k")
C = te.compute((1024, 1024), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
func = te.create_prim_func([A, B, C])
)";

const char *const tiled = R"(from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  i, j, k = sch.get_loops(sch.get_block("C"))
  i_0, i_1 = sch.split(i, [None, 32])
  j_0, j_1 = sch.split(j, [None, 32])
  k_0, k_1 = sch.split(k, [None, 4])
  sch.reorder(i_0, j_0, k_0, i_1, k_1, j_1)
)";

} // namespace

class TargetSourceTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    const code::CodeView *view() const { return m_window->sourcePane()->view(); }
    QString text() const { return view()->source().text; }
    look::CardHeader *header() const
    {
        return m_window->findChild<look::CardDock *>(QStringLiteral("source"))->header();
    }
    look::TabRow *tabs() const { return header()->findChild<look::TabRow *>(); }
    look::Button *formSwitch() const { return header()->findChild<look::Button *>("source.form"); }
    void clickTab(int tab) const
    {
        QTest::mouseClick(tabs(), Qt::LeftButton, {}, tabs()->tabRect(tab).center());
        QVERIFY(settle());
    }
    void clickSwitch() const
    {
        QVERIFY(formSwitch()->isVisible());
        QTest::mouseClick(formSwitch(), Qt::LeftButton);
        QVERIFY(settle());
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"matmul.py", matmul}, {"tiled.py", tiled}});
        m_window->open(m_folder.filePath("examples/matmul.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }

    void theLoweredModuleIsATab()
    {
        clickTab(0);
        QVERIFY2(text().contains("C_1[i * 1024 + j] = "), qPrintable(text()));
        shoot("source-lowered");
    }

    /// Beside assembly and LLVM IR stands what an iteration of the selected loop does.
    void machineCodeOfTheSelectedLoop()
    {
        const auto *box = m_window->findChild<look::FindingBox *>(QStringLiteral("source.resources"));
        clickTab(0);
        QVERIFY(!box->isVisible());
        clickTab(1);
        click("k");
        QTRY_VERIFY_WITH_TIMEOUT(box->isVisible(), patience);
        QVERIFY2(box->title().startsWith(QStringLiteral("k: ")), qPrintable(box->title()));
        QVERIFY(box->title().endsWith(QStringLiteral("cycles an iteration")));
        const QModelIndex cycles = tree()->nestModel()->indexOf(row("k"), models::NestModel::Cycles);
        QVERIFY(cycles.data().toDouble() > 0);
        shoot("source-machine-code");
        click("i"); // whose work the code of k does
        QVERIFY(box->title().startsWith(QStringLiteral("k: ")));
        clickTab(0);
    }

    /// Its lines are linked with the tree, both ways, and its variables have the colours of their axes.
    void itsLinesAreLinked()
    {
        click("i");
        const QStringList lines = text().split(u'\n');
        const auto line = static_cast<int>(lines.indexOf(QRegularExpression("^ *C_1\\[.*\\+ A_1.*")));
        QVERIFY(line > 0);
        QTest::mouseClick(view()->viewport(), Qt::LeftButton, {},
                          const_cast<code::CodeView *>(view())->rectOf({line, 20}).center().toPoint());
        QVERIFY(settle());
        QCOMPARE(document().selection().current(), row("C"));
        QVERIFY(!view()->source().colors.empty());
    }

    void assemblyInEitherSyntax()
    {
        clickTab(1);
        QVERIFY(text().contains("%rdi"));
        QVERIFY(!formSwitch()->isChecked());
        const QRect tab = tabs()->tabRect(1), place = tabs()->geometry();
        clickSwitch();
        QVERIFY(text().contains(".intel_syntax"));
        QVERIFY(!text().contains(u'%'));
        QVERIFY(!view()->source().spans.empty());
        shoot("source-intel");
        clickTab(2);
        clickTab(1); // the choice stays with its tab
        QVERIFY(formSwitch()->isChecked() && text().contains(".intel_syntax"));
        QCOMPARE(tabs()->tabRect(1), tab);
        QCOMPARE(tabs()->geometry(), place);
        clickSwitch();
        QVERIFY(text().contains("%rdi"));
    }

    void llvmIrBeforeAndAfterItsPasses()
    {
        clickTab(2);
        QVERIFY(!text().contains("for.k:"));
        clickSwitch();
        QVERIFY2(text().contains("for.k:"), qPrintable(text()));
        shoot("source-raw");
        clickTab(3);
        QVERIFY(!formSwitch()->isVisible());
        QVERIFY(text().contains("#include"));
        clickTab(2);
        QVERIFY(text().contains("for.k:"));
    }

    void keysChooseToo()
    {
        tree()->setFocus();
        QTest::keyClick(tree(), Qt::Key_4, Qt::AltModifier);
        QVERIFY(settle());
        QCOMPARE(tabs()->current(), 1);
        QVERIFY(text().contains("%rdi"));
        QTest::keyClick(tree(), Qt::Key_5, Qt::AltModifier);
        QVERIFY(settle());
        QVERIFY(formSwitch()->isChecked() && text().contains(".intel_syntax"));
        QVERIFY(m_window->commands().find("source.asm-intel")->checked());
        QTest::keyClick(tree(), Qt::Key_1, Qt::AltModifier);
        QVERIFY(settle());
        QCOMPARE(tabs()->current(), 0);
        QVERIFY(text().contains("C_1[i * 1024 + j] = "));
    }

    /// The tile that C and LLVM IR work on is made in plain sight.
    void theLoweredModuleShowsTheTileOfC()
    {
        m_window->open(m_folder.filePath("examples/tiled.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().size() > 1 && !document().isBusy(), patience);
        QVERIFY(settle());
        clickTab(3);
        QVERIFY(text().contains("C_tile["));
        clickTab(0);
        QVERIFY2(text().contains("C_tile = T.decl_buffer((1024,), scope=\"local\")"), qPrintable(text()));
        shoot("source-tile");
    }

    /// The forms that were chosen are there at the next start.
    void theChoiceIsRemembered()
    {
        m_window.reset();
        const auto start = [this] {
            m_window = std::make_unique<app::MainWindow>(
                *m_theme, app::WindowFolders{path("settings.ini"), path("autosave")}, false);
            m_window->resize(1366, 768);
            m_window->show();
            m_window->open(m_folder.filePath("examples/matmul.py"));
            QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
            QVERIFY(settle());
        };
        start();
        QVERIFY(text().contains("%rdi"));
        clickSwitch();
        QVERIFY(text().contains(".intel_syntax"));
        QVERIFY(m_window->close());
        m_window.reset();
        start();
        QVERIFY(formSwitch()->isChecked());
        QVERIFY(text().contains(".intel_syntax"));
    }
};

QTEST_MAIN(TargetSourceTest)
#include "target_source_test.moc"
