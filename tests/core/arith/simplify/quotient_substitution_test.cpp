// SPDX-License-Identifier: Apache-2.0
#include "core/arith/simplify/quotient_substitution.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/script/print/printer.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::ir;

class QuotientSubstitutionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quotientsByMultiples()
    {
        const Var r("r");
        arith::Analyzer analyzer;
        analyzer.bind(r, Range{0, 32});
        const Expr e = le(floorDiv(r + 8, 16), floorDiv(r, 16) + floorDiv(floorMod(r, 16), 8));
        const Expr parts = arith::substituteQuotients(e, analyzer);
        const Var q = *variablesOf(parts).begin();
        QVERIFY(q != r);
        QCOMPARE(analyzer.constBound(q), (arith::ConstIntBound{0, 3}));
        QVERIFY(analyzer.canProve(parts));
        // The same for every value of r.
        for (std::int64_t value = -40; value < 40; ++value) {
            const Expr whole = substitute(e, {{r, Expr(value)}});
            const Expr part = substitute(parts, {{q, Expr(ir::floorDiv(value, 8))}});
            QCOMPARE(*asInt(arith::simplify(part)), *asInt(arith::simplify(whole)));
        }
    }

    void otherUsesAreKept()
    {
        const Var r("r"), s("s");
        arith::Analyzer analyzer;
        for (const Expr &e : {lt(floorDiv(r, 8), r), lt(floorDiv(r + 3, 8), floorDiv(r, 4)),
                              lt(floorMod(r, 8), floorDiv(r, 8)), lt(floorDiv(r * 2, 8), s),
                              lt(floorDiv(r, s), floorDiv(r, 8)), lt(r, s)})
            QVERIFY2(arith::substituteQuotients(e, analyzer).same(e), script::printExpr(e).c_str());
        const Expr mixed = lt(floorDiv(r, 8), s); // only r becomes another
        QVERIFY(uses(arith::substituteQuotients(mixed, analyzer), s));
    }
};

QTEST_GUILESS_MAIN(QuotientSubstitutionTest)
#include "quotient_substitution_test.moc"
