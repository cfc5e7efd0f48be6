// SPDX-License-Identifier: Apache-2.0
#include "tests/core/arith/index_algebra.h"

#include "core/arith/iter_map/iter_map.h"
#include "core/ir/build/substitute.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::arith::testing;
using arith::Analyzer;
using arith::Domains;
using arith::IterMapLevel;
using ir::Range;

namespace {

const Var x("x"), y("y"), z("z"), n("n"), u("u");

Domains over(std::initializer_list<std::pair<Var, Expr>> extents)
{
    Domains domains;
    for (const auto &[var, extent] : extents)
        domains.push_back({var, Range{0, extent}});
    return domains;
}

/// One letter per level from the strictest: B bijective, S surjective, N no digits used twice; "" when not
/// even that.
QString levels(const std::vector<Expr> &bindings, const Domains &domains, const Expr &predicate = {})
{
    QString result;
    for (const auto &[letter, level] : {std::pair{'B', IterMapLevel::Bijective},
                                        {'S', IterMapLevel::Surjective},
                                        {'N', IterMapLevel::NoCheck}}) {
        Analyzer analyzer;
        if (arith::detectIterMap(bindings, domains, predicate, level, analyzer))
            result += letter;
    }
    return result;
}

QString simplified(const std::vector<Expr> &bindings, const Domains &domains, const Expr &predicate = {},
                   bool trivial = true)
{
    Analyzer analyzer;
    QString result;
    for (const Expr &e :
         arith::iterMapSimplify(bindings, domains, predicate, IterMapLevel::Surjective, analyzer, trivial))
        result += (result.isEmpty() ? "" : ", ") + QString::fromStdString(show(e));
    return result;
}

} // namespace

class IterMapTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void levelsReached()
    {
        const Domains tile = over({{x, 4}, {y, 32}}), line = over({{x, 32}});
        QCOMPARE(levels({x * 32 + y}, tile), "BSN");
        QCOMPARE(levels({x, y}, tile), "BSN");
        QCOMPARE(levels({y, x}, tile), "BSN");
        QCOMPARE(levels({x}, tile), "SN");
        QCOMPARE(levels({x, x}, tile), "");
        QCOMPARE(levels({x + 5}, line), "BSN");
        QCOMPARE(levels({x / 8, x % 8}, line), "BSN");
        QCOMPARE(levels({x / 8}, line), "SN");
        QCOMPARE(levels({x % 8}, line), "SN");
        QCOMPARE(levels({x / 5, x % 5}, over({{x, 12}})), "N");
        QCOMPARE(levels({x % 8, x % 4}, line), "");
        QCOMPARE(levels({x / 8, x % 8 / 4, x % 4}, line), "BSN");
        QCOMPARE(levels({x % 32 / 4, x % 4, x / 32}, over({{x, 128}})), "BSN");
        // Digits of a single value, wherever they stand.
        QCOMPARE(levels({x % 128 / 128, x % 128 / 4, x % 4 / 4, x % 4}, over({{x, 128}})), "BSN");
        QCOMPARE(levels({x % 4 / 4, x % 4 / 4, x / 4}, over({{x, 128}})), "SN");
        QCOMPARE(levels({(x * 8 + y) / 16, (x * 8 + y) % 16}, over({{x, 4}, {y, 8}})), "BSN");
        QCOMPARE(levels({x * 32 + y + 3}, tile), "BSN");
        QCOMPARE(levels({x * 2}, over({{x, 4}})), "BSN");
        // Sums that step over each other cover an interval, sums with gaps do not.
        QCOMPARE(levels({x + y}, over({{x, 4}, {y, 4}})), "SN");
        QCOMPARE(levels({x * 2 + y}, over({{x, 8}, {y, 3}})), "SN");
        QCOMPARE(levels({x * 8 + y}, over({{x, 4}, {y, 4}})), "");
        // Not affine.
        QCOMPARE(levels({x * y}, tile), "");
        QCOMPARE(levels({ir::min(x, 3)}, over({{x, 8}})), "");
        QCOMPARE(levels({x / y}, tile), "");
    }

    void symbolicExtents()
    {
        QCOMPARE(levels({x}, over({{x, n}})), "BSN");
        QCOMPARE(levels({x * n + y}, over({{x, 4}, {y, n}})), "BSN");
        QCOMPARE(levels({x / n, x % n}, over({{x, n * 4}})), "BSN");
        QCOMPARE(levels({x * 16 + y}, over({{x, (n + 15) / 16}, {y, 16}}), x * 16 + y < n), "BSN");
        QCOMPARE(levels({x + n}, over({{x, 16}})), "BSN");
    }

    void predicates()
    {
        const Domains tile = over({{x, 4}, {y, 32}});
        QCOMPARE(levels({x * 32 + y}, tile, x * 32 + y < 100), "BSN");
        QCOMPARE(levels({x, y}, tile, x * 32 + y < 100), "");
        QCOMPARE(levels({x * 32 + y, z}, over({{x, 4}, {y, 32}, {z, 3}}), x * 32 + y < 100), "BSN");
        QCOMPARE(levels({x + 1}, over({{x, 4}}), x + 1 < 4), "BSN");
        QCOMPARE(levels({x}, over({{x, 4}}), x >= 1 && x < 3), "BSN");
        QCOMPARE(levels({(x * 256 + y) / 7, (x * 256 + y) % 7}, over({{x, 1}, {y, 256}}), x * 256 + y < 49),
                 "BSN");
        const Domains twice = over({{x, 4}, {y, 7}, {z, 5}});
        QCOMPARE(levels({x * 32 + y * 5 + z}, twice, y * 5 + z < 32 && x * 32 + y * 5 + z < 100), "BSN");
        QCOMPARE(levels({x * 32 + y * 5 + z}, twice, y * 5 + z < 32), "BSN");
        QCOMPARE(levels({x * 32 + y * 5 + z}, twice), "SN");
        // Two bounds of different loops, whose last digits have one scale.
        const Domains apart = over({{x, 8}, {y, 4}, {z, 8}, {u, 8}});
        QCOMPARE(levels({x * 4 + y, z * 8 + u}, apart, x * 4 + y < 30 && z * 8 + u < 60), "BSN");
    }

    void extentsUnderPredicates()
    {
        Analyzer analyzer;
        const std::vector<Expr> bindings{x * 32 + y};
        const auto map = arith::detectIterMap(bindings, over({{x, 4}, {y, 32}}), x * 32 + y < 100,
                                              IterMapLevel::Bijective, analyzer);
        QVERIFY(map);
        QCOMPARE(show(map->indices[0].args[0].extent), "100");
        const std::vector<Expr> shifted{x};
        const auto part = arith::detectIterMap(shifted, over({{x, 10}}), x >= 2 && x < 7,
                                               IterMapLevel::Bijective, analyzer);
        QVERIFY(part);
        QCOMPARE(show(part->indices[0].args[0].extent), "5");
        QCOMPARE(show(part->indices[0].base), "2");
    }

    void normalForms()
    {
        QCOMPARE(simplified({x * 32 + y}, over({{x, 4}, {y, 32}})), "((x * 32) + y)");
        QCOMPARE(simplified({y + x * 32 + 3}, over({{x, 4}, {y, 32}})), "(((x * 32) + y) + 3)");
        QCOMPARE(simplified({x / 4 % 8, x % 4, x / 32}, over({{x, 128}})),
                 "((x % 32) // 4), (x % 4), (x // 32)");
        QCOMPARE(simplified({x / 8 * 8 + x % 8}, over({{x, 32}})), "x");
        QCOMPARE(simplified({x * 4 + y * 4 + z}, over({{x, 8}, {y, 1}, {z, 4}})), "((x * 4) + z)");
        QCOMPARE(simplified({x * 4 + y * 4 + z}, over({{x, 8}, {y, 1}, {z, 4}}), {}, false),
                 "(((x * 4) + (y * 4)) + z)");
        QCOMPARE(simplified({x * 4 + z}, over({{x, 1}, {z, 4}}), {}, false), "((x * 4) + z)");
        QCOMPARE(simplified({x * n + y}, over({{x, 4}, {y, n}})), "((x * n) + y)");
        QCOMPARE(simplified({(x * 8 + y) / 16, (x * 8 + y) % 16}, over({{x, 4}, {y, 8}})),
                 "(((x * 8) + y) // 16), (((x * 8) + y) % 16)");
        // Where a number took the place of a loop.
        const Expr unit = ir::substitute(u * (n * 8) + x, ir::VarMap<Expr>{{u, ir::intImm(0)}});
        QCOMPARE(simplified({unit}, over({{x, 4}})), "x");
        // A negative scale is a form too; expressions without one stay as they are.
        QCOMPARE(simplified({9 - x}, over({{x, 4}})), "((x * -1) + 9)");
        QCOMPARE(simplified({x * y + 0}, over({{x, 4}, {y, 4}})), "(x * y)");
        // Loops that do not start at 0.
        const Domains shifted{{x, Range{3, 16}}, {y, Range{1, 4}}};
        QCOMPARE(simplified({x + 1, y - 2}, shifted), "((x - 3) + 4), ((y - 1) + -1)");
    }

    void paddedIterators()
    {
        Analyzer analyzer;
        const auto extents = [&](const std::vector<Expr> &bindings, const Domains &domains) {
            const auto map = arith::detectIterMap(bindings, domains, {}, IterMapLevel::Surjective, analyzer);
            QString result;
            for (std::size_t i = 0; map && i < bindings.size(); ++i)
                result +=
                    QString::fromStdString(show(analyzer.simplify(map->indices[i].args[0].extent)) + " from "
                                           + show(analyzer.simplify(map->indices[i].base)) + ", ");
            return result;
        };
        const Domains line = over({{x, 22}});
        // Quotients by a number that does not divide the loop are rounded up; the remainder by it takes all
        // its values.
        QCOMPARE(extents({x / 8}, line), "3 from 0, ");
        QCOMPARE(extents({(x + 50) / 20}, line), "2 from 2, ");
        QCOMPARE(extents({x / 5 % 4, x % 5}, line), "4 from 0, 5 from 0, ");
        // Both together do not take all pairs of values, and a remainder of a short loop does not take all
        // its own.
        QCOMPARE(extents({x / 8, x % 8}, line), "");
        QCOMPARE(extents({x % 8}, over({{x, 5}})), "");
        const std::vector<Expr> split{x / 8, x % 8};
        const auto padded = arith::detectIterMap(split, line, {}, IterMapLevel::NoCheck, analyzer);
        QVERIFY(padded);
        for (std::int64_t i = 0; i < 24; ++i)
            QCOMPARE(valueOf(padded->paddingPredicate, {{x, i}}), std::int64_t{i >= 22});
    }

    void sumsByScale()
    {
        Analyzer analyzer;
        const auto text = [&](const Expr &e, const Domains &domains) {
            const arith::IterSum sum = arith::normalizeToIterSum(e, domains, analyzer);
            QString result;
            for (const arith::IterSplit &split : sum.args)
                result += QString::fromStdString(show(arith::toExpr(split))) + ", ";
            return result + QString::fromStdString(show(analyzer.simplify(sum.base)));
        };
        QCOMPARE(text(z + (x * 7 + y + 2) * n, over({{x, 3}, {y, 7}, {z, n}})),
                 "(x * (n * 7)), (y * n), z, (n * 2)");
        QCOMPARE(text(y * 3 + x / 2 * 8 + x % 2 * 4 + u, over({{x, 6}, {y, 4}})), "(x * 4), (y * 3), u");
    }

    void saysWhyNot()
    {
        Analyzer analyzer;
        const std::vector<Expr> bindings{x, x * y};
        const auto map =
            arith::detectIterMap(bindings, over({{x, 4}, {y, 4}}), {}, IterMapLevel::Bijective, analyzer);
        QVERIFY(!map);
        QCOMPARE(map.error().code, "arith.not-affine");
        QCOMPARE(map.error().message,
                 "binding 1 is not affine: it multiplies loop variables with each other");
    }
};

QTEST_GUILESS_MAIN(IterMapTest)
#include "iter_map_test.moc"
