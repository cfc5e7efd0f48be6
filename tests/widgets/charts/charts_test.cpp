// SPDX-License-Identifier: GPL-3.0-or-later
// Bars and maps by mouse and key, and how they are read.
#include "tests/widgets/charts/chart_data.h"
#include "widgets/charts/ratio_map.h"
#include "widgets/charts/scale.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/look/fonts.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"

#include <QAccessible>
#include <QFontMetrics>
#include <QHelpEvent>
#include <QImage>
#include <QScrollBar>
#include <QToolTip>
#include <QtTest>

using namespace nestwright;
using namespace nestwright::charts;

class ChartsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_theme = new look::Theme(*qApp, look::Mode::Light);
        m_theme->setReducedMotion(true);
    }

    void roundNumbers()
    {
        QCOMPARE(niceStep(232, 5), 50.0);
        QCOMPARE(niceStep(250, 5), 50.0);
        QCOMPARE(niceStep(1.2, 4), 0.5);
        QCOMPARE(niceStep(0, 4), 1.0);
        QCOMPARE(shortNumber(1.944), QString("1.94"));
        QCOMPARE(shortNumber(14.30), QString("14.3"));
        QCOMPARE(shortNumber(112.6), QString("112.6"));
        QCOMPARE(shortNumber(232), QString("232"));
        QCOMPARE(shortNumber(0), QString("0"));
        QCOMPARE(shortNumber(3.2e7), QString("3.2e+07"));
    }

    void barsStandInProportion()
    {
        VariantBars bars;
        show(bars, {560, 280});
        bars.setData(ladder());
        const double ratio = bars.barRect(5).height() / bars.barRect(3).height();
        QVERIFY2(std::abs(ratio - 112.6 / 53.7) < 0.02, qPrintable(QString::number(ratio)));
        QCOMPARE(bars.barRect(5).bottom(), bars.barRect(0).bottom());
        QVERIFY(bars.barRect(0).right() < bars.barRect(1).left());
    }

    void narrowChartsKeepNamesApart()
    {
        VariantBars bars;
        show(bars, {200, 220});
        BarData data = ladder();
        data.references = {{"OpenBLAS, a long name", 40, Reference::Kind::Library}};
        bars.setData(data);
        const look::Tokens &t = look::lightTokens();
        const QImage image = bars.grab().toImage();
        const int unit = 12 + QFontMetrics(look::interfaceFont(11)).horizontalAdvance(data.unit);
        QCOMPARE(pixelsOf(image.copy(0, 0, unit, 15), t.reference), 0);
        QVERIFY(pixelsOf(image.copy(unit, 0, image.width() - unit, 15), t.reference) > 10);
    }

    void barsAreRead()
    {
        VariantBars bars;
        show(bars, {560, 280});
        bars.setData(ladder());
        QAccessibleInterface *read = QAccessible::queryAccessibleInterface(&bars);
        QVERIFY(read);
        QCOMPARE(read->role(), QAccessible::Chart);
        QVERIFY2(read->text(QAccessible::Description).contains("GFLOPS"),
                 qPrintable(read->text(QAccessible::Description)));
        QAccessibleInterface *bar = read->child(0);
        QVERIFY(bar && read->indexOfChild(bar) == 0 && bar->parent() == read);
        QVERIFY2(!bar->text(QAccessible::Name).contains(u'<'), qPrintable(bar->text(QAccessible::Name)));
        QSignalSpy chosen(&bars, &ChartPane::selected);
        bar->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen[0][0].toInt(), 1);
        bars.setData({});
        QVERIFY(!bar->isValid());
    }

    void currentBarHasTheAccent()
    {
        VariantBars bars;
        show(bars, {560, 280});
        BarData data = ladder();
        bars.setData(data);
        const look::Tokens &t = look::lightTokens();
        const QImage image = bars.grab().toImage();
        QVERIFY(pixelsOf(image, t.accent) > 500);
        QVERIFY(pixelsOf(image, t.bar) > 500);
        QVERIFY(pixelsOf(image, t.bad) > 20);
        data.current = -1;
        bars.setData(data);
        QCOMPARE(pixelsOf(bars.grab().toImage(), t.accent), 0);
    }

    void clickingABarChoosesIt()
    {
        VariantBars bars;
        show(bars, {560, 280});
        bars.setData(ladder());
        QSignalSpy spy(&bars, &ChartPane::selected);
        for (int i : {0, 3, 6})
            click(bars, i);
        QCOMPARE(spy.count(), 3);
        QCOMPARE(spy[0][0].toInt(), 1);
        QCOMPARE(spy[1][0].toInt(), 4);
        QCOMPARE(spy[2][0].toInt(), 7);
        QTest::mouseClick(viewportOf(bars), Qt::LeftButton, {}, {3, 3});
        QCOMPARE(spy.count(), 3);
    }

    void arrowKeysChoose()
    {
        VariantBars bars;
        show(bars, {560, 280});
        bars.setData(ladder());
        QSignalSpy spy(&bars, &ChartPane::selected);
        QTest::keyClick(&bars, Qt::Key_Left);
        QCOMPARE(spy.takeFirst()[0].toInt(), 5);
        QTest::keyClick(&bars, Qt::Key_Home);
        QCOMPARE(spy.takeFirst()[0].toInt(), 1);
    }

    void manyBarsScrollToTheCurrentOne()
    {
        VariantBars bars;
        show(bars, {500, 260});
        BarData data;
        for (int i = 0; i < 60; ++i)
            data.bars.push_back({i,
                                 QString("split(i, [None, %1])").arg(i),
                                 10.0 + i,
                                 9.0 + i,
                                 11.0 + i,
                                 Outcome::Measured,
                                 {}});
        data.current = 55;
        bars.setData(data);
        auto *scroll = bars.findChild<QScrollBar *>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(scroll->isVisible());
        const QRectF current = bars.barRect(55);
        QVERIFY(current.left() > 0 && current.right() < 500);
        QSignalSpy spy(&bars, &ChartPane::selected);
        click(bars, 55);
        QCOMPARE(spy.takeFirst()[0].toInt(), 55);
        data.current = 0;
        bars.setData(data);
        QCOMPARE(scroll->value(), 0);
    }

    void aRevealedBarStaysInView()
    {
        BarData data;
        for (int i = 0; i < 60; ++i)
            data.bars.push_back(
                {i, QStringLiteral("split"), 10.0 + i, 9.0 + i, 11.0 + i, Outcome::Measured, {}});
        data.current = 0;
        VariantBars bars;
        bars.resize(500, 300);
        bars.show();
        QVERIFY(QTest::qWaitForWindowExposed(&bars));
        bars.setData(data);
        const auto isInView = [&](int bar) {
            const QRectF rect = bars.barRect(bar);
            return rect.left() > 0 && rect.right() < bars.width();
        };
        QVERIFY(!isInView(59));
        bars.reveal(59);
        QVERIFY(isInView(59));
        data.bars[3].value = 99;
        bars.setData(data);
        QVERIFY(isInView(59));
        data.current = 1;
        bars.setData(data);
        QVERIFY(isInView(1) && !isInView(59));
    }

    /// Cells are chosen by mouse and keys; a click opens them only where it is meant to.
    void cellsOfAMap()
    {
        RatioData data{.title = QStringLiteral("time"), .rows = {"1", "2"}, .columns = {"4", "8", "16"}};
        for (int i = 0; i < 6; ++i)
            data.cells.push_back({.ratio = 1.0 + i, .isSignificant = true, .isDone = true, .text = "0.87"});
        data.cells[2].isTied = true;
        data.cells[3].isBest = true;
        data.cells[4] = {.refused = QStringLiteral("no <such> loop"), .isDone = true};
        data.cells[5].explanation = QStringLiteral("0.87 ms predicted\nlimited by L2");
        RatioMap map;
        map.resize(400, 200);
        map.show();
        QVERIFY(QTest::qWaitForWindowExposed(&map));
        map.setData(data);
        QSignalSpy selected(&map, &ChartPane::selected), activated(&map, &RatioMap::activated);
        connect(&map, &ChartPane::selected, &map, &RatioMap::setCurrent);
        click(map, 2);
        QCOMPARE(map.current(), 2);
        QCOMPARE(activated.size(), 1);
        map.setOpensOnClick(false);
        click(map, 1);
        QCOMPARE(map.current(), 1);
        QCOMPARE(activated.size(), 1);
        QTest::keyClick(&map, Qt::Key_Down);
        QCOMPARE(map.current(), 4);
        QTest::keyClick(&map, Qt::Key_Return);
        QCOMPARE(activated.size(), 2);
        QCOMPARE(activated.last().first().toInt(), 4);
        const QImage image = map.grab().toImage();
        QVERIFY(pixelsOf(image, ratioColor(4, look::tokens(&map))) > 100);
    }

    void barsGrowWhereMotionIsWanted()
    {
        m_theme->setReducedMotion(false);
        VariantBars bars;
        show(bars, {560, 280});
        BarData data = ladder();
        data.bars.resize(6);
        bars.setData(data);
        QTRY_VERIFY(bars.barRect(5).height() > 80); // the ladder is up
        const double before = bars.barRect(5).height();
        data.bars[5].value = 200;
        bars.setData(data);
        QVERIFY(bars.barRect(5).height() < before * 1.2); // not yet
        QTRY_VERIFY(bars.barRect(5).height() > before * 1.6);
        m_theme->setReducedMotion(true);
    }

    /// In either theme the text of a tooltip stands out from its ground, which is the theme's.
    void toolTipsAreReadable()
    {
        for (const look::Mode mode : {look::Mode::Dark, look::Mode::Light}) {
            look::Theme theme(*qApp, mode);
            VariantBars bars;
            bars.resize(700, 300);
            bars.setData(ladder());
            bars.show();
            QVERIFY(QTest::qWaitForWindowExposed(&bars));
            QWidget *viewport = viewportOf(bars);
            const QPoint at = viewport->mapFrom(&bars, bars.positionOfItem(2).toPoint());
            QHelpEvent help(QEvent::ToolTip, at, viewport->mapToGlobal(at));
            QCoreApplication::sendEvent(viewport, &help);
            const auto tip = [] {
                for (QWidget *widget : QApplication::topLevelWidgets()) {
                    if (widget->isVisible() && widget->inherits("QTipLabel"))
                        return widget;
                }
                return static_cast<QWidget *>(nullptr);
            };
            QTRY_VERIFY(tip());
            const QImage shown = tip()->grab().toImage();
            const look::Tokens &t = look::tokens(&bars);
            QCOMPARE(shown.pixelColor(3, 3), t.pane);
            QVERIFY(pixelsOf(shown, t.text) > 20);
            QToolTip::hideText();
            QTRY_VERIFY(!tip());
        }
    }

private:
    look::Theme *m_theme = nullptr;
};

QTEST_MAIN(ChartsTest)
#include "charts_test.moc"
