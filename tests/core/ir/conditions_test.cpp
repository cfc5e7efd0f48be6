// SPDX-License-Identifier: Apache-2.0
#include "core/ir/conditions.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/script/print/printer.h"

#include <QtTest>

#include <limits>

using namespace nestwright;
using ir::BinaryOp;
using ir::Buffer;
using ir::DataType;
using ir::Expr;
using ir::Var;

namespace {

std::string shown(const Expr &e) { return script::printExpr(e); }

std::string shown(const std::vector<Expr> &terms)
{
    std::string text;
    for (const Expr &term : terms)
        text += (text.empty() ? "" : " | ") + shown(term);
    return text;
}

Expr likely(const Expr &e) { return ir::callIntrinsic("likely", {e}); }

const Var i("i"), j("j"), b("b", DataType::boolean()), f("f", DataType::float32()),
    g("g", DataType::float32());
const Buffer A("A", {Expr(8)}, DataType::int32());
const Expr loads = ir::eq(ir::load(A, {i}), 0);

/// The value of a condition on constants.
bool holds(const Expr &e)
{
    if (const auto *negated = e.as<ir::Not>())
        return !holds(negated->a);
    const auto *node = e.as<ir::Binary>();
    if (!node)
        return ir::isTrue(e);
    if (node->op == BinaryOp::And)
        return holds(node->a) && holds(node->b);
    return node->op == BinaryOp::Or ? holds(node->a) || holds(node->b)
                                    : ir::isTrue(ir::binary(node->op, node->a, node->b));
}

} // namespace

class ConditionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void conjunctsStandInTheirOrder()
    {
        const Expr nested = ir::logicalAnd(
            ir::lt(i, 3), ir::logicalAnd(likely(ir::logicalAnd(ir::lt(j, 4), b)), ir::lt(0, i)));
        QCOMPARE(shown(ir::conjunctsOf(nested)), "i < 3 | j < 4 | b | 0 < i");
        QCOMPARE(shown(ir::conjunctionOf(ir::conjunctsOf(nested))), "i < 3 and j < 4 and b and 0 < i");
        QVERIFY(ir::conjunctsOf(ir::boolImm(true)).empty());
        QVERIFY(ir::conjunctsOf({}).empty());
        QCOMPARE(shown(ir::conjunctsOf(ir::boolImm(false))), "T.bool(False)");
        QVERIFY(ir::isTrue(ir::conjunctionOf({})));
        QCOMPARE(shown(ir::conjunctsOf(ir::logicalOr(b, ir::lt(i, 3)))), "b or i < 3");
        QVERIFY(ir::withoutLikely(likely(likely(b))).same(b));
    }

    void negation_data()
    {
        QTest::addColumn<Expr>("e");
        QTest::addColumn<std::string>("expected");
        const auto row = [](const char *name, const Expr &e, const char *expected) {
            QTest::newRow(name) << e << std::string(expected);
        };
        row("==", ir::eq(i, j), "i != j");
        row("!=", ir::ne(i, j), "i == j");
        row("<", ir::lt(i, j), "j <= i");
        row("<=", ir::le(i, j), "j < i");
        row(">", ir::gt(i, j), "i <= j");
        row(">=", ir::ge(i, j), "i < j");
        row("not", ir::logicalNot(b), "b");
        row("not likely", ir::logicalNot(likely(b)), "T.likely(b)");
        row("likely not", likely(ir::logicalNot(b)), "b");
        row("likely", likely(ir::lt(i, j)), "j <= i");
        row("and", ir::logicalAnd(b, ir::lt(i, j)), "not b or j <= i");
        row("or", ir::logicalOr(b, ir::lt(i, j)), "not b and j <= i");
        row("constant", ir::boolImm(true), "T.bool(False)");
        // A comparison with NaN is false both ways, only == and != are each other's opposite.
        row("float ==", ir::eq(f, g), "f != g");
        row("float !=", ir::ne(f, g), "f == g");
        row("float <", ir::lt(f, g), "not f < g");
        row("float <=", ir::le(f, g), "not f <= g");
        row("float >", ir::gt(f, g), "not f > g");
        row("float >=", ir::ge(f, g), "not f >= g");
        row("float not", ir::logicalNot(ir::lt(f, g)), "f < g");
        row("broadcast", ir::broadcast(ir::lt(i, j), 4), "T.Broadcast(j <= i, 4)");
        row("float in and", ir::logicalAnd(ir::lt(i, j), ir::lt(f, g)), "j <= i or not f < g");
    }
    void negation()
    {
        QFETCH(Expr, e);
        QTEST(shown(ir::negation(e)), "expected");
    }

    void negationTwice()
    {
        const Expr both = ir::logicalAnd(b, ir::lt(i, j));
        for (const Expr &e :
             std::vector<Expr>{b, ir::lt(i, j), ir::eq(i, j), ir::lt(f, g), ir::ne(f, g), both})
            QCOMPARE(shown(ir::negation(ir::negation(e))), shown(e));
    }

    void negationIsTrueWhereTheConditionIsNot()
    {
        const double notNumber = std::numeric_limits<double>::quiet_NaN();
        std::vector<Expr> comparisons;
        for (const BinaryOp op :
             {BinaryOp::EQ, BinaryOp::NE, BinaryOp::LT, BinaryOp::LE, BinaryOp::GT, BinaryOp::GE}) {
            for (const int x : {1, 2}) {
                comparisons.push_back(ir::binaryNode(op, Expr(x), Expr(1)));
                comparisons.push_back(ir::binaryNode(op, Expr(1), Expr(x)));
            }
            for (const double x : {1.0, 2.0, notNumber}) {
                for (const double y : {1.0, notNumber})
                    comparisons.push_back(ir::binaryNode(op, ir::floatImm(x), ir::floatImm(y)));
            }
        }
        for (const Expr &a : comparisons) {
            QCOMPARE(holds(ir::negation(a)), !holds(a));
            for (const Expr &c : comparisons) {
                const Expr both = ir::binaryNode(BinaryOp::And, a, c);
                const Expr either = ir::binaryNode(BinaryOp::Or, a, c);
                QCOMPARE(holds(ir::negation(both)), !holds(both));
                QCOMPARE(holds(ir::negation(either)), !holds(either));
            }
        }
    }

    void faultingExpressions()
    {
        QVERIFY(ir::mayFault(loads));
        QVERIFY(ir::mayFault(ir::lt(ir::floorDiv(10, i), 2)));
        QVERIFY(ir::mayFault(ir::truncMod(i, j)));
        QVERIFY(ir::mayFault(ir::floorMod(i, Expr(0))));
        QVERIFY(ir::mayFault(ir::call(DataType::int32(), "call_pure_extern", {ir::stringImm("f"), i})));
        QVERIFY(ir::mayFault(ir::call(DataType::int32(), "no_such_intrinsic", {i})));
        QVERIFY(ir::mayFault(ir::broadcast(ir::floorDiv(i, j), 4)));
        QVERIFY(!ir::mayFault(ir::lt(ir::floorDiv(i, 3) * 2 + ir::truncMod(j, -5), 7)));
        QVERIFY(!ir::mayFault(ir::floorDiv(ir::ramp(i, 1, 4), ir::broadcast(3, 4))));
        QVERIFY(!ir::mayFault(ir::truncDiv(f, g))); // IEEE
        QVERIFY(!ir::mayFault(ir::callIntrinsic("sqrt", {f})));
    }

    void guardsComeBeforeWhatTheyGuard()
    {
        const Expr early = ir::logicalAnd(ir::logicalAnd(loads, ir::lt(i, 8)), ir::lt(j, 8));
        QCOMPARE(shown(ir::guardsFirst(early)), "i < 8 and j < 8 and A[i] == 0");
        const Expr good = ir::logicalAnd(ir::lt(i, 8), ir::logicalAnd(loads, ir::ne(ir::load(A, {j}), 1)));
        QVERIFY(ir::guardsFirst(good).same(good));
        const Expr twice = ir::logicalAnd(loads, ir::logicalAnd(ir::ne(ir::load(A, {j}), 1), ir::lt(i, 8)));
        QCOMPARE(shown(ir::guardsFirst(twice)), "i < 8 and A[i] == 0 and A[j] != 1");
    }
};

QTEST_GUILESS_MAIN(ConditionsTest)
#include "conditions_test.moc"
