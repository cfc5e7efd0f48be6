// SPDX-License-Identifier: Apache-2.0
/// Normal forms of comparisons and of their conjunctions.
#include "tests/core/arith/index_algebra.h"

#include "core/arith/same_expr.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::arith::testing;
using ir::eq, ir::ne, ir::min, ir::max;

namespace {

// x, y, z, w, n, m are any integers; i is in [0, 8), j in [0, 4), k in [0, 16), l in [0, 1000).
const Var x("x"), y("y"), z("z"), w("w"), n("n"), m("m"), i("i"), j("j"), k("k"), l("l");
const Expr yes = ir::boolImm(true), no = ir::boolImm(false);

} // namespace

class SimplifyConditionsTest : public QObject {
    Q_OBJECT

private:
    arith::Analyzer m_analyzer;

    /// `from` is simplified to exactly `to`, and `to` stays as it is.
    void check(const Expr &from, const Expr &to)
    {
        const Expr result = m_analyzer.simplify(from);
        const std::string text = show(from) + " became " + show(result) + " instead of " + show(to);
        if (!arith::sameExpr(result, to))
            QTest::qFail(text.c_str(), __FILE__, __LINE__);
        else if (!arith::sameExpr(m_analyzer.simplify(to), to))
            QTest::qFail((show(to) + " is not its own normal form").c_str(), __FILE__, __LINE__);
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_analyzer.bind(i, ir::Range{0, 8});
        m_analyzer.bind(j, ir::Range{0, 4});
        m_analyzer.bind(k, ir::Range{0, 16});
        m_analyzer.bind(l, ir::Range{0, 1000});
    }

    void orders()
    {
        check(x < y, x < y);
        check(x <= y, x <= y);
        check(x > y, y < x);
        check(x >= y, y <= x);
        check(x + 1 < y, x + 1 < y);
        check(x < y + 1, x <= y);
        check(x < y - 1, x + 1 < y);
        check(x + 1 < 5, x < 4);
        check(x <= 5, x <= 5);
        check(x > 5, 5 < x);
        check(x >= 5, 5 <= x);
        check(5 < x, 5 < x);
        check(5 >= x, x <= 5);
        check(x - y < 0, x - y < 0);
        check(x - y < 5, x - y < 5);
        check(x - y < z, x - y < z);
        check(x + y < z, x + y < z);
        check(x + y < x + z, y < z);
        check(x * 4 < 16, x < 4);
        check(x * 4 < 15, x < 4);
        check(x * 4 + j < 16, x < 4);
        check(x * 8 + i < n * 8, x - n < 0);
        check(x * 4 < y * 4, x - y < 0);
        check(x * 2 < y * 4, x - y * 2 < 0);
        check(0 - x < 5, -5 < x);
        check(3 - x < y, 3 < y + x);
        check(x / 4 < 3, x < 12);
        check(x / 4 >= 3, 12 <= x);
        check(3 < x / 4, 15 < x);
        check(x % 4 < 4, yes);
        check(min(x, y) < z, x < z || y < z);
        check(max(x, y) < z, x < z && y < z);
        check(min(x, y) <= z, x <= z || y <= z);
        check(z < max(x, y), z < x || z < y);
        check(max(x, y) <= 5, x <= 5 && y <= 5);
        check(min(x, 5) < 3, x < 3);
        check(min(x, 5) < 7, yes);
        check(max(x, 5) < 3, no);
        check(x / 2 * 2 + 1 < n, x / 2 * 2 + 1 < n);
        check(i * n + j < n * 8, i * n + j < n * 8);
        check(i < n * 8, 0 < n);
        check(i * 4 + j < 30, i * 4 + j < 30);
        check(i * 4 + j < 28, i < 7);
        check(i * 4 + j <= 27, i * 4 + j <= 27);
        check(i * 4 + j >= 4, 4 <= i * 4 + j);
        check(i * 4 + j >= 5, 5 <= i * 4 + j);
        check(0 <= i, yes);
        check(i * 4 + j + 1 <= 32, yes);
        check(i * 4 + j < n, i * 4 + j < n);
        check(i * 5 + j < 38, i * 5 + j < 38);
        check(k * 10 + i < 100, k < 10);
        check(n - 1 < n, yes);
        check(i + n < n + 8, yes);
        check(n <= m, n <= m);
        check(x <= 4, x <= 4);
        check(x - 4 <= 0, x <= 4);
        check(x % 4 < 1, x % 4 < 1);
        check(0 < x % 4, 0 < x % 4);
        check(x % 4 >= 1, 1 <= x % 4);
        check(i <= 7, yes);
        check(k / 4 < 4, yes);
        check(k / 4 < 3, k < 12);
        check(k / 4 * 4 < 12, k < 12);
        check(k / 4 * 4 + i < 12, k / 4 * 4 + i < 12);
        check(i < 8, yes);
        check(i < 7, i < 7);
        check(i * 4 + j < 32, yes);
        check(i * 4 + j < 31, i * 4 + j < 31);
        check(i * 4 + j < 24, i < 6);
        check(i * 4 + j < m, i * 4 + j < m);
        check(i * 4 + j <= m, i * 4 + j <= m);
        check(i * 4 + j < m * 4, i - m < 0);
        check(i * 4 + j < m * 4 + 4, i - m < 1);
        check(i * 8 + j < m * 8, i - m < 0);
        check(i * 8 + k < m * 8, i * 8 + k < m * 8);
        check(k * 8 + i < 100, k * 8 + i < 100);
        check(k * 8 + i < 104, k < 13);
        check(k * 8 + i <= 103, k * 8 + i <= 103);
        check(k * 8 + i >= 8, 8 <= k * 8 + i);
        check(k * 8 + i > 7, 7 < k * 8 + i);
        check(n * 8 + i < m * 8, n - m < 0);
        check(n * 8 < m * 8 + 8, n - m < 1);
        check(n * 2 < 5, n < 3);
        check(n * 2 < 6, n < 3);
        check(n * 2 > 5, 2 < n);
        check(n * 2 >= 6, 3 <= n);
        check(n * 2 <= 5, n <= 2);
        check(n * -2 < 5, -3 < n);
        check(n * -2 < 6, -3 < n);
        check(5 - n < 3, 2 < n);
        check(3 < 5 - n, n < 2);
        check(n - 5 < 3, n < 8);
        check(n - 5 < m - 5, n < m);
        check(n + 5 < m, n + 5 < m);
        check(n + 5 < m + 7, n < m + 2);
        check(n + 7 < m + 5, n + 2 < m);
        check(n - m < 0, n - m < 0);
        check(0 < n - m, 0 < n - m);
        check(0 <= n - m, 0 <= n - m);
        check(n - m <= 0, n - m <= 0);
        check(n / 4 < 2, n < 8);
        check(n / 4 <= 2, n <= 11);
        check(n / 4 > 2, 11 < n);
        check(n / 4 >= 2, 8 <= n);
        check(n % 4 < 2, n % 4 < 2);
        check(i % 4 < 4, yes);
        check(i / 4 < 2, yes);
        check(n < n, no);
        check(n <= n, yes);
        check(3 < n, 3 < n);
        check(3 > n, n < 3);
        check(min(n, m) < n, m < n);
        check(min(n, 4) < 5, yes);
        check(min(n, 4) < 4, n < 4);
        check(max(n, 4) < 5, n < 5);
        check(max(n, 4) > 3, yes);
        check(max(n, 4) > 4, 4 < n);
    }

