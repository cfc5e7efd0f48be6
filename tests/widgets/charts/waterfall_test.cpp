// SPDX-License-Identifier: GPL-3.0-or-later
// The waterfall by mouse and key, and as files. NESTWRIGHT_SHOTS=DIR also leaves pictures of it there.
#include "widgets/charts/waterfall.h"

#include "widgets/charts/export.h"
#include "widgets/charts/roofline.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"

#include <QAbstractScrollArea>
#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <memory>

using namespace nestwright;
using namespace nestwright::charts;

namespace {

using Kind = WaterfallBar::Kind;

/// Steps with their factors; 0 was not measured, those within 2 % are not significant.
WaterfallData fallOf(const std::vector<std::pair<QString, double>> &steps)
{
    WaterfallData data;
    double level = 2;
    const auto add = [&](WaterfallBar bar, double relative) {
        bar.id = static_cast<int>(data.bars.size());
        bar.low = bar.to * (1 - relative);
        bar.high = bar.to * (1 + relative);
        data.bars.push_back(std::move(bar));
    };
    add({.kind = Kind::Total, .name = "unscheduled", .label = "unscheduled", .to = level}, 0.03);
    for (const auto &[label, factor] : steps) {
        WaterfallBar bar{.number = QString::number(data.bars.size()),
                         .name = label.section(u'(', 0, 0),
                         .label = label,
                         .from = level,
                         .to = level};
        bar.kind = factor > 0 ? Kind::Step : Kind::Missing;
        if (factor > 0) {
            bar.to = level *= factor;
            bar.gain = factor;
            bar.gainLow = factor * 0.98;
            bar.gainHigh = factor * 1.02;
            bar.significant = std::abs(factor - 1) > 0.02;
        } else {
            bar.note = "The kernel crashed.";
        }
        add(std::move(bar), 0.03);
    }
    add({.kind = Kind::Total, .name = "all steps", .label = "all steps", .to = level}, 0.03);
    return data;
}

WaterfallData longFall()
{
    return fallOf({{"split(i, [None, 16, 8])", 1.01},
                   {"split(j, [None, 2, 16])", 0.99},
                   {"reorder(i0, j0, i1, k)", 3.1},
                   {"cache_write(C, 0, local)", 1.3},
                   {"reverse_compute_at(C_local)", 1},
                   {"parallel(i0)", 1.9},
                   {"unroll(i2)", 0.8},
                   {"unroll(j1)", 1.02},
                   {"vectorize(j2)", 5.5},
                   {"cache_read(C, 1, global)", 0.9},
                   {"transform_layout(C, B)", 1.4},
                   {"decompose_reduction(C, k)", 1.1},
                   {"unroll(i2_init)", 1},
                   {"unroll(j1_init)", 0},
                   {"vectorize(j2_init)", 1.05},
                   {"split(ax1, [None, 16])", 1},
                   {"unroll(ax0)", 1.01},
                   {"unroll(ax1_0)", 1},
                   {"vectorize(ax1_1)", 1.06},
                   {"split(ax1, [None, 32])", 1},
                   {"reorder(ax1_0, ax0)", 1.01},
                   {"vectorize(ax1_1)", 1.03},
                   {"parallel(ax1_0)", 1.08}});
}

void hit(ChartPane &pane, int index)
{
    QWidget *viewport = pane.findChild<QAbstractScrollArea *>()->viewport();
    QTest::mouseClick(viewport, Qt::LeftButton, {},
                      viewport->mapFrom(&pane, pane.positionOfItem(index).toPoint()));
}

void showAt(QWidget &widget, QSize size)
{
    widget.resize(size);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
}

bool shows(const QWidget &widget, const QColor &color)
{
    const QImage image = const_cast<QWidget &>(widget).grab().toImage();
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixelColor(x, y).rgb() == color.rgb())
                return true;
        }
    }
    return false;
}

} // namespace

class WaterfallChartTest : public QObject {
    Q_OBJECT

    std::unique_ptr<look::Theme> m_theme;

private Q_SLOTS:
    void initTestCase() { m_theme = std::make_unique<look::Theme>(*qApp, look::Mode::Light); }

