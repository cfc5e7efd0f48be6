// SPDX-License-Identifier: Apache-2.0
/// Normal forms of minima, maxima, selections and truncating divisions.
#include "tests/core/arith/index_algebra.h"

#include "core/arith/same_expr.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::arith::testing;
using ir::min, ir::max, ir::select, ir::truncDiv, ir::truncMod;

namespace {

// x, y, z, w, n, m are any integers; i is in [0, 8), j in [0, 4), k in [0, 16), l in [0, 1000).
const Var x("x"), y("y"), z("z"), w("w"), n("n"), m("m"), i("i"), j("j"), k("k"), l("l");

Expr ifThenElse(const Expr &condition, const Expr &a, const Expr &b)
{
    return ir::call(a.dtype(), "if_then_else", {condition, a, b});
}

} // namespace

class SimplifyChoicesTest : public QObject {
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

    void minimaAndMaxima()
    {
        check(min(x, y) * 2, min(x, y) * 2);
        check(min(x + 1, y + 1), min(x, y) + 1);
        check(min(x + 1, 5), min(x + 1, 5));
        check(min(x, x + y), min(x, x + y));
        check(min(x * 2, y * 2), min(x, y) * 2);
        check(min(3 - x, 5), 3 - max(x, -2));
        check(min(3 - x, y - x), min(3, y) - x);
        check(max(x, y) - x, max(0, y - x));
        check(min(x, y) + max(x, y), x + y);
        check(min(x / 4 * 4, x), x / 4 * 4);
        check(min((x + 3) / 4 * 4, x), x);
        check(max(min(x, 4), 5), 5);
        check(max(min(x, 5), 4), max(min(x, 5), 4));
        check(min(max(x, 5), 4), 4);
        check(min(min(x, 5), y), min(min(x, y), 5));
        check(x + min(y, z), min(y, z) + x);
        check(min(y, z) + x, min(y, z) + x);
        check(min(y, 5 - x) + x, min(y + x, 5));
        check(min(i * 4 + j, 31), i * 4 + j);
        check(max(i, 0), i);
        check(min(0 - x, 0 - y), 0 - max(x, y));
        check(min(x, y) - z, min(x, y) - z);
        check(z - min(x, y), z - min(x, y));
        check(min(5, x), min(5, x));
        check(max(0, x), max(0, x));
        check(min(max(0, x), y), min(max(0, x), y));
        check(min(n, n + 4), n);
        check(min(i * 4 + 4, 32) - i * 4, 4);
        check(min(i * 5 + 5, 32) - i * 5, min(i * 5 + 5, 32) - i * 5);
        check(max(0, i * 4 - 1), max(0, i * 4 - 1));
        check(min(n - i * 4, 4), min(n - i * 4, 4));
        check(max(1 - i, 0), max(1 - i, 0));
        check(min(i + 1, 4) - max(i - 1, 0), min(i + 1, 4) - max(i - 1, 0));
        check(min(n, n - 1), n - 1);
        check(min(n, n + i), min(n, n + i));
        check(max(n, n + i), max(n, n + i));
        check(max(n, n - i), max(n, n - i));
        check(min(i, j + 8), i);
        check(min(i + 8, j), j);
        check(max(i + 8, j), i + 8);
        check(min(i, 8), i);
        check(min(i, 7), i);
        check(min(i, 6), min(i, 6));
        check(max(i, 1), max(i, 1));
        check(min(max(i, 0), 7), i);
        check(max(min(i, 7), 0), i);
        check(max(min(n, 7), 0), max(min(n, 7), 0));
        check(min(n * 4, m * 4), min(n, m) * 4);
        check(min(n * 4 + 4, m * 4), min(n + 1, m) * 4);
        check(min(n + i, m + i), min(n, m) + i);
        check(min(n - i, m - i), min(n, m) - i);
        check(min(4 - n, 4 - m), 4 - max(n, m));
        check(min(n, m) + min(m, n), min(n, m) + min(m, n));
        check(min(n, m) - min(m, n), 0);
        check(max(n, m) - n, max(0, m - n));
        check(max(n, m) - m, max(n - m, 0));
        check(min(n, m) - n, min(0, m - n));
        check(min(n, m) - m, min(n - m, 0));
        check(n - min(n, m), max(0, n - m));
        check(m - min(n, m), max(m - n, 0));
        check(n - max(n, m), min(0, n - m));
        check(min(n + 4, m) - n, min(4, m - n));
        check(min(n, m + 4) - m, min(n - m, 4));
        check(min(n * 8 + 8, 64) - n * 8, min(1, 8 - n) * 8);
        check(min(n * 8 + 8, 100) - n * 8, min(n * 8 + 8, 100) - n * 8);
        check(min(i * 8 + 8, 64) - i * 8, 8);
        check(min(i * 8 + 7, 62) - i * 8 + 1, min(7, 62 - i * 8) + 1);
        check(max(i * 8 - 1, 0), max(i * 8 - 1, 0));
        check(min(i * 8 + 9, 64) - max(i * 8 - 1, 0), min(i * 8 + 9, 64) - max(i * 8 - 1, 0));
        check(min(i * 2 + 3, 16) - i * 2, min(3, 16 - i * 2));
        check(max(n + 1, n + 2) - n, 2);
        check(min(min(n, 4), 5), min(n, 4));
        check(min(min(n, 5), 4), min(n, 4));
        check(min(min(n, m), n), min(n, m));
        check(max(max(n, m), m), max(n, m));
        check(min(max(n, m), n), n);
        check(max(min(n, m), m), m);
        check(min(max(n, m), min(n, m)), min(n, m));
        check(min(max(n, 4), 4), 4);
        check(max(min(n, 4), 4), 4);
        check(min(n / 4 * 4, n), n / 4 * 4);
        check(max(n / 4 * 4, n), n);
        check(max((n + 3) / 4 * 4, n), (n + 3) / 4 * 4);
        check(min((n + 7) / 8, (m + 7) / 8), (min(n, m) + 7) / 8);
        check(min(n, m) / 4, min(n, m) / 4);
        check(min(n * 4, m) / 4, min(n, m / 4));
        check(max(n * 4 + 8, m) / 4, max(n * 4 + 8, m) / 4);
    }

