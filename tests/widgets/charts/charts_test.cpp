// SPDX-License-Identifier: GPL-3.0-or-later
// Bars and roofline by mouse and key, and as files. NESTWRIGHT_SHOTS=DIR also leaves pictures of them there.
#include "widgets/charts/export.h"
#include "widgets/charts/ratio_map.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/scale.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/look/card.h"
#include "widgets/look/fonts.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QDir>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QImage>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QToolTip>
#include <QtTest>

using namespace nestwright;
using namespace nestwright::charts;

namespace {

BarData ladder()
{
    BarData data;
    data.bars = {{1, "naive", 1.94, 1.90, 1.97, Outcome::Measured, {}},
                 {2, "tile(i, j, 32, 32)", 14.3, 13.6, 14.9, Outcome::Measured, {}},
                 {3, "reorder", 23.9, 23.2, 24.5, Outcome::Measured, {}},
                 {4, "vectorize(ji)", 53.7, 52.9, 54.5, Outcome::Measured, {}},
                 {5, "parallel(io)", 98.4, 92.0, 103.1, Outcome::Measured, {}},
                 {6, "unroll(ki)", 112.6, 110.5, 114.7, Outcome::Measured, {}},
                 {7, "vectorize(ko)", 0, 0, 0, Outcome::Failed, "the kernel crashed"}};
    data.references = {{"machine peak", 232, Reference::Kind::Peak},
                       {"OpenBLAS", 208, Reference::Kind::Library}};
    data.current = 6;
    return data;
}

RooflineData roofs()
{
    RooflineData data;
    data.peak = 232;
    data.roofs = {{"DRAM", 21.4}, {"L3", 118}, {"L2", 180}, {"L1", 640}};
    data.points = {{1, "naive", 0.25, 1.94, 1.9, 1.97, {}}, {2, "tile", 2, 14.3, 13.6, 14.9, {}},
                   {3, "reorder", 4, 23.9, 23.2, 24.5, {}}, {4, "vectorize", 6, 53.7, 52.9, 54.5, {}},
                   {5, "parallel", 10, 98.4, 92, 103, {}},  {6, "unroll", 12, 112.6, 110.5, 114.7, {}}};
    data.current = 6;
    return data;
}

/// A transposition of 8 MB under the memories of a machine.
RooflineData memories()
{
    RooflineData data;
    data.areBytes = true;
    data.peak = 232;
    data.roofs = {{"DRAM", 21.4}, {"L3", 118, 36e6}, {"L2", 180, 4e6}, {"L1", 640, 98304}};
    data.points = {{1, "naive", 8.4e6, 3.1, 3.0, 3.2, {}},
                   {2, "tile i 32,32", 8.4e6, 24.6, 23.9, 25.2, {}},
                   {3, "vectorize i", 8.4e6, 61, 58.8, 63.1, {}}};
    data.current = 3;
    return data;
}

int pixelsOf(const QImage &given, const QColor &color)
{
    const QImage image = given.convertToFormat(QImage::Format_RGB32);
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        const auto *line = reinterpret_cast<const QRgb *>(image.constScanLine(y));
        count += static_cast<int>(std::count(line, line + image.width(), color.rgb()));
    }
    return count;
}

QWidget *viewportOf(ChartPane &pane) { return pane.findChild<QAbstractScrollArea *>()->viewport(); }

