// SPDX-License-Identifier: Apache-2.0
/// Normal forms of sums, products, quotients and remainders.
#include "tests/core/arith/index_algebra.h"

#include "core/arith/same_expr.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::arith::testing;

namespace {

// x, y, z, w, n, m are any integers; i is in [0, 8), j in [0, 4), k in [0, 16), l in [0, 1000).
const Var x("x"), y("y"), z("z"), w("w"), n("n"), m("m"), i("i"), j("j"), k("k"), l("l");

} // namespace

class SimplifyQuotientsTest : public QObject {
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

    void sums()
    {
        check(x + y * 3 + x, y * 3 + x * 2);
        check(2 * x, x * 2);
        check(x * 2 + 3 + y + 4, x * 2 + y + 7);
        check((x + 1) * 4, x * 4 + 4);
        check((x + y) * 4, x * 4 + y * 4);
        check((x + i) * 4 - y, x * 4 + i * 4 - y);
        check(x * y + x * z, (y + z) * x);
        check(x * y + x, (y + 1) * x);
        check(x * y - x, (y - 1) * x);
        check((x + 1) * y - y, x * y);
        check(x * y + y * x, x * y * 2);
        check(x - y, x - y);
        check(0 - x, 0 - x);
        check(5 - x - y, 5 - x - y);
        check(5 - x + y, y + 5 - x);
        check(x - 5, x - 5);
        check(-5 - x, 0 - x - 5);
        check(0 - (x - y), y - x);
        check(1 - x * 2, 1 - x * 2);
        check((z - x) * -3, x * 3 - z * 3);
        check(3 * (z - x), z * 3 - x * 3);
        check(x * -1, x * -1);
        check(x * n * 4, x * n * 4);
        check(n * 4 * x, n * x * 4);
        check((x * n + y) * 4, x * n * 4 + y * 4);
        check(x * n + n * y * 2, n * y * 2 + x * n);
        check(7 - i, 7 - i);
        check(15 - k * 1, 15 - k);
        check(i * 128 + j * 32 + k * 2 + 1, i * 128 + j * 32 + k * 2 + 1);
        check((i * 4 + j) * 16 + k, i * 64 + j * 16 + k);
        check(n * m - m * n, 0);
        check(n * m + n * m, n * m * 2);
        check(n * (m + 1) - n, m * n);
        check((n + 1) * (m + 1), (n + 1) * (m + 1));
        check((n + m) * 4 - n * 4, m * 4);
    }

