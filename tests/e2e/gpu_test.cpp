// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel for a GPU in the window: its target by the menu, its loops onto axes of threads by the mouse, its
// sources beside the loops, and its measurement on an OpenCL device.
#include "app/window/panes/source_pane.h"
#include "core/backend/backend.h"
#include "core/backend/tool_version.h"
#include "core/ir/node/equality.h"
#include "core/schedule/script/reader.h"
#include "tests/e2e/window_fixture.h"
#include "tests/support/programs.h"
#include "widgets/charts/roofline.h"
#include "widgets/code/code_view.h"
#include "widgets/document/action_list.h"
#include "widgets/forms/field_editor.h"
#include "widgets/forms/primitive_form.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/tab_row.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QElapsedTimer>
#include <QMenu>

#include <cmath>
#include <functional>

using namespace nestwright;
using e2e::patience;

namespace {

const char *const reversed = R"(
@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    for i in range(1024):
        with T.block("B"):
            vi = T.axis.spatial(1024, i)
            B[vi] = A[vi] + T.float32(1)
)";

const char *const bound = R"(from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  i = sch.get_loops(sch.get_block("B"))[0]
  i_0, i_1 = sch.split(i, [None, 64])
  sch.bind(i_0, "blockIdx.x")
  sch.bind(i_1, "threadIdx.x")
)";

} // namespace

class GpuTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    QString text() const { return m_window->sourcePane()->view()->source().text; }
    look::TabRow *tabs() const
    {
        return m_window->findChild<look::CardDock *>(QStringLiteral("source"))
            ->header()
            ->findChild<look::TabRow *>();
    }
    void choose(const QString &target) const
    {
        for (QMenu *menu : m_window->findChildren<QMenu *>()) {
            Q_EMIT menu->aboutToShow(); // which fills it
            for (QAction *action : menu->actions()) {
                const bool isIt = action->text() == target || action->text().startsWith(target + ", ");
                if (isIt && action->isCheckable()) { // not the export of its source
                    QVERIFY(action->isEnabled());
                    action->trigger();
                    QVERIFY(settle());
                    return;
                }
            }
        }
        QFAIL("there is no such target");
    }

    static void mouse(QWidget *widget)
    {
        QVERIFY(widget && widget->isVisible());
        QTest::mouseClick(widget, Qt::LeftButton, {}, widget->rect().center());
    }
    /// Milliseconds from a click on undo until the source is another; less than 0: it stays.
    qint64 untilSourceFollows() const
    {
        const QString before = text();
        QElapsedTimer timer;
        timer.start();
        mouse(m_window->findChild<QWidget *>(QStringLiteral("toolbar.edit.undo")));
        const bool follows = QTest::qWaitFor([&] { return text() != before; }, patience);
        const qint64 elapsed = timer.elapsed();
        return settle() && follows ? elapsed : -1;
    }
    void redo() const
    {
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(settle());
    }
    void measure() const
    {
        mouse(m_window->findChild<QWidget *>(QStringLiteral("toolbar.measure.current")));
        QTRY_VERIFY_WITH_TIMEOUT(
            document().tree().current().measurement && !m_window->measuring().isRunning(), patience);
        const auto &measurement = *document().tree().current().measurement;
        QVERIFY2(measurement.isVerified(), measurement.failure ? measurement.failure->render().c_str() : "");
        QVERIFY(settle());
    }
    /// Drags a loop or block of the tree to where `place` is once it is dragged.
    void drop(const char *name, const std::function<QRect()> &place, const char *picture = nullptr) const
    {
        QWidget *port = tree()->viewport();
        const QPoint from = tree()->rowRect(row(name)).center();
        QTest::mousePress(port, Qt::LeftButton, {}, from);
        QTest::mouseMove(port, from + QPoint(0, 12));
        QTest::mouseMove(port, from + QPoint(0, 24));
        QTRY_VERIFY_WITH_TIMEOUT(
            !m_window->actions().placements().empty() || !m_window->actions().bindings().empty(), patience);
        const QPoint to = place().center();
        QVERIFY(port->rect().contains(to));
        QTest::mouseMove(port, to);
        if (picture)
            shoot(picture);
        QTest::mouseRelease(port, Qt::LeftButton, {}, to);
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::string matmul(tests::programText("matmul"));
        showWindow(1366, 768,
                   {{"reversed.py", reversed}, {"bound.py", bound}, {"matmul.py", matmul.c_str()}});
        m_window->open(m_folder.filePath("examples/reversed.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        m_window->open(m_folder.filePath("examples/bound.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().size() > 1 && !document().isBusy(), patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }

    void sourcesFollowTheTarget()
    {
        QCOMPARE(tabs()->count(), 4);
        choose("OpenCL");
        QCOMPARE(tabs()->count(), 5);
        QVERIFY2(text().contains("get_local_id(0)"), qPrintable(text()));
        shoot("gpu-opencl");
        choose("CUDA");
        QVERIFY2(text().contains("threadIdx.x"), qPrintable(text()));
        choose("LLVM, this processor, all cores");
        QCOMPARE(tabs()->count(), 4);
    }

    /// Once they are found.
    void theMenuNamesDevices()
    {
        const auto text = [&](const QString &start) {
            for (QMenu *menu : m_window->findChildren<QMenu *>()) {
                Q_EMIT menu->aboutToShow();
                for (const QAction *action : menu->actions()) {
                    if (action->isCheckable() && action->text().startsWith(start))
                        return action->text();
                }
            }
            return QString();
        };
        const auto devices = backend::devices(target::TargetKind::OpenCl);
        const QString name = devices.empty() ? QStringLiteral("OpenCL, no device here")
                                             : "OpenCL, " + QString::fromStdString(devices.front().name);
        QTRY_COMPARE_WITH_TIMEOUT(text("OpenCL"), name, patience);
        QVERIFY(text("CUDA").startsWith("CUDA, "));
    }

    /// A source of another kind of target brings its neighbours along.
    void sourcesByKey()
    {
        QTest::keyClick(m_window.get(), Qt::Key_7, Qt::AltModifier);
        QVERIFY(settle());
        QCOMPARE(tabs()->count(), 5);
        QTest::keyClick(m_window.get(), Qt::Key_0, Qt::AltModifier);
        QVERIFY(settle());
        const auto problems = m_window->sourcePane()->findChildren<look::FindingBox *>();
        const bool isRefused = std::ranges::any_of(problems, [](const look::FindingBox *box) {
            return box->isVisible() && box->title() == QStringLiteral("No source for this target");
        });
        QCOMPARE(text().isEmpty(), isRefused); // where NVIDIA's tools are not here
        shoot("gpu-sass");
        QTest::keyClick(m_window.get(), Qt::Key_6, Qt::AltModifier);
        QVERIFY(settle());
        QCOMPARE(tabs()->count(), 4);
    }

    /// PTX, registers and occupancy, where NVRTC is here; else what to install.
    void whatTheCompilerSays()
    {
        choose("CUDA");
        constexpr int ptx = 2; // behind the lowered module and CUDA
        QTest::mouseClick(tabs(), Qt::LeftButton, {}, tabs()->tabRect(ptx).center());
        QVERIFY(settle());
        const auto *resources = m_window->findChild<look::FindingBox *>(QStringLiteral("source.resources"));
        if (backend::toolVersion(target::TargetKind::Cuda).empty()) {
            QVERIFY(!resources->isVisible());
            QVERIFY(text().isEmpty());
            return;
        }
        QVERIFY2(text().contains(".visible .entry main_kernel("), qPrintable(text()));
        QTRY_VERIFY_WITH_TIMEOUT(resources->isVisible(), patience);
        QVERIFY2(resources->title().startsWith(QStringLiteral("sm_80: ")), qPrintable(resources->title()));
        QVERIFY2(resources->title().contains(QStringLiteral(" registers")), qPrintable(resources->title()));
        shoot("gpu-ptx");
        choose("sm_90: H100, H200");
        QVERIFY2(text().contains(".target sm_90"), qPrintable(text()));
        QTRY_VERIFY_WITH_TIMEOUT(resources->title().startsWith(QStringLiteral("sm_90: ")), patience);
        const qint64 ms = untilSourceFollows();
        QVERIFY(ms >= 0);
        qInfo("PTX by NVRTC %lld ms after the click", static_cast<long long>(ms));
        redo();
        choose("LLVM, this processor, all cores");
        QTRY_VERIFY_WITH_TIMEOUT(!resources->isVisible(), patience);
    }

    void measuredOnTheDevice()
    {
        if (backend::devices(target::TargetKind::OpenCl).empty())
            QSKIP("there is no OpenCL device");
        choose("OpenCL");
        QTest::keyClick(m_window.get(), Qt::Key_M);
        const auto &measurement = document().tree().current().measurement;
        QTRY_VERIFY_WITH_TIMEOUT(measurement && measurement->final, patience);
        QVERIFY(measurement->isVerified());
        shoot("gpu-measured");
    }

    /// The whole job by mouse: loops onto axes of threads, a copy in shared memory, a branch for the
    /// processor and one for the device in one history, the script.
    void byMouse()
    {
        if (backend::devices(target::TargetKind::OpenCl).empty())
            QSKIP("there is no OpenCL device");
        choose("LLVM, this processor, all cores");
        m_window->open(m_folder.filePath("examples/matmul.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && document().title() == u"matmul.py" && settle(),
                                 patience);
        click("i");
        mouse(strip()->button("parallel"));
        awaitVariants(2);
        measure();
        const session::VariantId onProcessor = document().currentId();
        mouse(m_window->findChild<QWidget *>(QStringLiteral("toolbar.edit.undo")));
        QVERIFY(settle());

        choose("OpenCL");
        drop("i", [&] { return tree()->cellOf("blockIdx.x"); });
        awaitVariants(3);
        drop("j", [&] { return tree()->cellOf("threadIdx.x"); }, "gpu-binding");
        awaitVariants(4);
        QCOMPARE(document().nest()->row(row("j"))->badge, QStringLiteral("threadIdx.x"));
        click("C");
        strip()->showMore(true);
        mouse(strip()->button("cache_read"));
        QTRY_VERIFY_WITH_TIMEOUT(strip()->form(), patience);
        forms::PrimitiveForm *form = strip()->form();
        const auto memory = schedule::findPrimitive("cache_read")->fieldIndex("storage_scope");
        auto *scopes = form->editors()[*memory]->findChild<QComboBox *>();
        QVERIFY(scopes);
        scopes->showPopup();
        const QModelIndex shared = scopes->model()->index(scopes->findText(QStringLiteral("shared")), 0);
        QVERIFY(shared.isValid());
        QTest::mouseClick(scopes->view()->viewport(), Qt::LeftButton, {},
                          scopes->view()->visualRect(shared).center());
        QTRY_COMPARE(scopes->currentText(), QStringLiteral("shared"));
        QTest::keyClick(form, Qt::Key_Return);
        awaitVariants(5);
        QCOMPARE(document().nest()->row(row("A_shared"))->badge, QStringLiteral("shared"));
        drop("A_shared", [&] { return tree()->rowRect(row("i")); });
        awaitVariants(6);
        drop("ax0", [&] { return tree()->cellOf("threadIdx.x"); });
        awaitVariants(7);
        measure();
        QTest::keyClick(tree(), Qt::Key_F6);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->measuring().isRunning()
                                     && !document().tree().trust(document().currentId()).empty(),
                                 patience);
        for (const measure::RungResult &result : document().tree().trust(document().currentId()))
            QVERIFY2(!result.reason || result.outcome == measure::RungResult::Outcome::NotHere,
                     result.reason ? result.reason->render().c_str() : "");
        shoot("gpu-by-mouse");

        const session::VariantId onDevice = document().currentId();
        const QString script = path("gpu.py");
        QSignalSpy exported(m_window.get(), &app::MainWindow::exported);
        m_window->exportTo("schedule", script);
        QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 1, patience);
        QFile file(script);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string text = file.readAll().toStdString();
        QVERIFY2(text.contains("thread_axis=\"threadIdx.x\""), text.c_str());
        const auto again = schedule::runScheduleScript(*document().tree().root().state, text, "gpu.py");
        QVERIFY2(again, again ? "" : again.error().render().c_str());
        QVERIFY(ir::structurallyEqual(again->state.module, document().nest()->loops.state().module));

        // Each branch keeps what was measured for its target.
        const auto isMeasured = [&](session::VariantId id) {
            return document().tree().at(id).measurement.has_value();
        };
        QVERIFY(isMeasured(onDevice) && !isMeasured(onProcessor));
        choose("LLVM, this processor, all cores");
        QVERIFY(isMeasured(onProcessor) && !isMeasured(onDevice));
        QVERIFY(settle());
        shoot("gpu-side-by-side");
    }

    /// A schedule of thirty steps, from the bundled ladder.
    void aRungOfTheLadder()
    {
        const QString examples = QDir::currentPath() + QStringLiteral("/examples/");
        m_window->open(examples + QStringLiteral("matmul.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        m_window->open(examples + QStringLiteral("schedules/gpu_matmul/5_warp_per_row.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().size() > 10 && !document().isBusy(), patience);
        choose("sm_90: H100, H200");
        QVERIFY2(text().contains("__syncthreads();"), qPrintable(text()));
        const document::NestRow &shared = *document().nest()->row(row("A_shared"));
        QCOMPARE(shared.bytes, 4096.0);
        QVERIFY2(shared.tip.endsWith(u"A_shared takes 4096 bytes of shared memory of each block"),
                 qPrintable(shared.tip));
        const auto *resources = m_window->findChild<look::FindingBox *>(QStringLiteral("source.resources"));
        if (!backend::toolVersion(target::TargetKind::Cuda).empty()) {
            QTRY_VERIFY_WITH_TIMEOUT(resources->isVisible(), patience);
            QVERIFY2(resources->title().contains(QStringLiteral("12288 bytes shared")),
                     qPrintable(resources->title()));
        }
        const qint64 ms = untilSourceFollows();
        QVERIFY(ms >= 0);
        qInfo("CUDA %lld ms after the click", static_cast<long long>(ms));
        redo();
        QTest::mouseClick(tabs(), Qt::LeftButton, {}, tabs()->tabRect(1).center());
        QVERIFY(settle());
        shoot("gpu-ladder");
        m_window->resize(1600, 1000);
        QVERIFY(settle());
        shoot("gpu-light");
        m_theme->setMode(look::Mode::Dark);
        shoot("gpu-dark");
        m_theme->setMode(look::Mode::Light);
    }

    /// Of a GPU that is not here the roofs are those of its data sheet.
    void roofsOfTheTarget()
    {
        if (!backend::devices(target::TargetKind::Cuda).empty())
            QSKIP("the roofs of the GPU here are measured");
        choose("sm_90: H100, H200");
        const charts::RooflineData &data = m_window->roofline()->data();
        QTRY_COMPARE_WITH_TIMEOUT(std::lround(data.peak), 66900L, patience);
        QCOMPARE(data.ceilings.size(), std::size_t{1});
        QVERIFY(data.points.empty() && data.across > 100);
        shoot("gpu-roofs");
        choose("LLVM, this processor, all cores");
        QTRY_VERIFY_WITH_TIMEOUT(data.ceilings.empty() && std::lround(data.peak) != 66900, patience);
    }
};

QTEST_MAIN(GpuTest)
#include "gpu_test.moc"
