// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel for a GPU in the window: its target by the menu, its sources beside the loops, and its measurement
// on an OpenCL device.
#include "app/source_pane.h"
#include "core/backend/backend.h"
#include "core/backend/tool_version.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/code/code_view.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/tab_row.h"

#include <QMenu>

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
                if (action->text() == target && action->isCheckable()) { // not the export of its source
                    QVERIFY(action->isEnabled());
                    action->trigger();
                    QVERIFY(settle());
                    return;
                }
            }
        }
        QFAIL("there is no such target");
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"reversed.py", reversed}, {"bound.py", bound}});
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
        QCOMPARE(tabs()->count(), 4);
        QVERIFY2(text().contains("get_local_id(0)"), qPrintable(text()));
        shoot("gpu-opencl");
        choose("CUDA");
        QVERIFY2(text().contains("threadIdx.x"), qPrintable(text()));
        choose("LLVM, this processor, all cores");
        QCOMPARE(tabs()->count(), 4);
    }

    /// A source of another kind of target brings its neighbours along.
    void sourcesByKey()
    {
        QTest::keyClick(m_window.get(), Qt::Key_7, Qt::AltModifier);
        QVERIFY(settle());
        QCOMPARE(tabs()->count(), 4);
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
        if (backend::toolVersion(lower::TargetKind::Cuda).empty()) {
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
        choose("LLVM, this processor, all cores");
        QTRY_VERIFY_WITH_TIMEOUT(!resources->isVisible(), patience);
    }

    void measuredOnTheDevice()
    {
        if (backend::devices(lower::TargetKind::OpenCl).empty())
            QSKIP("there is no OpenCL device");
        choose("OpenCL");
        QTest::keyClick(m_window.get(), Qt::Key_M);
        const auto &measurement = document().tree().current().measurement;
        QTRY_VERIFY_WITH_TIMEOUT(measurement && measurement->final, patience);
        QVERIFY(measurement->isVerified());
        shoot("gpu-measured");
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
        const auto *resources = m_window->findChild<look::FindingBox *>(QStringLiteral("source.resources"));
        if (!backend::toolVersion(lower::TargetKind::Cuda).empty()) {
            QTRY_VERIFY_WITH_TIMEOUT(resources->isVisible(), patience);
            QVERIFY2(resources->title().contains(QStringLiteral("12288 bytes shared")),
                     qPrintable(resources->title()));
        }
        shoot("gpu-ladder");
        m_window->resize(1600, 1000);
        QVERIFY(settle());
        shoot("gpu-light");
        m_theme->setMode(look::Mode::Dark);
        shoot("gpu-dark");
        m_theme->setMode(look::Mode::Light);
    }
};

QTEST_MAIN(GpuTest)
#include "gpu_test.moc"