    void equalities()
    {
        check(eq(x / 4, 3), eq(x / 4, 3));
        check(eq(x % 4, 4), no);
        check(eq(x, y), eq(x, y));
        check(eq(x, 5), eq(x, 5));
        check(eq(x + 1, 5), eq(x, 4));
        check(eq(x + 1, y), eq(x + 1, y));
        check(eq(3 - x, y), eq(3 - x, y));
        check(eq(x - y, 0), eq(x - y, 0));
        check(eq(x * 4, 8), eq(x * 4, 8));
        check(eq(x * 4, 9), no);
        check(eq(x * 4, y * 4), eq(x * 4, y * 4));
        check(eq(x * y, 0), eq(x, 0) || eq(y, 0));
        check(ne(x, y), ne(x, y));
        check(ne(x, 5), ne(x, 5));
        check(eq(x - 4, 0), eq(x, 4));
        check(eq(4, x), eq(x, 4));
        check(eq(x - y, 3), eq(x - y, 3));
        check(eq(x + y, y), eq(x + y, y));
        check(eq(x + y, x + z), eq(x + y, x + z));
        check(eq(n * 4, m * 4), eq(n * 4, m * 4));
        check(eq(x * 2, 6), eq(x * 2, 6));
        check(eq(x * 2, 7), no);
        check(eq(x / 4, 0), eq(x / 4, 0));
        check(eq(x % 4, 0), eq(x % 4, 0));
        check(ne(x % 4, 0), 0 < x % 4);
        check(eq(x, x + 1), no);
        check(eq(i, 9), no);
        check(eq(i, 3), eq(i, 3));
        check(eq(k / 4, 2), eq(k / 4, 2));
        check(eq(n / 4, 2), eq(n / 4, 2));
        check(eq(n % 4, 0), eq(n % 4, 0));
        check(ne(n % 4, 0), 0 < n % 4);
        check(eq(i / 4, 1), eq(i / 4, 1));
        check(eq(k / 4, i), eq(k / 4, i));
        check(eq(n, n), yes);
        check(ne(n, n), no);
        check(eq(n, m), eq(n, m));
        check(eq(m, n), eq(m, n));
        check(eq(n + 1, m + 1), eq(n + 1, m + 1));
        check(eq(n + 1, m), eq(n + 1, m));
        check(eq(n * 4, 8), eq(n * 4, 8));
        check(eq(n * 4, 9), no);
        check(eq(n * 4 + 2, 10), eq(n * 4, 8));
        check(eq(4 - n, 3), eq(n, 1));
        check(eq(3, n), eq(n, 3));
        check(eq(min(n, m), n), eq(min(n, m), n));
    }

