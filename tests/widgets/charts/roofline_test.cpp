// SPDX-License-Identifier: GPL-3.0-or-later
// The roofline by mouse: points, roofs before any point, bytes under their memory. NESTWRIGHT_SHOTS=DIR also
// leaves pictures there.
#include "tests/widgets/charts/chart_data.h"
#include "widgets/charts/export.h"
#include "widgets/charts/roofline.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"

#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

using namespace nestwright;
using namespace nestwright::charts;

class RooflineTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_theme = new look::Theme(*qApp, look::Mode::Light);
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

private:
    look::Theme *m_theme = nullptr;
};

QTEST_MAIN(RooflineTest)
#include "roofline_test.moc"
