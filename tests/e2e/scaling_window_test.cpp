// SPDX-License-Identifier: GPL-3.0-or-later
// The current variant with more threads: curve, table and export, by mouse.
#include "app/window/tools/scaling_window.h"
#include "tests/e2e/dialog_hands.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/charts/scaling_curve.h"
#include "widgets/document/command_registry.h"
#include "widgets/look/finding_box.h"

#include <QTableWidget>

using namespace nestwright;
using app::ScalingWindow;
using e2e::patience;

namespace {

const char *const parallelTiles = R"(def apply_trace(sch):
  i, j, k = sch.get_loops(sch.get_block("C"))
  j0, j1 = sch.split(j, [None, 16])
  sch.reorder(i, j0, k, j1)
  sch.vectorize(j1)
  sch.parallel(i)
)";

} // namespace

class ScalingWindowTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    ScalingWindow *scaling() const { return m_window->findChild<ScalingWindow *>(); }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"tiles.py", parallelTiles}});
        QSignalSpy opened(&document(), &document::Document::opened);
        m_window->open(QStringLiteral("op:matmul(M=256,N=256,K=256)"));
        QTRY_VERIFY_WITH_TIMEOUT(opened.count() > 0, patience);
        m_window->open(m_folder.filePath(QStringLiteral("examples/tiles.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().size() >= 5, patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }

    void eachNumberOfThreadsIsMeasured()
    {
        QVERIFY(m_window->commands().trigger(QStringLiteral("measure.scaling")));
        QTRY_VERIFY_WITH_TIMEOUT(scaling() && scaling()->isVisible(), patience);
        QCOMPARE(scaling()->rows()->rowCount(), 0);
        QVERIFY(!scaling()->exportButton()->isEnabled());
        shoot("scaling-empty", scaling());
        scaling()->setEffort({3, 0.01});
        QTest::mouseClick(scaling()->measureButton(), Qt::LeftButton);
        QVERIFY(e2e::button(scaling(), "Cancel")->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(scaling()->isSettled() && scaling()->measureButton()->isEnabled(),
                                 4 * patience);
        QVERIFY(scaling()->table());
        const session::ScalingTable &table = *scaling()->table();
        const std::vector<int> counts = session::scalingThreads(table.rows.back().threads);
        QCOMPARE(table.rows.size(), counts.size());
        QCOMPARE(scaling()->rows()->rowCount(), static_cast<int>(counts.size()));
        for (const session::ScalingRow &row : table.rows) {
            QVERIFY2(!row.why, row.why ? row.why->message.c_str() : "");
            QVERIFY(table.rate(row) > 0);
            QCOMPARE(row.serial, 0.0);
        }
        QCOMPARE(scaling()->curve()->items().size(), counts.size());
        QCOMPARE(scaling()->curve()->items().front().ideal, scaling()->curve()->items().front().median);
        shoot("scaling-light", scaling());
        m_theme->setMode(look::Mode::Dark);
        QTest::qWait(50);
        shoot("scaling-dark", scaling());
        m_theme->setMode(look::Mode::Light);
        for (const char *name : {"rates.csv", "rates.png", "rates.svg"}) {
            QVERIFY(scaling()->exportTo(path(name)));
            QVERIFY(QFile(path(name)).size() > 100);
        }
        QVERIFY(!scaling()->exportTo(path("rates.txt")));
    }

    void anotherVariantBeginsAnew()
    {
        scaling()->close();
        document().jumpTo(document().tree().root().id);
        QVERIFY(settle());
        QVERIFY(m_window->commands().trigger(QStringLiteral("measure.scaling")));
        QCOMPARE(scaling()->rows()->rowCount(), 0);
        QVERIFY(!scaling()->table());
    }
};

QTEST_MAIN(ScalingWindowTest)
#include "scaling_window_test.moc"