    void productsAndSums()
    {
        const auto provable = [](const Expr &condition, std::int64_t greatest) {
            arith::Analyzer analyzer;
            for (const ir::Var &var : {x, y})
                analyzer.bind(var, arith::ConstIntBound{1, greatest});
            return ir::isTrue(analyzer.simplifyByRules(condition));
        };
        QVERIFY(provable(x * y < (x + y) * 100, 199));
        QVERIFY(provable(x * y < (y + x) * 100, 199));
        QVERIFY(!provable(x * y < (x + y) * 100, 200)); // 200 * 200 == 400 * 100
        QVERIFY(provable(x * y * 7 < (x + y) * 700, 199));
        QVERIFY(!provable(x * y * 7 < (x + y) * 699, 200));
        QVERIFY(!provable(x * y < (x + 3) * 100, 199));
        arith::Analyzer analyzer;
        analyzer.bind(x, arith::ConstIntBound{1, 100});
        analyzer.bind(y, arith::ConstIntBound{1, arith::ConstIntBound::posInf});
        QVERIFY(analyzer.canProve(x * y < (x + y) * 100)); // however great y is
        QVERIFY(!analyzer.canProve(x * y < (x + y) * 99));
    }

    void positiveFactorsOnBothSides()
    {
        arith::Analyzer analyzer;
        analyzer.bind(z, arith::ConstIntBound{1, arith::ConstIntBound::posInf});
        const arith::Assumption assumption = analyzer.assume(x < y);
        QVERIFY(analyzer.canProve(z * x < y * z));
        QVERIFY(!analyzer.canProve(i * x < y * i)); // i may be 0
        QVERIFY(!analyzer.canProve(z * y < x * z));
    }

    void logic()
    {
        check(!(x < y), y <= x);
        check(x < 5 && x < 7, x < 5 && x < 7);
        check(x < 5 && x >= 5, no);
        check(x < 5 && x > 3, x < 5 && 3 < x);
        check(x < 5 && x > 2, x < 5 && 2 < x);
        check(x < 5 || x < 7, x < 5 || x < 7);
        check(x < 5 || x >= 5, yes);
        check(x < y && y <= x, no);
        check(x < y && y < x, x < y && y < x);
        check(x < y && x < y, x < y && x < y);
        check(x < y && y <= x, no);
        check(x < y || y <= x, yes);
        check(!(x < y && eq(z, w)), y <= x || ne(z, w));
        check(x < 3 || (y < 3 || x < 3), x < 3 || y < 3 || x < 3);
        check(x < 3 && (y < 3 && x < 3), x < 3 && y < 3 && x < 3);
        check(i < 8 && x < 3, x < 3);
        check(i * 4 + j < 32 && x < 3, x < 3);
        check(i * 4 + j < 30 && x < 3, i * 4 + j < 30 && x < 3);
        check(i * 4 + j < 28 && x < 3, i < 7 && x < 3);
        check(!(n <= m), m < n);
        check(!(eq(x, 5)), ne(x, 5));
        check(n < 4 && m < 4, n < 4 && m < 4);
        check(n < 4 && i < 8, n < 4);
        check(i < 9 && n < 4, n < 4);
        check(n < 4 && n >= 4, no);
        check(n < 4 && n > 4, no);
        check(n < 4 || n >= 4, yes);
        check(i < 4 || i >= 4, yes);
        check(n < 4 || i < 9, yes);
        check(eq(n, 4) && eq(n, 5), no);
        check(!(n < 4), 4 <= n);
        check(!(n <= 4), 4 < n);
        check(!(n < 4 && m < 4), 4 <= n || 4 <= m);
        check(!(n < 4 || eq(m, 4)), 4 <= n && ne(m, 4));
        check(!(!(n < 4)), n < 4);
        check(n * 4 + j < 16 && m < 3, n < 4 && m < 3);
        check(n * 32 + k < 100 && n < 3, n * 32 + k < 100 && n < 3);
    }
};

QTEST_GUILESS_MAIN(SimplifyConditionsTest)
#include "conditions_test.moc"
