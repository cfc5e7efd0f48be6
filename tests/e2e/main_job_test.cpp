// SPDX-License-Identifier: GPL-3.0-or-later
// The main job in the real window, by mouse and keys alone: open, split, reorder by dragging, vectorize,
// parallel, measure, undo, branch, export; exports give the window's program. NESTWRIGHT_SHOTS=DIR leaves
// pictures there.
#include "app/window/commands/command_palette.h"
#include "app/window/frame/banner.h"
#include "app/window/frame/main_window.h"
#include "app/window/panes/loop_pane.h"
#include "core/ir/node/equality.h"
#include "core/script/tvmscript/parser.h"
#include "tests/e2e/dialog_hands.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/document/action_list.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/document/work/measuring.h"
#include "widgets/forms/action_strip.h"
#include "widgets/forms/factor_editor.h"
#include "widgets/forms/primitive_form.h"
#include "widgets/history/history_view.h"
#include "widgets/look/button.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/theme.h"
#include "widgets/looptree/loop_tree.h"

#include <QAbstractButton>
#include <QFile>
#include <QLineEdit>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace nestwright;
using e2e::patience;

namespace {

const char *const kernel = R"(# A small product of matrices.
from tvm import te

M = N = K = 128
A = te.placeholder((M, K), name="A")
B = te.placeholder((K, N), name="B")
k = te.reduce_axis((0, K), name="k")
C = te.compute((M, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
func = te.create_prim_func([A, B, C])
)";

} // namespace

class MainJobTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    /// Splits a loop with the keyboard alone.
    void split(const char *name, const char *factor) const
    {
        click(name);
        press(Qt::Key_S);
        QTRY_VERIFY_WITH_TIMEOUT(strip()->form() != nullptr, patience);
        QTRY_VERIFY(qobject_cast<QLineEdit *>(QApplication::focusWidget()) != nullptr);
        QTest::keyClicks(QApplication::focusWidget(),
                         QString::fromLatin1(factor)); // the proposal is selected
        QTest::qWait(80);                              // its preview
        QVERIFY(settle());
        shoot("form");
        const int before = document().tree().size();
        press(Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), before + 1, patience);
        QVERIFY(settle());
        QVERIFY(strip()->form() == nullptr);
    }

    /// Drags a loop below another one.
    void drag(const char *name, const char *below) const
    {
        const QPoint from = tree()->rowRect(row(name)).center();
        const QRect to = tree()->rowRect(row(below));
        QWidget *port = tree()->viewport();
        QTest::mousePress(port, Qt::LeftButton, {}, from);
        QTest::mouseMove(port, from + QPoint(0, 12));
        QTest::mouseMove(port, from + QPoint(0, 24));
        QTRY_VERIFY(tree()->isDragging());
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->actions().placements().empty(), patience);
        QTest::mouseMove(port, QPoint(from.x(), to.bottom()));
        shoot("drag");
        const int before = document().tree().size();
        QTest::mouseRelease(port, Qt::LeftButton, {}, QPoint(from.x(), to.bottom()));
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), before + 1, patience);
        QVERIFY(settle());
    }

    void measure() const
    {
        tree()->setFocus();
        press(Qt::Key_M);
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().current().measurement
                                     && document().tree().current().measurement->ok(),
                                 patience);
        QVERIFY(settle());
        QCOMPARE(document().tree().current().measurement->verdict, measure::Verdict::Verified);
    }

