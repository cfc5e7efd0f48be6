// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/seconds_text.h"

#include <QtTest>
#include <limits>

using namespace nestwright::support;

class SecondsTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void threeFigures()
    {
        QCOMPARE(secondsText(4.1e-3), std::string("4.10 ms"));
        QCOMPARE(secondsText(41e-6), std::string("41.0 µs"));
        QCOMPARE(secondsText(2), std::string("2.00 s"));
        QCOMPARE(secondsText(740e-9), std::string("740 ns"));
        QCOMPARE(secondsText(1234), std::string("1234 s"));
    }

    void roundedUpToTheNextUnit()
    {
        QCOMPARE(secondsText(999.4e-6), std::string("999 µs"));
        QCOMPARE(secondsText(999.6e-6), std::string("1.00 ms"));
        QCOMPARE(secondsText(0.9996), std::string("1.00 s"));
        QCOMPARE(secondsText(9.996e-3), std::string("10.0 ms"));
    }

    void noTime()
    {
        QCOMPARE(secondsText(0), std::string());
        QCOMPARE(secondsText(-1), std::string());
        QCOMPARE(secondsText(std::numeric_limits<double>::quiet_NaN()), std::string());
        QCOMPARE(secondsText(std::numeric_limits<double>::infinity()), std::string());
    }

    void anIntervalInOneUnit()
    {
        const TimeScale scale = timeScaleOf(8.06e-6);
        QCOMPARE(scale.unit, std::string_view("µs"));
        QCOMPARE(scale.number(7.013e-6), std::string("7.01"));
        QCOMPARE(scale.number(12.5e-6), std::string("12.50"));
    }
};

QTEST_APPLESS_MAIN(SecondsTextTest)
#include "seconds_text_test.moc"
