// SPDX-License-Identifier: Apache-2.0
#include "core/support/line_difference.h"

#include <QtTest>

using nestwright::support::lineDifference;

class LineDifferenceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void changesWithWhatStandsAroundThem()
    {
        const std::string before = "a\nb\nc\nd\ne\nf\n", after = "a\nb\nc\nx\ny\ne\nf\n";
        QCOMPARE(lineDifference(before, after), std::string("  …\n  b\n  c\n- d\n+ x\n+ y\n  e\n  f\n"));
    }

    void severalPlaces()
    {
        QCOMPARE(lineDifference("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n3\n4\n5\n6\n7\n8\n9\n"),
                 std::string("  1\n- 2\n  3\n  4\n  …\n  7\n  8\n+ 9\n"));
    }

    void equalAndEmptyTexts()
    {
        QCOMPARE(lineDifference("a\n", "a\n"), std::string("  …\n"));
        QCOMPARE(lineDifference("", "a\nb"), std::string("+ a\n+ b\n"));
        QCOMPARE(lineDifference("", ""), std::string());
    }

    /// Past what can be compared in short time, all between the common beginning and end counts as changed.
    void veryLongTexts()
    {
        std::string before = "first\n", after = "first\n";
        for (int i = 0; i < 3000; ++i) {
            before += "b" + std::to_string(i) + '\n';
            after += "a" + std::to_string(i) + '\n';
        }
        const std::string text = lineDifference(before, after);
        QVERIFY(text.starts_with("  first\n- b0\n- b1\n") && text.ends_with("+ a2999\n"));
    }
};

QTEST_GUILESS_MAIN(LineDifferenceTest)
#include "line_difference_test.moc"
