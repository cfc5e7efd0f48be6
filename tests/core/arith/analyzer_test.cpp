// SPDX-License-Identifier: Apache-2.0
/// Bounds, remainders, assumptions, vectors, casts, and the ends of the integer types.
#include "tests/core/arith/index_algebra.h"

#include "core/arith/same_expr.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::arith::testing;
using arith::Analyzer;
using arith::ConstIntBound;
using arith::ModularSet;
using ir::Range;

namespace {

const Var x("x"), y("y"), n("n"), m("m"), i("i"), j("j"), wide("wide", ir::DataType::int64());

Expr likely(const Expr &condition) { return ir::call(ir::DataType::boolean(), "likely", {condition}); }

Analyzer bound()
{
    Analyzer analyzer;
    analyzer.bind(i, Range{0, 8});
    analyzer.bind(j, Range{0, 4});
    return analyzer;
}

QString boundOf(const Expr &e)
{
    Analyzer analyzer = bound();
    const ConstIntBound b = analyzer.constBound(e);
    return (b.hasLower() ? QString::number(b.min) : "-inf") + " .. "
           + (b.hasUpper() ? QString::number(b.max) : "inf");
}

QString modularSetOf(const Expr &e)
{
    Analyzer analyzer = bound();
    const ModularSet set = analyzer.modularSet(e);
    return QString::number(set.coeff) + "n+" + QString::number(set.base);
}

} // namespace

class AnalyzerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bounds()
    {
        QCOMPARE(boundOf(i), "0 .. 7");
        QCOMPARE(boundOf(x), "-2147483648 .. 2147483647");
        QCOMPARE(boundOf(wide), "-inf .. inf");
        QCOMPARE(boundOf(i * 4 + j), "0 .. 31");
        QCOMPARE(boundOf(3 - i), "-4 .. 3");
        QCOMPARE(boundOf(i * -2), "-14 .. 0");
        QCOMPARE(boundOf((i - 4) * (j - 2)), "-6 .. 8");
        QCOMPARE(boundOf(i / 3), "0 .. 2");
        QCOMPARE(boundOf((i - 4) / 3), "-2 .. 1");
        QCOMPARE(boundOf(i / (j + 1)), "0 .. 7");
        QCOMPARE(boundOf(i / (j - 1)), "-7 .. 7");
        QCOMPARE(boundOf(x % 4), "0 .. 3");
        QCOMPARE(boundOf(x % -4), "-3 .. 0");
        QCOMPARE(boundOf(x * 4 % 8), "0 .. 4");
        QCOMPARE(boundOf((x * 4 + 2) % 8), "2 .. 6");
        QCOMPARE(boundOf(x % (j + 1)), "0 .. 3");
        QCOMPARE(boundOf((i + 8) % 16), "8 .. 15");
        QCOMPARE(boundOf(ir::truncDiv(i - 4, 3)), "-1 .. 1");
        QCOMPARE(boundOf(ir::truncMod(x, 4)), "-3 .. 3");
        QCOMPARE(boundOf(ir::min(x, i)), "-2147483648 .. 7");
        QCOMPARE(boundOf(ir::max(j, i)), "0 .. 7");
        QCOMPARE(boundOf(ir::select(x < y, i, 20)), "0 .. 20");
        QCOMPARE(boundOf(x < y), "0 .. 1");
        QCOMPARE(boundOf(ir::cast(ir::DataType::int64(), i)), "0 .. 7");
        QCOMPARE(boundOf(ir::cast(ir::DataType::uint(8), x)), "0 .. 255");
        // Narrow and unsigned types wrap around.
        QCOMPARE(boundOf(ir::cast(ir::DataType::uint(8), i)), "0 .. 7");
        QCOMPARE(boundOf(ir::cast(ir::DataType::uint(8), i + 250)), "0 .. 255");
        QCOMPARE(boundOf(ir::cast(ir::DataType::uint(32), i - 4)), "0 .. 4294967295");
        QCOMPARE(boundOf(ir::cast(ir::DataType::int_(8), i) + ir::intImm(125, ir::DataType::int_(8))),
                 "-128 .. 127");
        QCOMPARE(boundOf(ir::ramp(i, 2, 4)), "0 .. 13");
        QCOMPARE(boundOf(wide * wide + 1), "-inf .. inf");
    }

    void remainders()
    {
        QCOMPARE(modularSetOf(x), "1n+0");
        QCOMPARE(modularSetOf(x * 4 + 2), "4n+2");
        QCOMPARE(modularSetOf(x * 4 - y * 6), "2n+0");
        QCOMPARE(modularSetOf(x * 4 - 1), "4n+3");
        QCOMPARE(modularSetOf((x * 8 + 4) / 4), "2n+1");
        QCOMPARE(modularSetOf((x * 8 + 3) % 4), "4n+3");
        QCOMPARE(modularSetOf((x * 6 + 2) % 4), "2n+0");
        QCOMPARE(modularSetOf(ir::min(x * 4, y * 6 + 2)), "2n+0");
        QCOMPARE(modularSetOf((x * 2 + 1) * (y * 2 + 1)), "2n+1");
        QCOMPARE(modularSetOf(ir::let(i, x * 12 + 1, i + 4)), "12n+5");
        QCOMPARE(arith::intersect(ModularSet{4, 1}, ModularSet{6, 3}), (ModularSet{12, 9}));
        QCOMPARE(arith::intersect(ModularSet{4, 1}, ModularSet{3, 2}), (ModularSet{12, 5}));
        QCOMPARE(arith::hull(ModularSet{4, 1}, ModularSet{6, 3}), (ModularSet{2, 1}));
    }

    void symbolicRanges()
    {
        Analyzer analyzer;
        analyzer.bind(n, ConstIntBound{1, ConstIntBound::posInf});
        analyzer.bind(x, Range{0, n});
        analyzer.bind(y, Range{n, m});
        QVERIFY(analyzer.canProve(x < n));
        QVERIFY(analyzer.canProve(x <= n - 1));
        QVERIFY(analyzer.canProve(x * 4 + 3 < n * 4));
        QVERIFY(!analyzer.canProve(x * 4 + 4 < n * 4));
        QVERIFY(analyzer.canProve(y >= n && y < n + m));
        // Facts about symbols decide comparisons, but change no quotients.
        QCOMPARE(show(analyzer.simplify(x < n)), "True");
        QCOMPARE(show(analyzer.simplify(x % n)), "(x % n)");
        // A new range replaces the old one.
        analyzer.bind(x, Range{0, m});
        QVERIFY(!analyzer.canProve(x < n));
        QVERIFY(analyzer.canProve(x < m));
    }

    void differencesCompareTheirSides()
    {
        Analyzer analyzer;
        analyzer.bind(x, Range{0, n});
        QCOMPARE(show(analyzer.simplify(x - n < 0)), "True");
        QCOMPARE(show(analyzer.simplify(x + 2 - n < 2)), "True");
        QCOMPARE(show(analyzer.simplify(x - n >= 0)), "False");
        QVERIFY(!analyzer.canProve(x - n < -1));
        QVERIFY(!analyzer.canProve(n - x < 1));
        {
            const arith::Assumption apart = analyzer.assume(y - x >= 3);
            QVERIFY(analyzer.canProve(y > x + 2));
            QVERIFY(!analyzer.canProve(y > x + 3));
        }
        QVERIFY(!analyzer.canProve(y > x));
    }

    void valuesReplaceVariables()
    {
        Analyzer analyzer;
        analyzer.bind(x, y * 4 + 1);
        QCOMPARE(show(analyzer.simplify(x % 4)), "1");
        QCOMPARE(show(analyzer.simplify(x + 1)), "((y * 4) + 2)");
        analyzer.bind(y, Range{3, 1});
        QCOMPARE(show(analyzer.simplify(x)), "13");
        QVERIFY(analyzer.canProveEqual(x, 13));
    }

    void aLetEndsWithItsBody()
    {
        Analyzer analyzer;
        const Expr scoped = ir::let(x, 3, x * 2 + 1);
        QCOMPARE(show(analyzer.simplify(scoped)), "7");
        QCOMPARE(show(analyzer.simplify(scoped + x)), "(x + 7)");
        QCOMPARE(show(analyzer.simplify(x * 2)), "(x * 2)");
        QCOMPARE(show(analyzer.simplify(ir::let(x, y, x + 1) + ir::let(x, y * 0, x + 1))), "(y + 2)");
    }

    void assumptionsHoldForATime()
    {
        Analyzer analyzer;
        {
            const auto outer = analyzer.assume(x < 10 && x >= 2);
            QCOMPARE(analyzer.constBound(x), (ConstIntBound{2, 9}));
            QVERIFY(analyzer.canProve(x < 10));
            {
                const auto inner = analyzer.assume(ir::eq(x % 4, 0));
                QCOMPARE(show(analyzer.simplify((x + 3) % 4)), "3");
                QVERIFY(analyzer.canProve(ir::ne(x, 5)));
            }
            QVERIFY(!analyzer.canProve(ir::ne(x, 5)));
        }
        QVERIFY(!analyzer.canProve(x < 10));
        {
            const auto scope = analyzer.assume(x + y < n);
            QVERIFY(analyzer.canProve(y + x < n + 1));
            QVERIFY(analyzer.canProve(x < n - y));
            QVERIFY(analyzer.canProve(!(x + y >= n)));
            QVERIFY(!analyzer.canProve(x < n));
            QVERIFY(analyzer.canProve(likely(x < n - y)));
            QVERIFY(analyzer.canProve(likely(x < n - y && likely(y < n - x))));
            QVERIFY(!analyzer.canProve(likely(x < n - y && x < n)));
        }
        {
            const auto scope = analyzer.assume(!likely(x >= 8 || y >= 4));
            QVERIFY(analyzer.canProve(x < 8 && y < 4));
            QVERIFY(analyzer.constBound(x).max == 7 && analyzer.constBound(y).max == 3);
        }
        {
            const auto scope = analyzer.assume(!(x * 4 + y < 12) && ir::eq(n, m + 2));
            QVERIFY(analyzer.canProve(x * 4 + y >= 12));
            QVERIFY(analyzer.canProve(x * 4 + y > 11));
            QVERIFY(analyzer.canProve(n > m));
            QCOMPARE(show(analyzer.simplify(ir::ne(n, m))), "True");
        }
        const auto scope = analyzer.assume(likely(x < 3));
        QVERIFY(analyzer.canProve(x < 3));
    }

    void conditionsReachTheirArms()
    {
        const auto ifThenElse = [](const Expr &c, const Expr &a, const Expr &b) {
            return ir::call(a.dtype(), "if_then_else", {c, a, b});
        };
        QCOMPARE(show(arith::simplify(ifThenElse(x < 4, ir::min(x, 4), ir::max(x, 3)))),
                 "if_then_else((x < 4), x, max(x, 3))");
        QCOMPARE(show(arith::simplify(ifThenElse(x < 4, ir::select(x < 8, x, y), 0))),
                 "if_then_else((x < 4), x, 0)");
        QCOMPARE(show(arith::simplify(ifThenElse(x < 4 && y < 4, ir::select(y < 4, x, y), 0))),
                 "if_then_else(((x < 4) and (y < 4)), x, 0)");
        // The element may be another number by then.
        const Expr reads = ir::lt(ir::load(ir::Buffer("A", {8}), {x}), ir::floatImm(0));
        const Expr twice = ifThenElse(reads, ir::select(reads, x, y), 0);
        QCOMPARE(show(arith::simplify(twice)), show(twice));
    }

    void vectors()
    {
        Analyzer analyzer = bound();
        const auto check = [&](const Expr &from, const char *to) {
            QCOMPARE(show(analyzer.simplify(from)), to);
        };
        const Expr lanes = ir::ramp(x * 4, 1, 4);
        check(lanes + ir::broadcast(y, 4), "ramp(((x * 4) + y), 1, 4)");
        check(ir::broadcast(y, 4) - lanes, "ramp((y - (x * 4)), -1, 4)");
        check(lanes - lanes, "broadcast(0, 4)");
        check(lanes * 2, "ramp((x * 8), 2, 4)");
        check(lanes / 4, "broadcast(x, 4)");
        check(lanes % 4, "ramp(0, 1, 4)");
        check(lanes / 8, "broadcast((x // 2), 4)");
        check(ir::ramp(x, 4, 4) / 4, "ramp((x // 4), 1, 4)");
        check(ir::ramp(x, 4, 4) % 4, "broadcast((x % 4), 4)");
        check(ir::ramp(x * 12 + 4, 1, 4) % 8, "ramp((((x * 4) + 4) % 8), 1, 4)");
        check(ir::ramp(x * 12 + 5, 1, 4) / 8, "(ramp(((x * 12) + 5), 1, 4) // broadcast(8, 4))");
        check(ir::ramp(x * 12 + 4, 1, 4) / 8, "broadcast((((x * 12) + 4) // 8), 4)");
        check(ir::ramp(x, 1, 4) / 4, "(ramp(x, 1, 4) // broadcast(4, 4))");
        check(ir::broadcast(x, 4) + ir::broadcast(1, 4), "broadcast((x + 1), 4)");
        check(ir::ramp(i, 1, 4) < ir::ramp(j + 8, 1, 4), "broadcast(True, 4)");
        check(ir::truncDiv(ir::ramp(i * 8 + 4, 1, 4), 8), "broadcast(i, 4)");
        check(ir::truncMod(ir::ramp(i * 8 + 4, 1, 4), 8), "ramp(4, 1, 4)");
        // Truncated quotients by -8 step from 7 to 8, not from 8 to 9 as floored ones.
        check(ir::truncDiv(ir::ramp(i * 8 + 5, 1, 4), -8),
              "truncdiv(ramp(((i * 8) + 5), 1, 4), broadcast(-8, 4))");
        check(ir::truncMod(ir::ramp(i * 8 + 5, 1, 4), -8),
              "truncmod(ramp(((i * 8) + 5), 1, 4), broadcast(-8, 4))");
        check(ir::broadcast(x, 4) < ir::broadcast(x, 4), "broadcast(False, 4)");
        check(ir::ramp(x, 4, 4) - ir::ramp(y, 4, 4), "broadcast((x - y), 4)");
        const Expr small = ir::broadcast(x < i, 4), other = ir::broadcast(y < j, 4);
        check(ir::call(ir::DataType::boolean(4), "bitwise_and", {small, other}),
              "broadcast(((x < i) and (y < j)), 4)");
        check(ir::call(ir::DataType::boolean(4), "bitwise_or", {small, other}),
              "broadcast(((x < i) or (y < j)), 4)");
        check(ir::call(ir::DataType::boolean(4), "bitwise_and", {small, ir::broadcast(ir::boolImm(true), 4)}),
              "broadcast((x < i), 4)");
    }

    void casts()
    {
        const ir::DataType int64 = ir::DataType::int64();
        QCOMPARE(show(arith::simplify(ir::cast(int64, x * 4 + 3))), "((int64(x) * 4) + 3)");
        QCOMPARE(show(arith::simplify(ir::cast(int64, x) * 4 - ir::cast(int64, x * 4))), "0");
        QCOMPARE(show(arith::simplify(ir::cast(ir::DataType::int32(), wide * 4 + 1))),
                 "int32(((wide * 4) + 1))");
    }

    /// Constants near the ends of the types neither wrap nor crash.
    void extremes()
    {
        constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
        constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
        const ir::DataType int64 = ir::DataType::int64();
        const Expr low = ir::intImm(least, int64), high = ir::intImm(greatest, int64);
        for (const Expr &end : {low, high, ir::intImm(least + 1, int64)}) {
            for (int op = 0; op <= static_cast<int>(ir::BinaryOp::GE); ++op) {
                for (const Expr &left :
                     {Expr(wide), wide + end, wide * end, end - wide, ir::min(wide, end)}) {
                    const auto kind = static_cast<ir::BinaryOp>(op);
                    for (const Expr &e : {ir::binary(kind, left, end), ir::binary(kind, end, left)}) {
                        QVERIFY(arith::simplify(e).get() != nullptr);
                        const ConstIntBound b = Analyzer().constBound(e);
                        QVERIFY(b.min <= b.max);
                    }
                }
            }
        }
        const Expr big = ir::intImm(2000000000);
        QCOMPARE(show(arith::simplify(x * 100000 * 100000)), show(x * 100000 * 100000));
        QCOMPARE(show(arith::simplify((x + big) + big)), show((x + big) + big));
        QCOMPARE(arith::satAdd(greatest, least), greatest);
        QCOMPARE(arith::satMul(ConstIntBound::negInf, -2), greatest);
        QCOMPARE(arith::satMul(1LL << 40, 1LL << 40), greatest);
    }

    void divisionByZeroIsLeftAlone()
    {
        for (const Expr &e : {x / 0, x % 0, Expr(4) / 0, ir::truncDiv(x, 0), ir::truncMod(Expr(5), 0),
                              x / (i - i), (x * 4) / (y - y)})
            QVERIFY(arith::simplify(e).as<ir::Binary>() != nullptr);
    }

    void simpleExpressionsKeepTheirIdentity()
    {
        Analyzer analyzer = bound();
        const Expr e = i * 32 + j;
        QVERIFY(analyzer.simplify(e).same(e));
        const Expr condition = i * 32 + j < n;
        QVERIFY(analyzer.simplify(condition).same(condition));
        const ir::Buffer buffer("A", {128, 128});
        const Expr load = ir::load(buffer, {i, e});
        QVERIFY(analyzer.simplify(load).same(load));
        QCOMPARE(show(analyzer.simplify(ir::load(buffer, {i + 0 * j, j + i * 32}))
                          .as<ir::BufferLoad>()
                          ->indices[1]),
                 "((i * 32) + j)");
    }

    void floatsAndUnsignedAreOnlyFolded()
    {
        const Var f("f", ir::DataType::float32()), g("g", ir::DataType::float32()),
            u("u", ir::DataType::uint(32));
        for (const Expr &kept :
             {f - f, f + g - g, f * ir::floatImm(0), ir::truncDiv(ir::floatImm(0), f), // NaN
              f + ir::floatImm(0),                                                     // -0.0
              ir::eq(f, f), ir::logicalNot(ir::lt(f, g)), ir::le(f, g),
              ir::logicalOr(ir::le(f, g), ir::lt(g, f)), ir::logicalOr(ir::lt(f, g), ir::lt(g, f))})
            QCOMPARE(show(arith::simplify(kept)), show(kept));
        QCOMPARE(show(arith::simplify(f - ir::floatImm(0))), "f");
        QCOMPARE(show(arith::simplify(truncDiv(f * ir::floatImm(1), ir::floatImm(1)))), "f");
        QCOMPARE(show(arith::simplify(ir::logicalNot(ir::eq(f, g)))), show(ir::ne(f, g)));
        QVERIFY(arith::simplify(f - f).dtype() == ir::DataType::float32());
        QCOMPARE(show(arith::simplify(u - 1 < u)), "((u - 1) < u)");
        QVERIFY(!Analyzer().canProve(u - 1 < u));
    }
};

QTEST_GUILESS_MAIN(AnalyzerTest)
#include "analyzer_test.moc"