void click(ChartPane &pane, int index)
{
    QWidget *viewport = viewportOf(pane);
    QTest::mouseClick(viewport, Qt::LeftButton, {},
                      viewport->mapFrom(&pane, pane.positionOfItem(index).toPoint()));
}

} // namespace

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

    void rooflinePointsAreChosen()
    {
        Roofline roofline;
        show(roofline, {360, 280});
        roofline.setData(roofs());
        QSignalSpy spy(&roofline, &ChartPane::selected);
        click(roofline, 0);
        click(roofline, 4);
        QCOMPARE(spy.count(), 2);
        QCOMPARE(spy[0][0].toInt(), 1);
        QCOMPARE(spy[1][0].toInt(), 5);
        // Log–log: equal factors are equal distances.
        const double doubling = roofline.positionOfItem(2).x() - roofline.positionOfItem(1).x();
        const double threeDoublings = roofline.positionOfItem(1).x() - roofline.positionOfItem(0).x();
        QVERIFY(std::abs(threeDoublings - 3 * doubling) <= 4);
    }

    /// While nothing is measured the roofs show where the program will lie.
    void roofsBeforeAnyPoint()
    {
        Roofline roofline;
        show(roofline, {460, 320});
        RooflineData data = roofs();
        data.points.clear();
        roofline.setData(data);
        const QColor accent = look::lightTokens().accent;
        QCOMPARE(pixelsOf(roofline.grab().toImage(), accent), 0); // the text for no data
        data.across = 4;
        data.ceilings = {{"tensor cores, half precision", 4000}};
        roofline.setData(data);
        const QImage image = roofline.grab().toImage();
        QVERIFY(pixelsOf(image, accent) > 30);
        const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS");
        if (!folder.isEmpty())
            QVERIFY(image.save(folder + QStringLiteral("/roofs.png")));
        QTemporaryDir files;
        QVERIFY(writeRoofline(data, files.filePath("roof.csv")));
        QFile csv(files.filePath("roof.csv"));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        QVERIFY(csv.readAll().contains("peak,\"tensor cores, half precision\",,4000,,,"));
    }

    /// A kernel without operations stands under the memory that holds its bytes.
    void bytesStandUnderTheirMemory()
    {
        Roofline pane;
        show(pane, {360, 280});
        pane.setData(memories());
        QSignalSpy spy(&pane, &ChartPane::selected);
        click(pane, 1);
        QCOMPARE(spy.count(), 1);
        QCOMPARE(spy[0][0].toInt(), 2);
        // One call moves what it moves, whatever the schedule: the points stand above one another.
        QCOMPARE(pane.positionOfItem(0).x(), pane.positionOfItem(2).x());
        QVERIFY(pane.positionOfItem(0).y() > pane.positionOfItem(1).y());
        const QString tip = pane.accessibleText(2);
        QVERIFY2(tip.contains(QStringLiteral("61 GB/s")) && tip.contains(QStringLiteral("8.4 MB a call"))
                     && tip.contains(QStringLiteral("51.7 % of L3")),
                 qPrintable(tip));
        RooflineData awaited = memories();
        awaited.points.clear();
        awaited.across = 2e6;
        pane.resize(460, 320);
        pane.setData(awaited);
        const QImage image = pane.grab().toImage();
        const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS");
        if (!folder.isEmpty())
            QVERIFY(image.save(folder + QStringLiteral("/bytes.png")));
        QVERIFY(pixelsOf(image, look::lightTokens().accent) > 10);
        QTemporaryDir files;
        QVERIFY(writeRoofline(memories(), files.filePath("bytes.csv")));
        QFile csv(files.filePath("bytes.csv"));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        const QByteArray text = csv.readAll();
        QVERIFY2(text.startsWith("kind,name,bytes,GB/s,low,high,GB/s\n") && !text.contains("peak")
                     && text.contains("\nroof,L2,4000000,,,,180\n") && text.contains("\nroof,DRAM,,,,,21.4\n")
                     && text.contains("\nvariant,naive,8400000,3.1,3,3.2,\n"),
                 text.constData());
    }

    void filesAreWritten()
    {
        QTemporaryDir folder;
        const auto path = [&](const char *name) { return folder.filePath(name); };
        QVERIFY(writeBars(ladder(), path("bars.png")));
        const QImage image(path("bars.png"));
        QCOMPARE(image.size(), QSize(1920, 1040));
        QVERIFY(pixelsOf(image, look::lightTokens().accent) > 5000);
        QVERIFY(writeBars(ladder(), path("dark.png"), true));
        QVERIFY(pixelsOf(QImage(path("dark.png")), look::darkTokens().accent) > 5000);
        QVERIFY(writeBars(ladder(), path("bars.svg")));
        QFile svg(path("bars.svg"));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray text = svg.readAll();
        QVERIFY(text.contains("<svg") && text.contains("112.6") && text.contains("OpenBLAS"));
        QVERIFY(writeRoofline(roofs(), path("roof.svg")));
        QVERIFY(writeRoofline(roofs(), path("roof.csv")));
        BarData odd = ladder();
        odd.bars[1].name = "tile(\"i\", j)";
        QVERIFY(writeBars(odd, path("bars.csv")));
        QFile csv(path("bars.csv"));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = csv.readAll().split('\n');
        QCOMPARE(lines[0], QByteArray("variant,GFLOPS,low,high,outcome,current,note"));
        QCOMPARE(lines[2], QByteArray("\"tile(\"\"i\"\", j)\",14.3,13.6,14.9,measured,0,"));
        QCOMPARE(lines[7], QByteArray("vectorize(ko),,,,failed,0,the kernel crashed"));
        QVERIFY(lines.contains("OpenBLAS,208,,,reference,0,"));
    }

    void filesThatCannotBeAreRefused()
    {
        const auto form = writeBars(ladder(), "bars.gif");
        QVERIFY(!form);
        QCOMPARE(form.error().code, std::string("chart.unknown-form"));
        const auto folder = writeBars(ladder(), "/no/such/folder/bars.csv");
        QVERIFY(!folder);
        QCOMPARE(folder.error().code, std::string("file.write"));
    }

    void picture()
    {
        const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS");
        for (const look::Mode mode : {look::Mode::Dark, look::Mode::Light}) {
            m_theme->setMode(mode);
            QWidget window;
            window.resize(1280, 340);
            auto *layout = new QHBoxLayout(&window);
            auto *bars = new VariantBars;
            bars->setData(ladder());
            layout->addWidget(card("Variants", "GFLOPS · median, 95 % interval · higher is better", bars), 5);
            auto *roofline = new Roofline;
            roofline->setData(roofs());
            layout->addWidget(card("Roofline", "log–log", roofline), 3);
            auto *bytes = new Roofline;
            bytes->setData(memories());
            layout->addWidget(card("Roofline", "log–log", bytes), 3);
            layout->addWidget(card("Variants", "", new VariantBars), 2);
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            const QPixmap shot = window.grab();
            QVERIFY(!shot.isNull());
            if (!folder.isEmpty())
                QVERIFY(shot.save(QDir(folder).filePath(mode == look::Mode::Dark ? "charts-dark.png"
                                                                                 : "charts-light.png")));
        }
        m_theme->setMode(look::Mode::Light);
        if (!folder.isEmpty()) {
            QVERIFY(writeBars(ladder(), QDir(folder).filePath("bars-file.png")));
            BarData many;
            for (int i = 0; i < 24; ++i)
                many.bars.push_back({i,
                                     QString("split(i, [None, %1])").arg(i),
                                     10.0 + i,
                                     9.0 + i,
                                     11.0 + i,
                                     i == 9 ? Outcome::Running : Outcome::Measured,
                                     {}});
            QVERIFY(writeBars(many, QDir(folder).filePath("bars-many.png")));
        }
    }

private:
    static void show(QWidget &widget, QSize size)
    {
        widget.resize(size);
        widget.show();
        QVERIFY(QTest::qWaitForWindowExposed(&widget));
    }

    static look::Card *card(const QString &title, const QString &secondary, QWidget *content)
    {
        auto *made = new look::Card(title);
        made->header()->setSecondary(secondary);
        made->setContent(content);
        return made;
    }

    look::Theme *m_theme = nullptr;

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
};

QTEST_MAIN(ChartsTest)
#include "charts_test.moc"