    void selections()
    {
        check(select(x < y, z, z), z);
        check(select(x < y, z, z + 1), select(x < y, z, z + 1));
        check(select(i < 8, x, y), x);
        check(ifThenElse(i < 4, i % 4, 5), ifThenElse(i < 4, i, 5));
        check(select(n < 4, n, n), n);
        check(select(i < 4, i % 4, i), i);
        check(select(i < 9, n, m), n);
        check(select(i > 8, n, m), m);
        check(select(n < m, n - m, 0), select(n < m, n - m, 0));
        check(select(n < 4, select(n < 8, 1, 2), 3), select(n < 4, 1, 3));
        check(select(n < 4, select(n < 4, 1, 2), 3), select(n < 4, 1, 3));
        check(select(n < 4, 1, select(n < 4, 2, 3)), select(n < 4, 1, 3));
        check(select(n < 4, 1, select(n >= 4, 2, 3)), select(n < 4, 1, 2));
        check(ifThenElse(x < 4, min(x, 4), 5), ifThenElse(x < 4, x, 5));
        check(select(x < 4, min(x, 4), max(x, 3)), x);
    }

    void truncatingDivisions()
    {
        check(truncDiv(i * 8 + j, 8), i);
        check(truncMod(i * 8 + j, 8), j);
        check(truncDiv(x, 4), truncDiv(x, 4));
        check(truncDiv(x * 4, 4), x);
        check(truncDiv(l, 10), truncDiv(l, 10));
        check(truncMod(l, 10), truncMod(l, 10));
        check(truncDiv(l * 10 + i, 10), l);
        check(truncMod(l * 10 + i, 10), i);
        check(truncDiv(truncDiv(l, 10), 10), truncDiv(l, 100));
        check(truncDiv(n * 4, 4), n);
        check(truncMod(n * 4, 4), 0);
        check(truncDiv(n, m), truncDiv(n, m));
        check(truncMod(n, 1), 0);
        check(truncDiv(0 - n * 4, 4), 0 - n);
    }
};

QTEST_GUILESS_MAIN(SimplifyChoicesTest)
#include "choices_test.moc"
