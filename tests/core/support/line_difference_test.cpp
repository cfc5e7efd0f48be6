// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/line_difference.h"

#include <QtTest>

using nestwright::support::lineDifference;

namespace {

/// Number of single-letter lines that must go or come, by trying all.
std::size_t leastChanges(std::string_view before, std::string_view after)
{
    if (before.empty() || after.empty())
        return (before.size() + after.size()) / 2;
    if (before[0] == after[0])
        return leastChanges(before.substr(2), after.substr(2));
    return 1 + std::min(leastChanges(before.substr(2), after), leastChanges(before, after.substr(2)));
}

} // namespace

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

    /// The marks lead from one text to the other, with as few lines as there can be.
    void leadsFromOneTextToTheOther()
    {
        const auto lines = [](int number) {
            std::string text;
            for (int i = 0; i < 4; ++i, number /= 3)
                text += std::string(1, static_cast<char>('a' + number % 3)) + '\n';
            return text;
        };
        for (int a = 0; a < 81; ++a) {
            for (int b = a % 2; b < 81; b += 2) {
                // Other first and last lines, so that none is far from a change and left out.
                const std::string before = "u\n" + lines(a) + "v\n", after = "w\n" + lines(b) + "x\n";
                std::string kept, made;
                std::size_t changes = 0;
                const std::string text = lineDifference(before, after);
                for (std::size_t at = 0; at < text.size(); at += 4) {
                    const std::string line = text.substr(at + 2, 2);
                    kept += text[at] == '+' ? "" : line;
                    made += text[at] == '-' ? "" : line;
                    changes += text[at] == ' ' ? 0 : 1;
                }
                QCOMPARE(kept, before);
                QCOMPARE(made, after);
                QCOMPARE(changes, 4 + leastChanges(lines(a), lines(b)));
            }
        }
    }

    void twoLinesStandAroundEachChange()
    {
        QCOMPARE(lineDifference("1\n2\n3\n4\n", "1\n2\n3\n4\n5\n"), std::string("  …\n  3\n  4\n+ 5\n"));
        QCOMPARE(lineDifference("1\n2\n3\n4\n", "0\n1\n2\n3\n4\n"), std::string("+ 0\n  1\n  2\n  …\n"));
        QCOMPARE(lineDifference("1\n2\n3\n4\n5\n", "1\n2\n4\n5\n"), std::string("  1\n  2\n- 3\n  4\n  5\n"));
        QCOMPARE(lineDifference("a\na\n", "a\n"), std::string("  a\n- a\n"));
        QCOMPARE(lineDifference("a\n\nb\n", "a\nb\n"), std::string("  a\n- \n  b\n"));
        QCOMPARE(lineDifference("a\n", ""), std::string("- a\n"));
    }

    void equalAndEmptyTexts()
    {
        QCOMPARE(lineDifference("a\n", "a\n"), std::string("  …\n"));
        QCOMPARE(lineDifference("", "a\nb"), std::string("+ a\n+ b\n"));
        QCOMPARE(lineDifference("", ""), std::string());
    }

    /// Past the limit of comparison, all between the common beginning and end counts as changed.
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
