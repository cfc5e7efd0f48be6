// SPDX-License-Identifier: GPL-3.0-or-later
// Gains of steps, by mouse and keys: measured, cancelled, gone to, left out, exported; and the way in
// the roofline.
#include "app/window/tools/waterfall_window.h"
#include "tests/e2e/matmul_scripts.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/waterfall.h"
#include "widgets/document/command_registry.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/look/tab_row.h"

using namespace nestwright;
using app::WaterfallWindow;
using e2e::patience;

class WaterfallTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    WaterfallWindow *window() const { return m_window->findChild<WaterfallWindow *>(); }
    charts::Waterfall *chart() const { return window()->chart(); }
    int bars() const { return static_cast<int>(chart()->data().bars.size()); }
    int current() const { return document().currentId().value; }
    void clickBar(int index) const
    {
        QWidget *viewport = chart()->findChild<QAbstractScrollArea *>()->viewport();
        QTest::mouseClick(viewport, Qt::LeftButton, {},
                          viewport->mapFrom(chart(), chart()->positionOfItem(index).toPoint()));
    }
    void chooseTab(int index) const
    {
        auto *tabs = window()->card()->header()->findChild<look::TabRow *>();
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(index).center());
    }
    void awaitBars(int count) const
    {
        QTRY_COMPARE_WITH_TIMEOUT(bars(), count, 3 * patience);
        QVERIFY(settle());
    }
    void shootBoth(const char *light, const char *dark, QWidget *of) const
    {
        shoot(light, of);
        m_theme->setMode(look::Mode::Dark);
        QTest::qWait(50);
        shoot(dark, of);
        m_theme->setMode(look::Mode::Light);
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"matmul.py", e2e::smallMatmul}, {"tiled.py", e2e::tiledSchedule}});
        m_window->open(m_folder.filePath(QStringLiteral("examples/matmul.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
        const auto *command = m_window->commands().find(QStringLiteral("history.waterfall"));
        QVERIFY(command);
        QCOMPARE(command->unavailable(), QStringLiteral("No step leads to it."));
        m_window->open(m_folder.filePath(QStringLiteral("examples/tiled.py")));
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), 6, patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }
    void init()
    {
        if (qstrcmp(QTest::currentTestFunction(), "theKeyOpensIt") != 0 && !window())
            QSKIP("no window was opened");
    }

    void theKeyOpensIt()
    {
        QTest::keyClick(m_window.get(), Qt::Key_W, Qt::ControlModifier | Qt::AltModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window() && window()->isVisible(), patience);
        QCOMPARE(bars(), 0);
        QCOMPARE(chart()->emptyTitle(), QStringLiteral("Nothing is measured yet"));
        QVERIFY(!window()->cancelButton()->reason().isEmpty());
        QVERIFY(window()->measureButton()->reason().isEmpty());
        shoot("waterfall-empty", window());
    }

    void itIsCancelled()
    {
        QTest::mouseClick(window()->measureButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(window()->state().startsWith(QStringLiteral("measuring")), patience);
        QVERIFY(window()->cancelButton()->reason().isEmpty());
        QTest::mouseClick(window()->cancelButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!window()->state().startsWith(QStringLiteral("measuring")), patience);
        QVERIFY(settle());
        QCOMPARE(bars(), 0);
    }

    void stepsAreAdded()
    {
        window()->activateWindow();
        QTRY_VERIFY_WITH_TIMEOUT(window()->isActiveWindow(), patience);
        QTRY_COMPARE_WITH_TIMEOUT(window()->measureButton()->reason(), QString(), patience);
        QTest::keyClick(window(), Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(window()->state().startsWith(QStringLiteral("measuring")), patience);
        awaitBars(7); // unscheduled, five steps, all
        const auto &data = chart()->data();
        QCOMPARE(data.unit, QStringLiteral("GFLOPS"));
        for (std::size_t i = 1; i < 6; ++i) {
            QCOMPARE(data.bars[i].number, QString::number(i));
            QVERIFY(data.bars[i].kind == charts::WaterfallBar::Kind::Step);
            QVERIFY(data.bars[i].low <= data.bars[i].to && data.bars[i].to <= data.bars[i].high);
        }
        shootBoth("waterfall-added-light", "waterfall-added-dark", window());
    }

    void barsLeadToTheirVariants()
    {
        clickBar(2);
        QTRY_COMPARE_WITH_TIMEOUT(current(), 2, patience);
        QVERIFY(settle());
        QVERIFY2(window()->detail().startsWith(QStringLiteral("2 · split(")), qPrintable(window()->detail()));
        QCOMPARE(bars(), 7); // the window keeps the way that it was opened for
        QTest::keyClick(chart(), Qt::Key_Right);
        QCOMPARE(chart()->focusedBar(), 3);
        QCOMPARE(current(), 2);
        QTest::keyClick(chart(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(current(), 3, patience);
        QVERIFY(settle());
        QTest::keyClick(chart(), Qt::Key_End);
        QTest::keyClick(chart(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(current(), 5, patience);
        QVERIFY(settle());
    }

    void itIsExported()
    {
        for (const char *name : {"fall.png", "fall.svg", "fall.csv"}) {
            window()->exportTo(path(name));
            QVERIFY2(QFileInfo(path(name)).size() > 0, name);
        }
        QFile csv(path("fall.csv"));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        const QStringList lines = QString::fromUtf8(csv.readAll()).trimmed().split(u'\n');
        QCOMPARE(lines.size(), 8);
        QVERIFY(lines.at(0).startsWith(QStringLiteral("number,step,from GFLOPS")));
        window()->exportTo(path("fall.txt"));
        QVERIFY(window()->state().contains(QStringLiteral(".svg or .csv")));
    }

    void stepsAreLeftOut()
    {
        chooseTab(1);
        QCOMPARE(bars(), 0);
        QTest::mouseClick(window()->measureButton(), Qt::LeftButton);
        awaitBars(6); // five steps, all
        QVERIFY(chart()->data().reference > 0);
        QVERIFY(!window()->actButton()->reason().isEmpty());
        shootBoth("waterfall-removed-light", "waterfall-removed-dark", window());
        const int before = document().tree().size();
        clickBar(3); // parallel: nothing needs it
        QTest::qWait(50);
        QCOMPARE(document().tree().size(), before);
        QVERIFY2(window()->detail().startsWith(QStringLiteral("4 · parallel(")),
                 qPrintable(window()->detail()));
        QTest::mouseClick(window()->actButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), before + 1, patience); // vectorize alone
        QVERIFY(settle());
        QVERIFY(document().tree().current().label.starts_with("vectorize"));
        // Of a split that reorder and vectorize need the rest goes with it.
        chart()->setFocus();
        QTest::keyClick(chart(), Qt::Key_Home);
        QTest::keyClick(chart(), Qt::Key_Right);
        QVERIFY(window()->detail().contains(QStringLiteral("Left out with it")));
        QTest::keyClick(chart(), Qt::Key_Return);
        QVERIFY(settle());
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().current().label.starts_with("parallel"), patience);
        QVERIFY(document().rest().empty());
        window()->close();
    }

    void theRooflineHasTheWay()
    {
        document().jumpTo({5});
        QTRY_COMPARE_WITH_TIMEOUT(current(), 5, patience);
        QVERIFY(settle());
        m_window->commands().trigger(QStringLiteral("measure.all"));
        QVERIFY(settle());
        QVERIFY(m_window->roofline()->data().showsWay);
        QCOMPARE(m_window->roofline()->data().points.size(), 6U);
        shootBoth("roofline-way-light", "roofline-way-dark", nullptr);
        const QImage shown = m_window->roofline()->grab().toImage();
        m_window->commands().trigger(QStringLiteral("view.rooflineWay"));
        QVERIFY(!m_window->roofline()->data().showsWay);
        QVERIFY(!m_window->commands().find(QStringLiteral("view.rooflineWay"))->checked());
        QVERIFY(m_window->roofline()->grab().toImage() != shown);
    }
};

QTEST_MAIN(WaterfallTest)
#include "waterfall_test.moc"
