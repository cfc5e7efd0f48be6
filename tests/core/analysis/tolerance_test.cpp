// SPDX-License-Identifier: Apache-2.0
// Results that the tests themselves call the same: sums of sixteen bits in another order are, sums that lack
// terms are not.
#include "tests/support/check.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// A sum of 8 × `rows` terms of A[i, j], or of those in the first columns, in one go or by columns.
ir::Module sumOf(const std::string &type, const std::string &term, int rows, int columns, bool isByColumns)
{
    const std::string head = std::format("@T.prim_func\ndef main(A: T.Buffer(({0}, 8), \"{1}\"), B: "
                                         "T.Buffer((1,), \"{1}\")):\n    C = T.alloc_buffer((8,), \"{1}\")\n",
                                         rows, type);
    const auto sum = [&](const std::string &to, const std::string &from, const char *kinds) {
        return std::format(
            "        with T.block(\"{0}\"):\n            i, j = T.axis.remap(\"{2}\", [x, y])\n"
            "            with T.init():\n                {0} = T.{3}(0)\n"
            "            {0} = {0} + {1}\n",
            to, from, kinds, type);
    };
    const std::string grid = std::format("    for x, y in T.grid({}, {}):\n", rows, columns);
    if (!isByColumns)
        return parsed(head + grid + sum("B[0]", term, "RR"));
    return parsed(head + grid + sum("C[j]", term, "RS")
                  + std::format("    for x, y in T.grid(1, {}):\n", columns) + sum("B[0]", "C[j]", "RR"));
}

std::optional<std::string> whyNot(const ir::Module &expected, const ir::Module &actual)
{
    return whyNotEquivalent(expected, actual, {.runs = 40});
}

} // namespace

class ToleranceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sums_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<int>("rows");
        for (const char *type : {"bfloat16", "float16", "float32", "float64"}) {
            for (const int rows : {2, 18, 60}) {
                // A sum of 480 terms near 3 ends at 1024 in bfloat16, which does not count them beyond.
                if (rows < 60 || QString(type) != "bfloat16")
                    QTest::addRow("%s %d", type, rows) << QString(type) << rows;
            }
        }
    }

    /// A sum that lacks terms is told from one in another order, however long it is: one that lacks a column,
    /// half of them where sixteen bits hardly tell large terms.
    void sums()
    {
        QFETCH(QString, type);
        QFETCH(int, rows);
        const std::string name = type.toStdString();
        for (const auto &[term, fewer] : {std::pair("A[i, j]", 7), {"(A[i, j] + T.TYPE(3))", 4}}) {
            const std::string each = QString(term).replace("TYPE", type).toStdString();
            const ir::Module whole = sumOf(name, each, rows, 8, false);
            const auto other = whyNot(whole, sumOf(name, each, rows, 8, true));
            QVERIFY2(!other, other.value_or("").c_str());
            QVERIFY(whyNot(whole, sumOf(name, each, rows, fewer, true)));
            QVERIFY(whyNot(whole, sumOf(name, each, rows, fewer, false)));
        }
    }

    /// A difference that a long sum may have is a fault of a short one.
    void differences()
    {
        ir::NdArray expected(ir::DataType::float_(16), {1}), actual(ir::DataType::float_(16), {1});
        expected.set(0, -1);
        actual.set(0, -1.0625);
        QVERIFY(whyNotClose(expected, actual));
        QVERIFY(whyNotClose(expected, actual, false, 16));
        QVERIFY(whyNotClose(expected, actual, false, 30));
        QVERIFY(!whyNotClose(expected, actual, false, 140));
        QVERIFY(whyNotClose(expected, actual, true, 140));
    }
};

QTEST_GUILESS_MAIN(ToleranceTest)
#include "tolerance_test.moc"
