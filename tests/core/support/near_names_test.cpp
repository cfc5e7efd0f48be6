// SPDX-License-Identifier: Apache-2.0
#include "core/support/near_names.h"

#include <QtTest>

#include <array>

using namespace nestwright::support;

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
