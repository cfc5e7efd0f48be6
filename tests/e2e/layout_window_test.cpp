// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts of buffers before and after a step, by keys.
#include "app/window/tools/layout_window.h"
#include "tests/e2e/matmul_scripts.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/look/finding_box.h"
#include "widgets/player/layout_grid.h"

#include <QComboBox>

using namespace nestwright;
using app::LayoutWindow;
using e2e::patience;

namespace {

const char *const packed = R"(def apply_trace(sch):
  b = sch.get_block("C")
  sch.transform_layout(b, ("read", 1), lambda k, j: (j // 8, k, j % 8))
  sch.transform_layout(b, ("read", 0), lambda i, k: (i, k // 16, (k + i * 4) % 16),
                       assume_injective_transform=True)
)";

} // namespace

class LayoutWindowTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    LayoutWindow *window() const { return m_window->findChild<LayoutWindow *>(); }
    bool settled() const
    {
        return QTest::qWaitFor([this] { return window() && window()->isSettled() && m_window->isSettled(); },
                               patience);
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"matmul.py", e2e::smallMatmul}, {"packed.py", packed}});
        m_window->open(m_folder.filePath(QStringLiteral("examples/matmul.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }

    void withoutLayouts()
    {
        QTest::keyClick(m_window.get(), Qt::Key_L, Qt::ControlModifier | Qt::AltModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window(), patience);
        QVERIFY(settled());
        QTRY_COMPARE_WITH_TIMEOUT(window()->note()->title(), QString("No step lays a buffer out anew"),
                                  patience);
        shoot("layouts-none", window());
    }

    void followsTheVariant()
    {
        if (!window())
            QSKIP("no window was opened");
        m_window->open(m_folder.filePath(QStringLiteral("examples/packed.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().size() >= 2, patience);
        QVERIFY(settled());
        QTRY_VERIFY_WITH_TIMEOUT(window()->steps()->count() >= 1, patience);
        window()->steps()->setFocus();
        QTest::keyClick(window()->steps(), Qt::Key_Home);
        QCOMPARE(window()->before()->cells().rows, 64);
        QCOMPARE(window()->before()->cells().places[1], 1);
        QCOMPARE(window()->after()->cells().places[8], 8 * 64);
        shoot("layouts-light", window());
        m_theme->setMode(look::Mode::Dark);
        QTest::qWait(50);
        shoot("layouts-dark", window());
        m_theme->setMode(look::Mode::Light);
        QTest::keyClick(window()->steps(), Qt::Key_End);
        shoot("layouts-second", window());
    }
};

QTEST_MAIN(LayoutWindowTest)
#include "layout_window_test.moc"
