// SPDX-License-Identifier: Apache-2.0
/// The steps of simplification by themselves, and how deep proofs go within proofs.
#include "tests/core/arith/index_algebra.h"

#include "core/arith/simplify/prover.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::arith::testing;
using arith::ConstIntBound;
using arith::Knowledge;

namespace {

const Var x("x"), y("y");

/// Prover without facts, limited to as many proofs.
Knowledge within(int proofs)
{
    Knowledge knowledge;
    knowledge.depth = proofs;
    return knowledge;
}

} // namespace

class ProverTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void proofsWithinElevenOthersAreTried()
    {
        for (const int depth : {0, 1, 11}) {
            Knowledge knowledge = within(depth);
            QCOMPARE(show(arith::normalForm(knowledge, x + y + x)), "((x * 2) + y)");
            QCOMPARE(show(arith::simplifyByRules(knowledge, x + y - x)), "y");
            QCOMPARE(show(arith::simplified(knowledge, x + y - x)), "y");
            QVERIFY(arith::isProvable(knowledge, ir::eq(x + y - x, y)));
            QCOMPARE(arith::simplifiedBound(knowledge, x + 7 - x), (ConstIntBound{7, 7}));
            QCOMPARE(knowledge.depth, depth);
        }
    }

    /// Expressions stay as they are, the same objects.
    void deeperOnesAreNot()
    {
        for (const int depth : {12, 13}) {
            Knowledge knowledge = within(depth);
            const Expr twice = x + y + x, none = x + y - x;
            QVERIFY(arith::normalForm(knowledge, twice).same(twice));
            QVERIFY(arith::simplifyByRules(knowledge, none).same(none));
            QVERIFY(arith::simplified(knowledge, none).same(none));
            QVERIFY(!arith::isProvable(knowledge, ir::eq(none, y)));
            QVERIFY(arith::isProvable(knowledge, ir::boolImm(true)));
            QVERIFY(arith::simplifiedBound(knowledge, x + 7 - x) != (ConstIntBound{7, 7}));
            QCOMPARE(knowledge.depth, depth);
        }
    }

    /// Untried proofs are tried where there is room for them.
    void whatWasTooDeepIsNotRemembered()
    {
        Knowledge knowledge = within(12);
        const Expr e = x + y - x;
        QVERIFY(arith::simplified(knowledge, e).same(e));
        knowledge.depth = 0;
        QCOMPARE(show(arith::simplified(knowledge, e)), "y");
    }
};

QTEST_GUILESS_MAIN(ProverTest)
#include "prover_test.moc"
