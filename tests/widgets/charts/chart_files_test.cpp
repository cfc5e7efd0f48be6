// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as files and in a window. NESTWRIGHT_SHOTS=DIR also leaves pictures of them there.
#include "tests/widgets/charts/chart_data.h"
#include "widgets/charts/export.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/look/card.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"

#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

using namespace nestwright;
using namespace nestwright::charts;

class ChartFilesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_theme = new look::Theme(*qApp, look::Mode::Light);
        m_theme->setReducedMotion(true);
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
    static look::Card *card(const QString &title, const QString &secondary, QWidget *content)
    {
        auto *made = new look::Card(title);
        made->header()->setSecondary(secondary);
        made->setContent(content);
        return made;
    }

    look::Theme *m_theme = nullptr;
};

QTEST_MAIN(ChartFilesTest)
#include "chart_files_test.moc"
