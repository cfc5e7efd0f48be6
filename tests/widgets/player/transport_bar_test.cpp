// SPDX-License-Identifier: GPL-3.0-or-later
// Playing and stepping through a run.
#include "widgets/player/transport_bar.h"

#include "widgets/look/button.h"

#include <QSignalSpy>
#include <QSlider>
#include <QtTest>

using nestwright::player::TransportBar;

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
