// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep over two numbers by mouse and keys, the gains that a drag shows, and all places of a loop tried.
#include "app/window/frame/banner.h"
#include "app/window/tools/sweep_dialog.h"
#include "core/measure/statistics.h"
#include "tests/e2e/dialog_hands.h"
#include "tests/e2e/matmul_scripts.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/document/action_list.h"
#include "widgets/history/history_view.h"

#include <QComboBox>
#include <QSlider>

using namespace nestwright;
using e2e::patience;
using session::VariantId;

namespace {

constexpr const char *reluOfProduct = R"(from tvm import te
A = te.placeholder((64, 64), name="A")
B = te.placeholder((64, 64), name="B")
k = te.reduce_axis((0, 64), name="k")
C = te.compute((64, 64), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
D = te.compute((64, 64), lambda i, j: te.max(C[i, j], 0.0), name="D")
func = te.create_prim_func([A, B, D])
)";

} // namespace

class SweepTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    const session::VariantTree &variants() const { return document().tree(); }
    VariantId made(const char *label) const
    {
        for (const VariantId id : variants().path(variants().current().id)) {
            if (variants().at(id).label.starts_with(label))
                return id;
        }
        return {};
    }
    void openTiled()
    {
        QFile file(path("schedule.py"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(e2e::tiledSchedule);
        file.close();
        m_window->open(m_folder.filePath(QStringLiteral("examples/matmul.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
        m_window->open(path("schedule.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().size() > 1, patience);
        QVERIFY(settle());
    }
    app::SweepDialog *openSweep()
    {
        auto *view = m_window->findChild<history::HistoryView *>();
        const QRect rect = view->rowRect(made("split(i"));
        const QPoint at(rect.left() + 120, rect.center().y());
        chooseFromMenu(QStringLiteral("Sweep a number"), "sweep-menu");
        QContextMenuEvent menu(QContextMenuEvent::Mouse, at, view->viewport()->mapToGlobal(at));
        QCoreApplication::sendEvent(view->viewport(), &menu);
        return m_window->findChild<app::SweepDialog *>();
    }
    /// By keys.
    void chooseSecond(app::SweepDialog *dialog, const QString &begin) const
    {
        auto *second = dialog->findChildren<QComboBox *>().at(1);
        second->setFocus();
        for (int i = 0; i < second->count() && !second->currentText().startsWith(begin); ++i)
            QTest::keyClick(second, Qt::Key_Down);
        QVERIFY(second->currentText().startsWith(begin));
    }
    void clickCell(app::SweepDialog *dialog, int cell) const
    {
        QWidget *view = dialog->map()->findChild<QAbstractScrollArea *>()->viewport();
        const QPoint at = dialog->map()->positionOfItem(cell).toPoint();
        QTest::mouseMove(view, view->mapFrom(dialog->map(), at));
        QTest::mouseClick(view, Qt::LeftButton, {}, view->mapFrom(dialog->map(), at));
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"matmul.py", e2e::smallMatmul}, {"relu.py", reluOfProduct}});
        openTiled();
    }
    void cleanupTestCase() { m_window.reset(); }

    void twoNumbersMakeAMap()
    {
        auto *dialog = openSweep();
        QVERIFY(dialog && dialog->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(dialog->grid(), patience);
        QVERIFY(!dialog->map()->isVisible());
        chooseSecond(dialog, QStringLiteral("factors[1] of split(j"));
        QTRY_VERIFY_WITH_TIMEOUT(dialog->grid() && dialog->map()->isVisible(), patience);
        const charts::RatioData &data = dialog->map()->data();
        QCOMPARE(data.rows.size() * data.columns.size(), qsizetype(dialog->grid()->points.size()));
        QVERIFY(std::ranges::all_of(data.cells, [](const auto &cell) { return cell.ratio > 0; }));
        shoot("sweep-map", dialog);
        m_theme->setMode(look::Mode::Dark);
        shoot("sweep-map-dark", dialog);
        m_theme->setMode(look::Mode::Light);
        // The present values are chosen; the sliders and the keys of the map move from there.
        const QList<QSlider *> sliders = dialog->findChildren<QSlider *>();
        QCOMPARE(sliders.size(), 2);
        const int own = dialog->map()->current();
        QCOMPARE(data.columns[own % data.columns.size()], QStringLiteral("16"));
        QCOMPARE(data.rows[own / data.columns.size()], QStringLiteral("8"));
        QCOMPARE(data.cells[std::size_t(own)].ratio, 1.0);
        std::vector<double> times;
        for (const int step : {1, -1, 1, -1, 1, -1}) {
            QElapsedTimer clock;
            clock.start();
            sliders[0]->setValue(sliders[0]->value() + step);
            QCoreApplication::processEvents();
            times.push_back(double(clock.nsecsElapsed()) * 1e-6);
        }
        qInfo("a changed slider shows after %.1f ms", measure::median(times));
        QTest::keyClick(sliders[0], Qt::Key_Right);
        QCOMPARE(dialog->map()->current(), own + 1);
        QTest::keyClick(sliders[1], Qt::Key_Left);
        QCOMPARE(dialog->map()->current(), own + 1 - int(data.columns.size()));
        dialog->map()->setFocus();
        QTest::keyClick(dialog->map(), Qt::Key_Down);
        QTest::keyClick(dialog->map(), Qt::Key_Left);
        QCOMPARE(dialog->map()->current(), own);
        clickCell(dialog, 0);
        QCOMPARE(dialog->map()->current(), 0);
        QCOMPARE(sliders[0]->value(), 0);
        QVERIFY(dialog->isVisible()); // a click opens nothing
        dialog->reject();
    }

    void cellsAreMeasuredAndOneIsTaken()
    {
        auto *dialog = openSweep();
        QTRY_VERIFY_WITH_TIMEOUT(dialog->grid(), patience);
        chooseSecond(dialog, QStringLiteral("factors[1] of split(j"));
        QTRY_VERIFY_WITH_TIMEOUT(dialog->grid() && dialog->map()->isVisible(), patience);
        const int before = variants().size();
        const VariantId tip = variants().current().id;
        QTest::mouseClick(e2e::button(dialog, "Measure these"), Qt::LeftButton);
        QVERIFY(dialog->isMeasuring());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->measuring().isRunning(), patience);
        shoot("sweep-map-measuring", dialog);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog->isMeasuring(), 2 * patience);
        QVERIFY(variants().size() > before);
        QCOMPARE(variants().current().id, tip);
        const app::SweepVariants &all = dialog->variants();
        QCOMPARE(all.made.size(), dialog->grid()->points.size());
        QVERIFY(all.ranked && all.ranked->best);
        for (const auto &[point, id] : all.made) {
            QVERIFY(variants().at(id).measurement && variants().at(id).measurement->ok());
            QCOMPARE(variants().at(id).measurement->verdict, measure::Verdict::Verified);
        }
        const auto &cells = dialog->map()->data().cells;
        QTRY_COMPARE_WITH_TIMEOUT(std::ranges::count(cells, true, &charts::RatioCell::isBest), 1, patience);
        QCOMPARE(std::ranges::count(cells, true, &charts::RatioCell::isTied),
                 qsizetype(all.ranked->tied.size()));
        shoot("sweep-map-measured", dialog);
        m_theme->setMode(look::Mode::Dark);
        shoot("sweep-map-measured-dark", dialog);
        m_theme->setMode(look::Mode::Light);
        clickCell(dialog, 3);
        const VariantId third = all.made.at(3);
        dialog->map()->setFocus();
        QTest::keyClick(dialog->map(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(variants().current().id, third, patience); // the dialog is gone
        QVERIFY(settle());
        document().jumpTo(tip);
        QTRY_COMPARE_WITH_TIMEOUT(variants().current().id, tip, patience);
        QVERIFY(settle());
    }

    void measuringIsCancelled()
    {
        auto *dialog = openSweep();
        QTRY_VERIFY_WITH_TIMEOUT(dialog->grid(), patience);
        chooseSecond(dialog, QStringLiteral("factors[1] of split(j"));
        QTRY_VERIFY_WITH_TIMEOUT(dialog->grid() && dialog->map()->isVisible(), patience);
        QTest::mouseClick(e2e::button(dialog, "Measure these"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->measuring().isRunning(), patience);
        QTest::mouseClick(e2e::button(dialog, "Cancel"), Qt::LeftButton);
        QVERIFY(!dialog->isMeasuring());
        QVERIFY(!m_window->measuring().isRunning());
        QVERIFY(e2e::button(dialog, "Measure these")->isEnabled());
        dialog->reject();
        QVERIFY(settle());
    }

    /// While a loop is dragged, its places show the predicted gain.
    void aDragShowsGains()
    {
        document().jumpTo(variants().root().id);
        QTRY_VERIFY_WITH_TIMEOUT(variants().current().isRoot(), patience);
        QVERIFY(settle());
        QWidget *port = tree()->viewport();
        const QPoint from = tree()->rowRect(row("k")).center();
        QTest::mousePress(port, Qt::LeftButton, {}, from);
        QTest::mouseMove(port, from + QPoint(0, 12));
        QTest::mouseMove(port, from + QPoint(0, 24));
        QTRY_VERIFY(tree()->isDragging());
        QTRY_COMPARE_WITH_TIMEOUT(m_window->actions().gains().size(), 2U, patience);
        QVERIFY(m_window->actions().gains()[0] > 1); // the sum waits no longer
        QTest::mouseMove(port, from + QPoint(0, 70));
        shoot("drag-gains");
        QTest::mouseMove(port, tree()->rowRect(row("i")).center());
        shoot("drag-gains-near");
        m_theme->setMode(look::Mode::Dark);
        shoot("drag-gains-dark");
        m_theme->setMode(look::Mode::Light);
        QTest::keyClick(tree(), Qt::Key_Escape);
        QVERIFY(!tree()->isDragging());
        QTest::mouseRelease(port, Qt::LeftButton, {}, from);
        QVERIFY(settle());
    }

    void allPlacesAreTried()
    {
        const int before = variants().size();
        click("k");
        tree()->setFocus();
        press(Qt::Key_M, Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(variants().size(), before + 2, patience);
        auto *banner = m_window->findChild<app::Banner *>();
        QVERIFY2(banner->text().contains(QStringLiteral("2 places of 'k'")), qPrintable(banner->text()));
        shoot("places-trying");
        QTRY_VERIFY_WITH_TIMEOUT(banner->text().contains(QStringLiteral("The fastest place of 'k'")),
                                 patience);
        QVERIFY(settle());
        for (int id = before; id < before + 2; ++id) {
            const session::Variant &variant = variants().at({id});
            QVERIFY(variant.isRoot() || variant.parent == variants().root().id);
            QVERIFY(variant.measurement && variant.measurement->ok() && variant.measurement->speedup);
        }
        auto *bars = m_window->findChild<charts::VariantBars *>();
        QTRY_VERIFY_WITH_TIMEOUT(std::ranges::contains(bars->data().bars, before, &charts::Bar::id),
                                 patience);
        QTest::qWait(50); // the charts follow at the pace of the eye
        shoot("places-tried");
        QVERIFY(variants().current().isRoot());
        QPushButton *go = e2e::button(banner, "Go to it");
        QVERIFY(go || banner->text().contains(QStringLiteral("as it is")));
        if (go) {
            QTest::mouseClick(go, Qt::LeftButton);
            QTRY_VERIFY_WITH_TIMEOUT(!variants().current().isRoot(), patience);
        }
    }

    void placesFromTheMenuOfTheRow()
    {
        document().jumpTo(variants().root().id);
        QTRY_VERIFY_WITH_TIMEOUT(variants().current().isRoot(), patience);
        QVERIFY(settle());
        const int before = variants().size();
        click("i");
        chooseFromMenu(QStringLiteral("Try all places"), "places-menu");
        const QPoint at = tree()->rowRect(row("i")).center();
        QContextMenuEvent menu(QContextMenuEvent::Mouse, at, tree()->viewport()->mapToGlobal(at));
        QCoreApplication::sendEvent(tree()->viewport(), &menu);
        QTRY_VERIFY_WITH_TIMEOUT(variants().size() > before, patience);
        m_window->measuring().cancel();
        QVERIFY(settle());
    }

    void aDraggedBlockShowsGains()
    {
        m_window->open(m_folder.filePath(QStringLiteral("examples/relu.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && document().nest() && row("D"), patience);
        QVERIFY(settle());
        QWidget *port = tree()->viewport();
        const QPoint from = tree()->rowRect(row("D")).center();
        QTest::mousePress(port, Qt::LeftButton, {}, from);
        QTest::mouseMove(port, from + QPoint(0, 12));
        QTest::mouseMove(port, from + QPoint(0, 24));
        QTRY_VERIFY(tree()->isDragging());
        const auto &found = m_window->actions();
        QTRY_VERIFY_WITH_TIMEOUT(!found.gains().empty(), patience);
        QCOMPARE(found.gains().size(), found.placements().size());
        QTest::mouseMove(port, from + QPoint(0, 60));
        shoot("drag-gains-block");
        m_theme->setMode(look::Mode::Dark);
        shoot("drag-gains-block-dark");
        m_theme->setMode(look::Mode::Light);
        QTest::keyClick(tree(), Qt::Key_Escape);
        QTest::mouseRelease(port, Qt::LeftButton, {}, from);
        QVERIFY(settle());
    }

    /// Each loop that it may be computed at.
    void allPlacesOfABlock()
    {
        const int before = variants().size();
        click("D");
        tree()->setFocus();
        press(Qt::Key_M, Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(variants().size() > before, patience);
        QVERIFY(variants().all().back().label.starts_with("reverse_compute_at(D, "));
        m_window->measuring().cancel();
        QVERIFY(settle());
    }
};

QTEST_MAIN(SweepTest)
#include "sweep_test.moc"
