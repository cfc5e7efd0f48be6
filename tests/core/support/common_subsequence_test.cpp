// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/common_subsequence.h"

#include <QtTest>

#include <random>
#include <ranges>
#include <string>

using namespace nestwright::support;

namespace {

std::vector<int> numbersOf(const std::string &letters, Numbering<char> &number)
{
    return letters | std::views::transform(std::ref(number)) | std::ranges::to<std::vector>();
}

/// "a0:1 …": each common letter with its places.
std::string shown(const std::string &before, const std::string &after, int mostEdits = 1000)
{
    Numbering<char> number;
    const std::vector<int> a = numbersOf(before, number), b = numbersOf(after, number);
    std::string text;
    for (const CommonElement &each : commonSubsequence(a, b, mostEdits))
        text +=
            std::format("{}{}{}:{}", text.empty() ? "" : " ", before[each.before], each.before, each.after);
    return text;
}

std::size_t longestCommon(const std::string &a, const std::string &b)
{
    std::vector best(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            best[i][j] =
                a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
    return best[a.size()][b.size()];
}

} // namespace

class CommonSubsequenceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void small()
    {
        QCOMPARE(shown("abc", "abc"), std::string("a0:0 b1:1 c2:2"));
        QCOMPARE(shown("abcd", "bcda"), std::string("b1:0 c2:1 d3:2"));
        QCOMPARE(shown("axb", "ayyb"), std::string("a0:0 b2:3"));
        QCOMPARE(shown("aa", "a"), std::string("a0:0"));
        QCOMPARE(shown("", "a"), std::string());
        QCOMPARE(shown("", ""), std::string());
    }

    void tooManyEditsLeaveTheEnds()
    {
        QCOMPARE(shown("axcyb", "aucvb", 4), std::string("a0:0 c2:2 b4:4"));
        QCOMPARE(shown("axcyb", "aucvb", 3), std::string("a0:0 b4:4"));
    }

    /// Of random texts: common, in order, and none is longer.
    void randomTexts()
    {
        std::mt19937 random(20240607);
        const auto text = [&random] {
            std::string letters(random() % 12, 'a');
            for (char &letter : letters)
                letter = static_cast<char>('a' + random() % 4);
            return letters;
        };
        for (int round = 0; round < 1000; ++round) {
            const std::string before = text(), after = text();
            Numbering<char> number;
            const std::vector<int> a = numbersOf(before, number), b = numbersOf(after, number);
            const std::vector<CommonElement> common = commonSubsequence(a, b, 1000);
            QCOMPARE(common.size(), longestCommon(before, after));
            for (std::size_t i = 0; i < common.size(); ++i) {
                QCOMPARE(before[common[i].before], after[common[i].after]);
                QVERIFY(
                    i == 0
                    || (common[i - 1].before < common[i].before && common[i - 1].after < common[i].after));
            }
        }
    }
};

QTEST_GUILESS_MAIN(CommonSubsequenceTest)
#include "common_subsequence_test.moc"
