// SPDX-License-Identifier: GPL-3.0-or-later
// Playing and stepping through a run.
#include "widgets/player/transport_bar.h"

#include "widgets/look/button.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QLocale>
#include <QSignalSpy>
#include <QSlider>
#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace nestwright;
using player::TransportBar;

class TransportBarTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void steps()
    {
        TransportBar bar;
        bar.setSteps(100);
        QSignalSpy moves(&bar, &TransportBar::positionChanged);
        bar.stepForward();
        bar.stepForward();
        bar.stepBack();
        QCOMPARE(bar.position(), 1);
        bar.toEnd();
        bar.stepForward();
        QCOMPARE(bar.position(), 100);
        bar.restart();
        bar.stepBack();
        QCOMPARE(bar.position(), 0);
        QCOMPARE(moves.size(), 5);
    }

    void playsToTheEnd()
    {
        TransportBar bar;
        bar.setSteps(100);
        bar.speedSlider()->setValue(bar.speedSlider()->maximum());
        QSignalSpy plays(&bar, &TransportBar::playingChanged);
        bar.playOrPause();
        QVERIFY(bar.isPlaying());
        QTRY_VERIFY(!bar.isPlaying());
        QCOMPARE(bar.position(), 100);
        QCOMPARE(plays.size(), 2);
        bar.playOrPause(); // from the begin
        QVERIFY(bar.position() < 100);
        bar.pause();
        QVERIFY(!bar.isPlaying());
    }

    /// A run takes about 20 s, a short one is played slowly.
    void usualSpeeds()
    {
        TransportBar bar;
        bar.setSteps(262'144);
        QVERIFY(bar.stepsPerSecond() > 10'000 && bar.stepsPerSecond() < 16'000);
        bar.setSteps(5);
        QVERIFY(bar.stepsPerSecond() < 10);
    }

    void bySlider()
    {
        TransportBar bar;
        bar.setSteps(1000);
        bar.positionSlider()->setValue(bar.positionSlider()->maximum() / 2);
        QCOMPARE(bar.position(), 500);
    }

    /// Each button by the mouse, and Space on the one with the focus.
    void byButtons()
    {
        TransportBar bar;
        bar.setSteps(100);
        bar.show();
        QVERIFY(QTest::qWaitForWindowExposed(&bar));
        const auto button = [&](const char *key) {
            const auto all = bar.findChildren<look::Button *>();
            return *std::ranges::find(all, QString::fromUtf8(key), &look::Button::key);
        };
        QTest::mouseClick(button("→"), Qt::LeftButton);
        QTest::mouseClick(button("→"), Qt::LeftButton);
        QCOMPARE(bar.position(), 2);
        QTest::mouseClick(button("←"), Qt::LeftButton);
        QCOMPARE(bar.position(), 1);
        QTest::mouseClick(button("Home"), Qt::LeftButton);
        QCOMPARE(bar.position(), 0);
        QCOMPARE(button("Space")->text(), QStringLiteral("Play"));
        QTest::mouseClick(button("Space"), Qt::LeftButton);
        QVERIFY(bar.isPlaying());
        QCOMPARE(button("Space")->text(), QStringLiteral("Pause"));
        QTest::keyClick(button("Space"), Qt::Key_Space);
        QVERIFY(!bar.isPlaying());
        QCOMPARE(button("Space")->text(), QStringLiteral("Play"));
    }

    /// A step is of one's own hand: playing ends with it. Going elsewhere does not end it.
    void whatEndsPlaying()
    {
        TransportBar bar;
        bar.setSteps(1'000'000);
        bar.speedSlider()->setValue(0); // a step a second
        bar.playOrPause();
        bar.setPosition(500);
        QVERIFY(bar.isPlaying());
        bar.restart();
        QVERIFY(bar.isPlaying());
        QCOMPARE(bar.position(), 0);
        bar.stepForward();
        QVERIFY(!bar.isPlaying());
        QCOMPARE(bar.position(), 1);
        bar.playOrPause();
        bar.stepBack();
        QVERIFY(!bar.isPlaying());
        bar.playOrPause();
        bar.toEnd();
        QVERIFY(!bar.isPlaying());
        bar.restart();
        bar.playOrPause();
        QSignalSpy plays(&bar, &TransportBar::playingChanged);
        bar.setSteps(10); // another run
        QVERIFY(!bar.isPlaying());
        QCOMPARE(bar.position(), 0);
        QCOMPARE(plays.size(), 1);
    }

    /// It plays at the speed that is chosen, from the place where it is.
    void playsAtItsSpeed()
    {
        TransportBar bar;
        bar.setSteps(1'000'000);
        bar.setPosition(1000);
        bar.speedSlider()->setValue(60); // 1000 steps a second
        QVERIFY(std::abs(bar.stepsPerSecond() - 1000) < 1e-6);
        QElapsedTimer clock;
        clock.start();
        bar.playOrPause();
        QTRY_VERIFY(bar.position() > 1100);
        const double seconds = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
        QVERIFY(static_cast<double>(bar.position() - 1000) <= 1000 * seconds + 1);
    }

    void places()
    {
        TransportBar bar;
        bar.setSteps(1000);
        QSignalSpy moves(&bar, &TransportBar::positionChanged);
        bar.setPosition(2000);
        QCOMPARE(bar.position(), 1000);
        bar.setPosition(-5);
        QCOMPARE(bar.position(), 0);
        bar.setPosition(0);
        QCOMPARE(moves.size(), 2); // where it stands already, nothing moves
        bar.setPosition(250);
        QCOMPARE(bar.positionSlider()->value(), bar.positionSlider()->maximum() / 4);
        QCOMPARE(moves.back().front().toLongLong(), 250);
        const auto texts = bar.findChildren<QLabel *>();
        const auto shows = [&](const QString &text) {
            return std::ranges::contains(texts, text, [](const QLabel *each) { return each->text(); });
        };
        const QLocale locale;
        QVERIFY(shows(QStringLiteral("250 of %1").arg(locale.toString(1000))));
        bar.speedSlider()->setValue(60);
        QVERIFY(shows(QStringLiteral("%1 /s").arg(locale.toString(1000))));
    }

    /// Keys on the slider move through the run, End to its last step.
    void sliderByKeys()
    {
        TransportBar bar;
        bar.setSteps(1000);
        QTest::keyClick(bar.positionSlider(), Qt::Key_End);
        QCOMPARE(bar.position(), 1000);
        QTest::keyClick(bar.positionSlider(), Qt::Key_Home);
        QCOMPARE(bar.position(), 0);
        QTest::keyClick(bar.positionSlider(), Qt::Key_PageUp);
        QVERIFY(bar.position() > 0 && bar.position() < 1000);
    }

    void withoutSteps()
    {
        TransportBar bar;
        bar.playOrPause();
        QVERIFY(!bar.isPlaying());
        QVERIFY(!bar.playButton()->isEnabled());
    }
};

QTEST_MAIN(TransportBarTest)
#include "transport_bar_test.moc"
