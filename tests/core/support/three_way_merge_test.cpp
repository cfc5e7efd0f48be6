// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/three_way_merge.h"

#include <QtTest>

#include <random>
#include <string>
#include <vector>

using namespace nestwright::support;

namespace {

/// One line a letter.
std::string lined(const std::string &letters)
{
    std::string text;
    for (const char letter : letters)
        text += std::string{letter} + '\n';
    return text;
}

/// The lines as letters again, marks as "<", "=" and ">".
std::string lettersOf(const std::string &text)
{
    std::string letters;
    bool isBegin = true;
    for (const char c : text) {
        if (isBegin)
            letters += c;
        isBegin = c == '\n';
    }
    return letters;
}

MergedText merged(const std::string &base, const std::string &first, const std::string &second)
{
    return mergeTexts(lined(base), lined(first), lined(second), {"first", "second"});
}

} // namespace

class ThreeWayMergeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cases_data()
    {
        QTest::addColumn<QString>("base");
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        QTest::addColumn<QString>("result");
        QTest::addColumn<int>("conflicts");
        QTest::newRow("nothing") << "" << "" << "" << "" << 0;
        QTest::newRow("as it was") << "abc" << "abc" << "abc" << "abc" << 0;
        QTest::newRow("first changes") << "abc" << "aXc" << "abc" << "aXc" << 0;
        QTest::newRow("second changes") << "abc" << "abc" << "aYc" << "aYc" << 0;
        QTest::newRow("apart") << "abcde" << "Xbcde" << "abcdY" << "XbcdY" << 0;
        QTest::newRow("alike") << "abc" << "aXc" << "aXc" << "aXc" << 0;
        QTest::newRow("both insert alike") << "ab" << "aXb" << "aXb" << "aXb" << 0;
        QTest::newRow("both delete") << "abc" << "ac" << "ac" << "ac" << 0;
        QTest::newRow("delete and insert apart") << "abcd" << "bcd" << "abcdY" << "bcdY" << 0;
        QTest::newRow("differently") << "abc" << "aXc" << "aYc" << "a<X=Y>c" << 1;
        QTest::newRow("both insert") << "ab" << "aXb" << "aYb" << "a<X=Y>b" << 1;
        QTest::newRow("delete and change") << "abc" << "ac" << "aYc" << "a<=Y>c" << 1;
        QTest::newRow("neighbours") << "abc" << "Xbc" << "aYc" << "<Xb=aY>c" << 1;
        QTest::newRow("twice") << "abcde" << "XbcdX" << "YbcdY" << "<X=Y>bcd<X=Y>" << 2;
        QTest::newRow("at the end") << "ab" << "abX" << "abY" << "ab<X=Y>" << 1;
        QTest::newRow("from nothing") << "" << "X" << "Y" << "<X=Y>" << 1;
        QTest::newRow("all gone") << "abc" << "" << "abc" << "" << 0;
    }
    void cases()
    {
        QFETCH(QString, base);
        QFETCH(QString, first);
        QFETCH(QString, second);
        QFETCH(QString, result);
        QFETCH(int, conflicts);
        const MergedText found = merged(base.toStdString(), first.toStdString(), second.toStdString());
        QCOMPARE(QString::fromStdString(lettersOf(found.text)), result);
        QCOMPARE(found.conflicts, conflicts);
        QCOMPARE(conflictsIn(found.text), conflicts);
        QCOMPARE(conflictAt(found.text).has_value(), conflicts > 0);
    }

    void bothSidesAreNamed()
    {
        const MergedText found = mergeTexts("a\nb\n", "a\nX\n", "a\nY\n", {"the edit", "the new schedule"});
        QCOMPARE(found.text, "a\n<<<<<<< the edit\nX\n=======\nY\n>>>>>>> the new schedule\n");
        QCOMPARE(conflictAt(found.text), 2);
    }

    /// A last line without its end: marks stand on lines of their own.
    void theLastLineMayLackItsEnd()
    {
        QCOMPARE(mergeTexts("a", "a", "a\nb", {}).text, "a\nb");
        const MergedText found = mergeTexts("a\nb", "a\nX", "a\nY", {"1", "2"});
        QCOMPARE(found.text, "a\n<<<<<<< 1\nX\n=======\nY\n>>>>>>> 2\n");
    }

    /// Marks that are not one behind the other are text.
    void otherMarksAreText()
    {
        QVERIFY(!conflictAt("<<<<<<< a\nb\n"));
        QVERIFY(!conflictAt("=======\n>>>>>>> b\n"));
        QVERIFY(!conflictAt("a << b\n"));
        QCOMPARE(conflictsIn("<<<<<<< a\n<<<<<<< a\n=======\n>>>>>>> b\n"), 1);
    }

    /// Of a side that stays, or of sides that are alike, the other is the result; sides may change places;
    /// and where nothing contradicts, each line of the result is of one of the sides.
    void properties()
    {
        std::mt19937 random(7);
        const auto text = [&](std::size_t longest) {
            std::string letters(random() % (longest + 1), ' ');
            for (char &letter : letters)
                letter = static_cast<char>('a' + random() % 5);
            return letters;
        };
        const auto edited = [&](std::string of) {
            for (auto edits = random() % 4; edits > 0; --edits) {
                const std::size_t at = of.empty() ? 0 : random() % of.size();
                const std::size_t length = std::min<std::size_t>(random() % 3, of.size() - at);
                of.replace(at, length, text(2));
            }
            return of;
        };
        for (int round = 0; round < 3000; ++round) {
            const std::string base = text(12), first = edited(base), second = edited(base);
            const auto plain = [](const MergedText &found) { return lettersOf(found.text); };
            QCOMPARE(plain(merged(base, base, second)), second);
            QCOMPARE(plain(merged(base, first, base)), first);
            QCOMPARE(plain(merged(base, first, first)), first);
            const MergedText one = merged(base, first, second), other = merged(base, second, first);
            QCOMPARE(one.conflicts, other.conflicts);
            QCOMPARE(one.conflicts, conflictsIn(one.text));
            if (one.conflicts == 0)
                QCOMPARE(one.text, other.text);
        }
    }

    /// Texts that have nothing in common take the time of their lines, not of its square.
    void longTexts()
    {
        std::string base, first, second;
        for (int i = 0; i < 50'000; ++i) {
            base += "line " + std::to_string(i) + '\n';
            first += "other " + std::to_string(i) + '\n';
        }
        second = base + "last\n";
        QCOMPARE(mergeTexts(base, first, base, {}).text, first);
        QCOMPARE(mergeTexts(base, base, second, {}).text, second);
        QCOMPARE(mergeTexts(base, first, second, {}).conflicts, 1);
    }
};

QTEST_GUILESS_MAIN(ThreeWayMergeTest)
#include "three_way_merge_test.moc"
