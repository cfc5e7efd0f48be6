// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/text_table.h"

#include <QTest>

using namespace nestwright;

class TextTableTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void columnsLineUp()
    {
        QCOMPARE(support::lineUp({{"kernel", "time", ""}, {"a", "1 µs", "kept"}, {"", "20 µs"}, {}}),
                 std::string("kernel  time\na       1 µs   kept\n        20 µs\n\n"));
        QCOMPARE(support::lineUp({}), std::string());
    }
};

QTEST_GUILESS_MAIN(TextTableTest)
#include "text_table_test.moc"