    void quotients()
    {
        check((x + 9) / 8, (x + 9) / 8);
        check((x - 3) / 8, (x - 3) / 8);
        check(x / 4 / 2, x / 8);
        check(x - x / 4 * 4, x % 4);
        check((x * 6 + j) / 4, (x * 6 + j) / 4);
        check((x * 6 + i) / 4, (x * 6 + i) / 4);
        check((x * 8 + i) / 4, x * 2 + i / 4);
        check((x * 8 + i + 5) / 8, (i + 5) / 8 + x);
        check((x * 8 + y + 5) / 8, (y + 5) / 8 + x);
        check((i + 8) / 8, 1);
        check(x * y / y, x);
        check((x * y + z) / y, (x * y + z) / y);
        check((x + n - 1) / n, (x + n - 1) / n);
        check((x + 7) / 8 * 8, (x + 7) / 8 * 8);
        check((n + 3) / 4 * 4 - n, 3 - (n + 3) % 4);
        check((i * 4 + j) / 16, i / 4);
        check((i * 4 + j) / 3, (i * 4 + j) / 3);
        check((k * 512 + l) / 512, l / 512 + k);
        check((k * 1024 + l) / 1024, k);
        check((x + y) / 2 - x / 2, (x + y) / 2 - x / 2);
        check((x + 4) / 2 - x / 2, 2);
        check(x / -2, x / -2);
        check(x * n * m / m, x * n);
        check(x * n / (n * 4), x / 4);
        check(x / 4 / n, x / 4 / n);
        check((n + 31) / 32 * 32 - n, 31 - (n + 31) % 32);
        check((l * 3 + j) / 3, j / 3 + l);
        check((l + 1) / 1000, (l + 1) / 1000);
        check(l / 7, l / 7);
        check((l * 7 + i) / 7, i / 7 + l);
        check((l * 14 + i) / 7, l * 2 + i / 7);
        check(l * 4 / 6, l * 4 / 6);
        check((l * 4 + j) / 6, (l * 4 + j) / 6);
        check((l * 12 + i) / 18, (l * 12 + i) / 18);
        check((l * 4 + j * 2) / 6, (l * 4 + j * 2) / 6);
        check((l * 4 + 2) / 6, (l * 4 + 2) / 6);
        check((x * 4 + 2) / 8, x / 2);
        check((x * 4 + 6) / 8, (x * 4 + 6) / 8);
        check((x * 4 + 10) / 8, x / 2 + 1);
        check((x * 4 + 3) / 8, x / 2);
        check((x * 8 + y * 4) / 8, y / 2 + x);
        check((x * 8 + y * 4 + 3) / 8, y / 2 + x);
        check((x * 8 + y * 4 + 2) / 4, x * 2 + y);
        check((x * 8 + y * 4 + z) / 4, x * 2 + z / 4 + y);
        check((x * 8 - y * 4 + z) / 4, x * 2 + z / 4 - y);
        check((z - x * 8) / 4, z / 4 - x * 2);
        check((0 - x) / 4, (0 - x) / 4);
        check((3 - x) / 4, (3 - x) / 4);
        check((7 - i) / 8, 0);
        check((15 - k) / 4, (15 - k) / 4);
        check((i - 4) / 4, i / 4 - 1);
        check(x / 4 * 4 + z - x, x / 4 * 4 + z - x);
        check(x + z - x / 4 * 4, x + z - x / 4 * 4);
        check(x * 3 - x / 4 * 12, x % 4 * 3);
        check(x / 2 * 2 - x / 4 * 4, x / 2 * 2 - x / 4 * 4);
        check(x / 2 - x / 4 * 2, x / 2 - x / 4 * 2);
        check((x + 1) / 4 * 4 - x, 1 - (x + 1) % 4);
        check(x / 4 * 4 - 4, x / 4 * 4 - 4);
        check((x / 4 * 4 - 4) / 4, x / 4 - 1);
        check((x / 4 + 3) * 4, x / 4 * 4 + 12);
        check((x / 4 + 3) / 2, (x + 12) / 8);
        check(((i * 4 + j) * 16 + k) / 16, i * 4 + j);
        check(((i * 4 + j) * 16 + k) / 64, i);
        check(((i * 4 + j) * 16 + k) / 4, i * 16 + j * 4 + k / 4);
        check((k * 8 + i) / 128, 0);
        check((k * 8 + i + 128) / 128, 1);
        check((k * 8 + i - 128) / 128, -1);
        check((k * 8 + i - 1) / 8, (i - 1) / 8 + k);
        check((k * 8 + i + 1) / 8, (i + 1) / 8 + k);
        check(l / 250, l / 250);
        check(l / 50 / 5, l / 250);
        check(n / 4 * 4 - n, 0 - n % 4);
        check(n - n / 4 * 4, n % 4);
        check((n * 4 + j) / 4, n);
        check((n * 4 + k) / 4, k / 4 + n);
        check((n * 16 + k) / 4, n * 4 + k / 4);
        check((n * 16 + k) / 32, n / 2);
        check((n + 4) / 4 - n / 4, 1);
        check((n + 7) / 4 - n / 4, (n % 4 + 7) / 4);
        check(n * 4 / 4, n);
        check(n * 6 / 4, n * 6 / 4);
        check(n * 6 / 3, n * 2);
        check(n * m / m, n);
        check((n * m + i) / m, (n * m + i) / m);
    }

    void remainders()
    {
        check((x + 9) % 8, (x + 1) % 8);
        check((x - 3) % 8, (x + 5) % 8);
        check(x % 8 % 4, x % 4);
        check(x % 8 % 3, x % 8 % 3);
        check((x * 8 + i) % 16, x % 2 * 8 + i);
        check((x * 8 + y + 5) % 8, (y + 5) % 8);
        check((i + 8) % 8, i);
        check((i + 9) % 16, (i + 9) % 16);
        check((i + 20) % 16, i + 4);
        check((i - 8) % 8, i);
        check((i + 8) % 16, i + 8);
        check((x * n + i) % n, (x * n + i) % n);
        check((i * 4 + j) % 16, i % 4 * 4 + j);
        check((i * 4 + j) % 3, (i + j) % 3);
        check((k * 1024 + l) % 1024, l);
        check(x % -4, x % -4);
        check(x * 5 % 3, x * 2 % 3);
        check(x * 7 % 4, x * 3 % 4);
        check((x * 7 + y) % 4, (x * 3 + y) % 4);
        check((5 * x + 1) % 5, 1);
        check((i * n + j * 2) % n, (j * 2 + i * n) % n);
        check(i % 4 * 2 + j, i % 4 * 2 + j);
        check((l * 3 + j) % 3, j % 3);
        check((x * 4 + 2) % 8, x % 2 * 4 + 2);
        check((x * 4 + 3) % 8, x % 2 * 4 + 3);
        check((x * 4 + 13) % 8, (x * 4 + 5) % 8);
        check((x * 8 + y * 4) % 8, y % 2 * 4);
        check((x * 8 + y * 4 + 2) % 4, 2);
        check((z - x * 8) % 4, z % 4);
        check((0 - x) % 4, x % -4 * -1);
        check((3 - x) % 4, (3 - x) % 4);
        check((7 - i) % 8, 7 - i);
        check((15 - k) % 4, (3 - k) % 4);
        check((i - j) % 8, (i - j) % 8);
        check((i - j + 8) % 8, (i - j) % 8);
        check((i - 4) % 4, i % 4);
        check((i * 16 + k) % 32, i % 2 * 16 + k);
        check(x % 4 * 8 + y % 4 * 2 + x % 4, x % 4 * 9 + y % 4 * 2);
        check(x % 2 + x % 4, x % 4 + x % 2);
        check(x % 8 - x % 4, x % 8 - x % 4);
        check(((i * 4 + j) * 16 + k) % 16, k);
        check(((i * 4 + j) * 16 + k) % 64, j * 16 + k);
        check((k * 8 + i) % 128, k * 8 + i);
        check((k * 8 + i) % 127, (k * 8 + i) % 127);
        check((k * 8 + i + 1) % 8, (i + 1) % 8);
        check(l % 250 % 50, l % 50);
        check(l % 50 % 250, l % 50);
        check(l + l % 10, l + l % 10);
        check(l - l % 10 * 2, l - l % 10 * 2);
        check((n * 4 + j) % 4, j);
        check((n * 4 + k) % 4, k % 4);
        check((n * 16 + k) % 32, n % 2 * 16 + k);
        check((n + 8) % 4, n % 4);
        check(n * 4 % 4, 0);
        check(n * 6 % 4, n % 2 * 2);
    }