private Q_SLOTS:
    void initTestCase() { showWindow(1600, 1000, {{"matmul.py", kernel}}); }

    void cleanupTestCase() { m_window.reset(); }

    void opensAnExample()
    {
        QAbstractButton *card = nullptr;
        for (QAbstractButton *button : m_window->findChildren<QAbstractButton *>()) {
            if (button->text() == u"matmul" && button->isVisible())
                card = button;
        }
        QVERIFY(card);
        QTest::mouseClick(card, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
        QCOMPARE(order(), QStringLiteral("i j k C"));
        shoot("opened");
    }

    void splits()
    {
        split("i", "32");
        split("j", "32");
        split("k", "4");
        QCOMPARE(order(), QStringLiteral("i_0 i_1 j_0 j_1 k_0 k_1 C"));
        measure();
    }

    void reordersByDragging()
    {
        drag("i_1", "k_0");
        QCOMPARE(order(), QStringLiteral("i_0 j_0 j_1 k_0 i_1 k_1 C"));
        drag("j_1", "k_1");
        QCOMPARE(order(), QStringLiteral("i_0 j_0 k_0 i_1 k_1 j_1 C"));
        measure();
    }

    void saysWhyNot()
    {
        click("k_0");
        const int before = document().tree().size();
        press(Qt::Key_P);
        QTRY_VERIFY(strip()->finding()->isVisible());
        QVERIFY2(strip()->finding()->title().startsWith(QStringLiteral("Parallel")),
                 qPrintable(strip()->finding()->title()));
        QCOMPARE(document().tree().size(), before);
        shoot("refused");
    }

    void vectorizesAndParallelises()
    {
        click("j_1");
        press(Qt::Key_V);
        QTRY_COMPARE_WITH_TIMEOUT(document().nest()->row(row("j_1"))->badge, QStringLiteral("vector"),
                                  patience);
        QVERIFY(settle());
        measure();
        click("i_0");
        QTest::mouseClick(strip()->button("parallel"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(document().nest()->row(row("i_0"))->badge, QStringLiteral("parallel"),
                                  patience);
        QVERIFY(settle());
        measure();
        // A bar for each that was measured, the unscheduled program included.
        QTRY_COMPARE_WITH_TIMEOUT(int(m_window->bars()->data().bars.size()), 5, patience);
        QCOMPARE(m_window->bars()->data().current, document().currentId().value);
        shoot("measured");
    }

    void undoesAndBranches()
    {
        const session::VariantId last = document().currentId();
        press(Qt::Key_Z, Qt::ControlModifier);
        press(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(settle());
        QCOMPARE(document().currentId(), *document().tree().at(*document().tree().at(last).parent).parent);
        QVERIFY(document().nest()->row(row("j_1"))->badge.isEmpty());
        press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier); // redo: the vectorized one
        QVERIFY(settle());
        QCOMPARE(document().currentId(), *document().tree().at(last).parent);
        click("k_1");
        press(Qt::Key_U);
        QTRY_COMPARE_WITH_TIMEOUT(document().nest()->row(row("k_1"))->badge, QStringLiteral("unroll"),
                                  patience);
        QVERIFY(settle());
        const session::Variant &branch = document().tree().current();
        QCOMPARE(int(document().tree().at(*branch.parent).children.size()), 2); // parallel, and this one
        measure();
        // Back to the other branch with a click into the history, and here again.
        const session::VariantId here = branch.id;
        history::HistoryView *view = m_window->historyView();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->rowRect(last).center());
        QTRY_COMPARE_WITH_TIMEOUT(document().currentId(), last, patience);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->rowRect(here).center());
        QTRY_COMPARE_WITH_TIMEOUT(document().currentId(), here, patience);
        QVERIFY(settle());
        shoot("branched");
    }

    void exportsBySearchingTheCommand()
    {
        press(Qt::Key_K, Qt::ControlModifier);
        QTRY_VERIFY(m_window->commandPalette()->isVisible());
        QTest::keyClicks(m_window->commandPalette()->field(), QStringLiteral("export schedule"));
        shoot("palette");
        const QString target = path("exported.py");
        const e2e::FileNameHand hand(target);
        QSignalSpy exported(m_window.get(), &app::MainWindow::exported);
        QTest::keyClick(m_window->commandPalette()->field(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 1, patience);
        QVERIFY(QFile::exists(target));

        QProcess nestc;
        nestc.start(
            qEnvironmentVariable("NESTWRIGHT_BIN_DIR") + QStringLiteral("/nestc"),
            {QStringLiteral("apply"), path("examples/matmul.py"), QStringLiteral("--schedule"), target});
        QVERIFY2(nestc.waitForFinished(patience) && nestc.exitCode() == 0,
                 nestc.readAllStandardError().constData());
        const auto module = script::parseTvmScript(nestc.readAllStandardOutput().toStdString(), "applied.py");
        QVERIFY2(module.has_value(), module ? "" : module.error().render().c_str());
        QVERIFY(ir::structurallyEqual(*module, document().nest()->loops.state().module));
    }

    void writesForTheChosenVersionOfTvm()
    {
        const auto exported = [&](const char *kind) {
            const QString target = path("version.py");
            QFile::remove(target);
            QSignalSpy done(m_window.get(), &app::MainWindow::exported);
            m_window->exportTo(QLatin1String(kind), target);
            if (done.isEmpty() && !done.wait(patience))
                return QByteArray();
            QFile file(target);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QVERIFY(exported("schedule").contains("sch: tir.Schedule"));
        m_window->commands().trigger(QStringLiteral("export.dialect.0.27"));
        QVERIFY(exported("schedule").contains("sch: s_tir.Schedule"));
        const QByteArray program = exported("tvmscript");
        QVERIFY(program.contains("@T.prim_func(s_tir=True)") && program.contains("T.sblock("));
        QVERIFY(script::parseTvmScript(program.toStdString(), "version.py").has_value());
        m_window->commands().trigger(QStringLiteral("export.dialect.0.23"));
        QVERIFY(exported("tvmscript").contains("T.block("));
    }

    void badFilesLeaveWhatIsOpen()
    {
        const int variants = document().tree().size();
        QFile bad(path("bad.py"));
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad.write("import tvm\nfrom tvm import te\nA = te.placeholder((4, 4), name=\"A\"\nB = (\n");
        bad.close();
        m_window->open(bad.fileName());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->banner()->isVisible()
                                     && m_window->banner()->text().contains(QStringLiteral("bad.py:")),
                                 patience);
        QCOMPARE(document().tree().size(), variants);
        QCOMPARE(document().title(), QStringLiteral("matmul.py"));
        shoot("banner");
    }

    void closesWhileMeasuring()
    {
        m_window->open(QStringLiteral("op:matmul(M=512,N=512,K=512,dtype=float32)"));
        QTRY_VERIFY_WITH_TIMEOUT(document().subtitle().contains(QStringLiteral("512")), patience);
        QVERIFY(settle());
        m_window->measuring().setEffort({50, 1});
        QVERIFY(m_window->commands().trigger(
            QStringLiteral("measure.current"))); // no window manager gives back the focus
        QTRY_VERIFY(m_window->measuring().isRunning());
        QTest::qWait(100);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(m_window->close());
        m_window.reset();
        QVERIFY2(timer.elapsed() < 10000, "the measurement was waited for"); // 50 s of it were left
    }
};

QTEST_MAIN(MainJobTest)
#include "main_job_test.moc"