    void barsAreChosen()
    {
        Waterfall fall;
        showAt(fall, {900, 320});
        fall.setData(fallOf({{"split(i)", 1}, {"vectorize(j)", 4}, {"unroll(k)", 0.5}}));
        QSignalSpy chosen(&fall, &ChartPane::selected), entered(&fall, &Waterfall::activated);
        for (int i = 0; i < 5; ++i)
            hit(fall, i);
        QCOMPARE(chosen.size(), 5);
        QCOMPARE(chosen.at(3).at(0).toInt(), 3);
        QTest::keyClick(&fall, Qt::Key_End);
        QCOMPARE(fall.focusedBar(), 4);
        QTest::keyClick(&fall, Qt::Key_Right);
        QCOMPARE(fall.focusedBar(), 4);
        QTest::keyClick(&fall, Qt::Key_Left);
        QTest::keyClick(&fall, Qt::Key_Return);
        QCOMPARE(entered.size(), 1);
        QCOMPARE(entered.at(0).at(0).toInt(), 3);
        QTest::keyClick(&fall, Qt::Key_Home);
        QCOMPARE(fall.focusedBar(), 0);
        // Levels: the second step ends four times as high as it begins.
        QVERIFY(fall.positionOfItem(2).y() < fall.positionOfItem(1).y());
    }

    void coloursSayWhichWay()
    {
        const look::Tokens &t = look::lightTokens();
        Waterfall fall;
        showAt(fall, {600, 320});
        fall.setData(fallOf({{"a()", 1.5}}));
        QVERIFY(shows(fall, t.good) && !shows(fall, t.bad));
        fall.setData(fallOf({{"a()", 0.5}}));
        QVERIFY(shows(fall, t.bad) && !shows(fall, t.good));
        fall.setData(fallOf({{"a()", 1.01}}));
        QVERIFY(!shows(fall, t.good) && !shows(fall, t.bad));
        QVERIFY(shows(fall, look::mixed(t.good, t.pane, 0.65)));
    }

    void manyBarsAreScrolled()
    {
        Waterfall fall;
        showAt(fall, {500, 300});
        fall.setData(longFall());
        QTest::keyClick(&fall, Qt::Key_End);
        const QPointF end = fall.positionOfItem(24);
        QVERIFY(end.x() > 0 && end.x() < 500);
        QTest::keyClick(&fall, Qt::Key_Home);
        QVERIFY(fall.positionOfItem(0).x() > 0);
        QVERIFY(fall.positionOfItem(24).x() > 500);
    }

    void files()
    {
        QTemporaryDir folder;
        for (const char *name : {"a.png", "a.svg", "a.csv"})
            QVERIFY(writeWaterfall(longFall(), folder.filePath(name)));
        const QStringList lines = csvOf(longFall()).trimmed().split(u'\n');
        QCOMPARE(lines.size(), 26);
        QCOMPARE(lines.at(15), QString("14,unroll(j1_init),,,,,,,,,The kernel crashed."));
        QVERIFY(lines.at(1).startsWith(",unscheduled,,2,"));
        QVERIFY(!writeWaterfall(longFall(), folder.filePath("a.txt")));
    }

    void picture()
    {
        const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS");
        RooflineData roofs;
        roofs.roofs = {{"DRAM", 21.4}, {"L3", 118}, {"L2", 180}, {"L1", 640}};
        roofs.peak = 232;
        const WaterfallData fall = longFall();
        for (const WaterfallBar &bar : fall.bars)
            roofs.points.push_back({.id = bar.id,
                                    .name = bar.label,
                                    .across = 170,
                                    .rate = bar.to,
                                    .low = bar.low,
                                    .high = bar.high,
                                    .note = {}});
        roofs.current = roofs.points.back().id;
        for (const look::Mode mode : {look::Mode::Dark, look::Mode::Light}) {
            m_theme->setMode(mode);
            const QString suffix = mode == look::Mode::Dark ? "-dark.png" : "-light.png";
            Waterfall pane;
            pane.setData(fall);
            Roofline roofline;
            roofline.setData(roofs);
            showAt(pane, {1180, 420});
            showAt(roofline, {420, 300});
            pane.setFocusedBar(3);
            QVERIFY(!pane.grab().isNull() && !roofline.grab().isNull());
            if (folder.isEmpty())
                continue;
            pane.grab().save(QDir(folder).filePath("waterfall" + suffix));
            roofline.grab().save(QDir(folder).filePath("way" + suffix));
        }
        m_theme->setMode(look::Mode::Light);
    }
};

QTEST_MAIN(WaterfallChartTest)
#include "waterfall_test.moc"