    void quotientsWithRests()
    {
        check(x % 8 / 4, x % 8 / 4);
        check(x / 4 % 2, x % 8 / 4);
        check(x / 4 * 4 + x % 4, x);
        check(x / 4 * 8 + x % 4 * 2, x * 2);
        check(x / 2 + x % 2, (x + 1) / 2);
        check((i * 4 + j) / 4 % 2, i % 2);
        check((i * 4 + j) % 8 / 4, i % 2);
        check((i * 4 + j) / 8 * 8 + (i * 4 + j) % 8, i * 4 + j);
        check(i / 4 * 4 + i % 4, i);
        check(l / 10 % 10, l % 100 / 10);
        check(l / 10 * 10 + l % 10, l);
        check(l / 100 * 100 + l % 100 / 10 * 10 + l % 10, l);
        check(x / 6 * 3 + x % 6 / 2, x / 2);
        check(x % 6 / 2 + x / 6 * 3, x / 2);
        check(x / n * n + x % n, x);
        check(i / 2 * 8 + i % 2 * 4 + j, i * 4 + j);
        check((i / 2 * 8 + i % 2 * 4 + j) / 4, i);
        check((i / 2 * 8 + i % 2 * 4 + j) % 8, i % 2 * 4 + j);
        check((i / 2 * 8 + i % 2 * 4 + j) / 8, i / 2);
        check((i / 2 * 2 + i % 2) * 4 + j, i * 4 + j);
        check((k / 4 * 16 + j * 4 + k % 4) / 4, k / 4 * 4 + j);
        check((k / 4 * 16 + j * 4 + k % 4) / 16, k / 4);
        check((k / 4 * 16 + j * 4 + k % 4) % 16, j * 4 + k % 4);
        check((k / 4 * 16 + j * 4 + k % 4) % 4, k % 4);
        check(l / 32 * 32 + l % 32, l);
        check(l % 7 / 7, 0);
        check((i * 16 + k) / 8 * 8 + (i * 16 + k) % 8, i * 16 + k);
        check((i * 16 + k) / 8 * 2 + (i * 16 + k) % 8 / 4, i * 4 + k / 4);
        check((i * 16 + k) % 8 / 4, k % 8 / 4);
        check((i * 16 + k) % 32 / 4, i % 2 * 4 + k / 4);
        check((i * 16 + k) / 32 * 32 + (i * 16 + k) % 32, i * 16 + k);
        check((i * 16 + k) / 5 * 5 + (i * 16 + k) % 5, i * 16 + k);
        check(x % 8 - x % 8 / 4 * 4, x % 4);
        check(x % 8 / 2 * 2 + x % 2, x % 8);
        check((x + y) % 4 + (x + y) / 4 * 4, x + y);
        check((x + 1) / 4 * 4 + (x + 1) % 4, x + 1);
        check((x + 1) / 4 * 4 + (x + 1) % 4 - x, 1);
        check((x + 1) % 4 + (x + 1) / 4 * 4 + z, x + z + 1);
        check(x / 4 * 2 + x % 4 / 2, x / 2);
        check(((i * 4 + j) * 16 + k) / 64 * 64 + ((i * 4 + j) * 16 + k) % 64, i * 64 + j * 16 + k);
        check(((i * 4 + j) * 16 + k) % 64 / 16, j);
        check(((i * 4 + j) * 16 + k) / 16 % 4, j);
        check((i * 4 + j) / 2 * 2 + j % 2, i * 4 + j);
        check((k * 8 + i) / 4 * 4 + (k * 8 + i) % 4, k * 8 + i);
        check(l / 250 * 250 + l % 250, l);
        check(l % 250 / 50, l % 250 / 50);
        check(l / 50 % 5, l % 250 / 50);
        check(l / 50 % 5 * 50 + l % 50, l % 250);
        check(l / 250 * 250 + l / 50 % 5 * 50 + l % 50, l);
        check((l - l % 10) / 10, l / 10);
        check(n / 4 * 4 + n % 4 - n, 0);
        check(n % 4 + n / 4 * 4 + 3, n + 3);
        check(n % 8 + n / 8 * 8 - n / 4 * 4, n % 4);
    }
};

QTEST_GUILESS_MAIN(SimplifyQuotientsTest)
#include "quotients_test.moc"
