// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/near_names.h"

#include <QtTest>

#include <array>

using namespace nestwright::support;

namespace {

int leastEdits(std::string_view a, std::string_view b)
{
    if (a.empty() || b.empty())
        return static_cast<int>(a.size() + b.size());
    const auto same = [](char x, char y) { return std::tolower(x) == std::tolower(y); };
    int least = std::min({leastEdits(a.substr(1), b) + 1, leastEdits(a, b.substr(1)) + 1,
                          leastEdits(a.substr(1), b.substr(1)) + (same(a[0], b[0]) ? 0 : 1)});
    if (a.size() > 1 && b.size() > 1 && same(a[0], b[1]) && same(a[1], b[0]))
        least = std::min(least, leastEdits(a.substr(2), b.substr(2)) + 1);
    return least;
}

} // namespace

class NearNamesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void editDistances()
    {
        QCOMPARE(editDistance("", "abc"), 3);
        QCOMPARE(editDistance("split", "split"), 0);
        QCOMPARE(editDistance("Split", "split"), 0);
        QCOMPARE(editDistance("splt", "split"), 1);
        QCOMPARE(editDistance("slpit", "split"), 1);
        QCOMPARE(editDistance("fuse", "split"), 5);
    }

    /// Against the definition, for all pairs of short words.
    void editDistancesAreTheLeast()
    {
        std::vector<std::string> words{""};
        for (std::size_t i = 0; i < words.size() && words[i].size() < 4; ++i) {
            for (const char c : {'a', 'b', 'A'})
                words.push_back(words[i] + c);
        }
        for (const std::string &a : words) {
            for (const std::string &b : words)
                QVERIFY2(editDistance(a, b) == leastEdits(a, b), (a + ", " + b).c_str());
        }
    }

    void suggestionsAtTheLimits()
    {
        using Names = std::vector<std::string_view>;
        // A third of the longer name may differ, and one letter always, but not all of it.
        QCOMPARE(didYouMean("abcdef", Names{"abcdXY"}), "did you mean 'abcdXY'?");
        QCOMPARE(didYouMean("abcdef", Names{"abcXYZ"}), "there are 'abcXYZ'");
        QCOMPARE(didYouMean("ab", Names{"aX"}), "did you mean 'aX'?");
        QCOMPARE(didYouMean("a", Names{"X"}), "there are 'X'");
        QCOMPARE(didYouMean("", Names{"X", "Y"}), "there are 'X' and 'Y'");
        QCOMPARE(didYouMean("compute", Names{"compute_inline", "fuse"}), "did you mean 'compute_inline'?");
        QCOMPARE(didYouMean("abc", Names{"abc1", "abc1", "abc2"}), "did you mean 'abc1' or 'abc2'?");
        QCOMPARE(didYouMean("abc", Names{"abc1", "abc2", "abc3", "abc4"}),
                 "did you mean 'abc1', 'abc2' or 'abc3'?");
        QCOMPARE(didYouMean("x", Names{"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"}),
                 "there are 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7' and 'n8'");
        QCOMPARE(didYouMean("x", Names{"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"}),
                 "there are 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', …");
    }

    void suggestions()
    {
        const std::array<std::string_view, 4> known{"conv2d", "conv2d_pad", "relu", "conv3d"};
        QCOMPARE(didYouMean("conv2", known), "did you mean 'conv2d', 'conv3d' or 'conv2d_pad'?");
        QCOMPARE(didYouMean("realu", known), "did you mean 'relu'?");
        QCOMPARE(didYouMean("x", known), "there are 'conv2d', 'conv2d_pad', 'relu' and 'conv3d'");
        QCOMPARE(didYouMean("x", {}), "there are none");
        const std::vector<std::string_view> many(9, "name");
        QVERIFY(didYouMean("x", many).ends_with("'name', …"));
    }
};

QTEST_GUILESS_MAIN(NearNamesTest)
#include "near_names_test.moc"
