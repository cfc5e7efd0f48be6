// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/bytes_text.h"

#include <QtTest>

using nestwright::support::bytesText;

class BytesTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void unitsAndDigits()
    {
        QCOMPARE(bytesText(0), std::string("0 B"));
        QCOMPARE(bytesText(999), std::string("999 B"));
        QCOMPARE(bytesText(1000), std::string("1.0 KB"));
        QCOMPARE(bytesText(4096), std::string("4.0 KB"));
        QCOMPARE(bytesText(200 * 1024), std::string("200 KB"));
        QCOMPARE(bytesText(12.6 * 1024 * 1024), std::string("12.6 MB"));
        QCOMPARE(bytesText(3e15), std::string("2.7 PB"));
    }
};

QTEST_APPLESS_MAIN(BytesTextTest)
#include "bytes_text_test.moc"
