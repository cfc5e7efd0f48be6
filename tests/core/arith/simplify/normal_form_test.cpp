// SPDX-License-Identifier: Apache-2.0
/// Normal forms that take more than one rule: products of symbols, quotients of remainders, casts, known
/// comparisons.
#include "tests/core/arith/index_algebra.h"

#include "core/arith/knowledge/known_orders.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::arith::testing;
using arith::Analyzer;
using arith::ConstIntBound;
using arith::Order;
using ir::Range;

namespace {

const Var x("x"), y("y"), z("z"), n("n"), m("m");
const Var wide("wide", ir::DataType::int64()), wider("wider", ir::DataType::int64());

QString simple(const Expr &e) { return QString::fromStdString(show(arith::simplify(e))); }
QString simple(Analyzer &analyzer, const Expr &e)
{
    return QString::fromStdString(show(analyzer.simplify(e)));
}

} // namespace

class NormalFormTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void productsOfSymbols()
    {
        QCOMPARE(simple(x * (y * 5)), "((x * y) * 5)");
        QCOMPARE(simple(x * 2 * y * 7), "((x * y) * 14)");
        QCOMPARE(simple(x * y + x * 9), "((y + 9) * x)");
        // A common factor cancels; in a remainder it stays as a factor.
        QCOMPARE(simple(x * 10 * y / (y * 2)), "(x * 5)");
        QCOMPARE(simple(x * 9 * y / (z * y * 6)), "((x * 3) // (z * 2))");
        QCOMPARE(simple(x * y % y), "0");
    }

    void remaindersOfQuotients()
    {
        QCOMPARE(simple((x * 6 + y) % 24 / 6), "(((y // 6) + x) % 4)");
        QCOMPARE(simple((x + 15) % 20 / 5), "(((x // 5) + 3) % 4)");
        QCOMPARE(simple((x + y) % 20 / 5), "(((x + y) % 20) // 5)");
        QCOMPARE(simple(x * 7 % 28), "((x % 4) * 7)");
        QCOMPARE(simple((0 - x) % 5), "((x % -5) * -1)");
        QCOMPARE(simple(x / 15 * 15 + x % 15 / 3 * 3 + x % 3), "x");
    }

    void bothRoundingsStayApart()
    {
        QCOMPARE(simple(ir::truncDiv(x, 4) * 4 + ir::truncMod(x, 4)), "x");
        QCOMPARE(simple(ir::truncDiv(x, 4) * 4 + x % 4), "((truncdiv(x, 4) * 4) + (x % 4))");
        QCOMPARE(simple(ir::truncDiv(x * 15, 5)), "(x * 3)");
        QCOMPARE(simple(ir::truncDiv(x * 15 + 7, 5)), "truncdiv(((x * 15) + 7), 5)");
        QCOMPARE(simple((x * 15 + 7) / 5), "((x * 3) + 1)");
        Analyzer analyzer;
        analyzer.bind(x, Range{0, 50});
        QCOMPARE(simple(analyzer, ir::truncDiv(x * 15 + 7, 5)), "((x * 3) + 1)");
    }

    void castsGoToTheTerms()
    {
        const ir::DataType int32 = ir::DataType::int32();
        const Expr difference = ir::cast(int32, wide + wider * 2 + 3) - ir::cast(int32, wide);
        const QString apart = "((int32(wider) * 2) + 3)";
        QVERIFY(simple(difference) != apart);
        Analyzer analyzer;
        analyzer.bind(wide, ConstIntBound{0, 1000});
        analyzer.bind(wider, ConstIntBound{0, 1000});
        QCOMPARE(simple(analyzer, difference), apart);
        // Not where the sum leaves the narrow type on its way.
        analyzer.bind(wide, ConstIntBound{0, (std::int64_t{1} << 31) - 1});
        QVERIFY(simple(analyzer, difference) != apart);
    }

    void inequalitiesOfDigits()
    {
        Analyzer analyzer;
        analyzer.bind(y, Range{0, 5});
        QCOMPARE(simple(analyzer, x * 10 + y < 30), "(x < 3)");
        QCOMPARE(simple(analyzer, x * 10 + y * 3 < 30), "(((x * 10) + (y * 3)) < 30)");
    }

    void leastValueOfAType()
    {
        const Expr least = ir::intImm(std::numeric_limits<std::int32_t>::min());
        QCOMPARE(simple(ir::eq(least - x, 0)), "(x == -2147483648)");
        QCOMPARE(simple(x + least), "(x + -2147483648)");
    }

    void comparisonsAreRememberedAsTheyAre()
    {
        arith::KnownOrders known;
        known.learn(x + 3 <= n * m && ir::ne(y, z));
        QCOMPARE(known.compare(x, n * m), Order::Less);
        QCOMPARE(known.compare(n * m, x + 2), Order::Greater);
        QCOMPARE(known.compare(x + 3, n * m), Order::LessEqual);
        QCOMPARE(known.compare(x + 4, n * m), Order::Unknown);
        QCOMPARE(known.compare(z, y), Order::NotEqual);
        // Nothing is concluded across several of them.
        known.learn(n * m < y);
        QCOMPARE(known.compare(x, y), Order::Unknown);
        known.shrink(1);
        QCOMPARE(known.compare(z, y), Order::Unknown);
        QCOMPARE(known.size(), std::size_t{1});
    }

    void assumptionsReachEveryPart()
    {
        Analyzer analyzer;
        const auto scope = analyzer.assume(n * m > x && x >= 4 && ir::eq(y % 6, 2));
        QCOMPARE(simple(analyzer, x + 1 < n * m + 1), "True");
        QCOMPARE(simple(analyzer, ir::max(x, 3)), "x");
        QCOMPARE(simple(analyzer, (y + 7) % 3), "0");
    }
};

QTEST_GUILESS_MAIN(NormalFormTest)
#include "normal_form_test.moc"
