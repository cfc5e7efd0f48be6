// SPDX-License-Identifier: Apache-2.0
#include "tests/core/arith/index_algebra.h"

#include "core/arith/iter_map/subspace.h"
#include "core/ir/build/walk.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::arith::testing;
using arith::Analyzer;
using arith::Domains;
using arith::IterMapLevel;
using arith::Subspaces;
using ir::Range;

namespace {

const Var a("a"), b("b"), c("c"), d("d"), n("n");

Domains over(std::initializer_list<std::pair<Var, int>> extents)
{
    Domains domains;
    for (const auto &[var, extent] : extents)
        domains.push_back({var, Range{0, extent}});
    return domains;
}

support::Result<Subspaces> divided(const std::vector<Expr> &bindings, const Domains &domains,
                                   const std::vector<Var> &inner, const Expr &predicate = {},
                                   bool trivial = true)
{
    Analyzer analyzer;
    return arith::subspaceDivide(bindings, domains, inner, predicate, IterMapLevel::Surjective, analyzer,
                                 trivial);
}

/// "outer | inner" per binding, then the predicates; "no" where it does not divide.
QString text(const std::vector<Expr> &bindings, const Domains &domains, const std::vector<Var> &inner,
             const Expr &predicate = {}, bool trivial = true)
{
    const auto result = divided(bindings, domains, inner, predicate, trivial);
    if (!result)
        return "no";
    QString text;
    for (const arith::DividedBinding &binding : result->bindings)
        text += QString::fromStdString(show(arith::toExpr(binding.outer.value)) + " | "
                                       + show(arith::toExpr(binding.inner.value)) + ", ");
    return text + QString::fromStdString(show(result->outerPredicate) + " | " + show(result->innerPredicate));
}

/// Calls `visit` with every point of `domains`.
void forEachPoint(const Domains &domains, const std::function<void(const ir::VarMap<std::int64_t> &)> &visit,
                  ir::VarMap<std::int64_t> point = {})
{
    if (point.size() == domains.size())
        return visit(point);
    const arith::VarRange &domain = domains[point.size()];
    for (std::int64_t i = 0; i < *ir::asInt(domain.range.extent); ++i) {
        point[domain.var] = i;
        forEachPoint(domains, visit, point);
    }
}

/// binding = outer * extent + inner at every point that fulfils the predicate, which the two predicates
/// together say, and no side uses loops of the other.
bool isDivision(const std::vector<Expr> &bindings, const Domains &domains, const std::vector<Var> &inner,
                const Expr &predicate)
{
    const auto result = divided(bindings, domains, inner, predicate);
    if (!result)
        return false;
    const ir::VarSet within(inner.begin(), inner.end());
    const Expr condition = result->outerPredicate && result->innerPredicate;
    bool holds = true;
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        const auto &[outer, innerPart] = result->bindings[i];
        const Expr outerValue = arith::toExpr(outer.value), innerValue = arith::toExpr(innerPart.value);
        holds = holds && !ir::usesAny(outerValue, within);
        for (const Var &var : ir::variablesOf(innerValue))
            holds = holds && within.contains(var);
        forEachPoint(domains, [&](const ir::VarMap<std::int64_t> &point) {
            if (!valueOf(predicate, point)) {
                holds = holds && !valueOf(condition, point);
                return;
            }
            holds =
                holds && valueOf(condition, point)
                && valueOf(outerValue * innerPart.extent + innerValue, point) == valueOf(bindings[i], point)
                && valueOf(innerValue, point) < valueOf(innerPart.extent, point);
        });
    }
    return holds;
}

} // namespace

class SubspaceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void takesFusedLoopsApart()
    {
        const Domains loops = over({{a, 5}, {b, 3}, {c, 7}});
        QCOMPARE(text({a * 21 + b * 7 + c}, loops, {c}), "((a * 3) + b) | c, True | True");
        QCOMPARE(text({a * 21 + b * 7 + c}, loops, {b, c}), "a | ((b * 7) + c), True | True");
        QCOMPARE(text({a * 21 + b * 7 + c}, loops, {a, b, c}), "0 | (((a * 21) + (b * 7)) + c), True | True");
        QCOMPARE(text({a * 21 + b * 7 + c + n}, loops, {c}), "((a * 3) + b) | (c + n), True | True");
        QCOMPARE(text({a, b * 7 + c}, loops, {b, c}), "a | 0, 0 | ((b * 7) + c), True | True");
        // The step of an inner loop does not divide that of an outer one.
        QCOMPARE(text({a * 21 + b * 7 + c}, loops, {b}), "no");
        QCOMPARE(text({a * b}, loops, {b}), "no");
    }

    void digitsOfLoops()
    {
        const Domains loops = over({{a, 6}, {b, 8}});
        QCOMPARE(text({a * 4 + b / 2, b % 2}, loops, {b}), "a | (b // 2), 0 | (b % 2), True | True");
        QCOMPARE(text({a / 2, a % 2 * 8 + b}, loops, {b}), "(a // 2) | 0, (a % 2) | b, True | True");
        QCOMPARE(text({a * 4 + b / 2, b % 2}, loops, {a}), "no");
    }

    void digitsOfFusedLoops()
    {
        // Both bindings are digits of a * 8 + b; the border between the digits lies inside b.
        const Domains loops = over({{a, 6}, {b, 8}});
        QCOMPARE(text({(a * 8 + b) / 4, (a * 8 + b) % 4}, loops, {b}), "no");
        QCOMPARE(text({(a * 8 + b) / 8, (a * 8 + b) % 8}, loops, {b}), "a | 0, 0 | b, True | True");
    }

    void predicatesStayOnOneSide()
    {
        const Domains loops = over({{a, 5}, {b, 3}, {c, 7}});
        const Expr whole = a * 21 + b * 7 + c;
        QCOMPARE(text({whole}, loops, {c}, a * 3 + b < 11), "((a * 3) + b) | c, (((a * 3) + b) < 11) | True");
        QCOMPARE(text({a, b * 7 + c}, loops, {b, c}, b * 7 + c < 18),
                 "a | 0, 0 | ((b * 7) + c), True | (((b * 7) + c) < 18)");
        QCOMPARE(text({whole}, loops, {c}, whole < 100), "no");
    }

    /// Terms that only the ranges of the loops carry while the bindings are detected.
    void predicatesAreKept()
    {
        const Domains loops = over({{a, 5}, {b, 3}, {c, 7}}), unit = over({{a, 1}, {b, 9}});
        QCOMPARE(text({a, b * 7 + c}, loops, {b, c}, a < 4), "a | 0, 0 | ((b * 7) + c), (a < 4) | True");
        QCOMPARE(text({a * 3 + b, c}, loops, {c}, c < 4), "((a * 3) + b) | 0, 0 | c, True | (c < 4)");
        QCOMPARE(text({a, b}, loops, {b}, c < 4), "a | 0, 0 | b, (c < 4) | True");
        // The loop of one iteration is left out; the remaining sum still ends early.
        QCOMPARE(text({a * 9 + b}, unit, {b}, a * 9 + b < 4), "0 | b, True | (b < 4)");
        QCOMPARE(text({a * 9 + b}, unit, {a, b}, a * 9 + b < 4), "0 | b, True | (b < 4)");
    }

    void unitLoops()
    {
        const Domains loops = over({{a, 1}, {b, 9}});
        QCOMPARE(text({a * 9 + b}, loops, {b}, {}, false), "a | b, True | True");
        QCOMPARE(text({a * 9 + b}, loops, {b}), "0 | b, True | True");
    }

    void sumsUpToTheBinding()
    {
        QVERIFY(isDivision({a * 21 + b * 7 + c}, over({{a, 5}, {b, 3}, {c, 7}}), {b, c}, ir::boolImm(true)));
        QVERIFY(isDivision({a * 21 + b * 7 + c}, over({{a, 5}, {b, 3}, {c, 7}}), {c}, a * 3 + b < 11));
        QVERIFY(isDivision({a * 9 + b, c}, over({{a, 1}, {b, 9}, {c, 5}}), {b}, a * 9 + b < 4 && c < 3));
        QVERIFY(isDivision({a, b * 7 + c}, over({{a, 5}, {b, 3}, {c, 7}}), {b, c}, a < 4 && b * 7 + c < 18));
        QVERIFY(isDivision({a / 2, a % 2 * 8 + b / 2, b % 2 * 3 + c}, over({{a, 4}, {b, 16}, {c, 3}}), {b, c},
                           ir::boolImm(true)));
        QVERIFY(isDivision({(a * 6 + b) / 6 * 3 + (a * 6 + b) % 6 / 2, b % 2 * 5 + c},
                           over({{a, 4}, {b, 6}, {c, 5}}), {c}, ir::boolImm(true))
                == false); // b % 2 shares its digits with the first binding's
        QVERIFY(isDivision({d * 2 + (a * 6 + b) / 6, (a * 6 + b) % 6 / 3, (a * 6 + b) % 3 * 5 + c},
                           over({{a, 2}, {b, 6}, {c, 5}, {d, 3}}), {b, c}, ir::boolImm(true)));
    }

    void saysWhyNot()
    {
        const auto mixed = divided({a * 8 + b}, over({{a, 6}, {b, 8}}), {a});
        QVERIFY(!mixed);
        QCOMPARE(mixed.error().code, "arith.no-subspace");
        const auto notAffine = divided({a * b}, over({{a, 6}, {b, 8}}), {a});
        QVERIFY(!notAffine);
        QCOMPARE(notAffine.error().code, "arith.not-affine");
    }
};

QTEST_GUILESS_MAIN(SubspaceTest)
#include "subspace_test.moc"
