// SPDX-License-Identifier: Apache-2.0
// Comparisons against all points of two loops: the intervals hold every point at which they hold, and end at
// such points.
#include "core/analysis/access/condition_bounds.h"
#include "core/ir/build/builder.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using analysis::Relaxed;
using ir::BinaryOp;
using ir::Expr;

namespace {

constexpr std::int64_t iLast = 9, jLast = 3;
constexpr BinaryOp orders[] = {BinaryOp::LT, BinaryOp::LE, BinaryOp::GT, BinaryOp::GE, BinaryOp::EQ};

const ir::Var i("i"), j("j");

struct Ends {
    std::int64_t low, high;
    bool operator==(const Ends &) const = default;
};

bool holds(BinaryOp op, std::int64_t a, std::int64_t b)
{
    switch (op) {
    case BinaryOp::LT: return a < b;
    case BinaryOp::LE: return a <= b;
    case BinaryOp::GT: return a > b;
    case BinaryOp::GE: return a >= b;
    default: return a == b;
    }
}

/// i in [0, 9] and j in [0, 3] under `condition`.
std::pair<Ends, Ends> narrowed(const Expr &condition)
{
    const Relaxed all{{i, {ir::intImm(0), ir::intImm(iLast), false}},
                      {j, {ir::intImm(0), ir::intImm(jLast), false}}};
    arith::Analyzer analyzer;
    const Relaxed found = analysis::narrowedBy(condition, all, analyzer);
    const auto ends = [&](const ir::Var &var) {
        const arith::IntervalSet &set = found.at(var);
        return Ends{*ir::asInt(analyzer.simplify(set.min)), *ir::asInt(analyzer.simplify(set.max))};
    };
    return {ends(i), ends(j)};
}

/// The smallest intervals around the points at which ci * i + cj * j + c keeps the order to `right`; nothing
/// where there are none.
std::optional<std::pair<Ends, Ends>> hull(BinaryOp op, int ci, int cj, std::int64_t right)
{
    std::optional<std::pair<Ends, Ends>> result;
    for (std::int64_t x = 0; x <= iLast; ++x) {
        for (std::int64_t y = 0; y <= jLast; ++y) {
            if (!holds(op, ci * x + cj * y, right))
                continue;
            if (!result)
                result = std::pair(Ends{x, x}, Ends{y, y});
            result->first = {std::min(result->first.low, x), std::max(result->first.high, x)};
            result->second = {std::min(result->second.low, y), std::max(result->second.high, y)};
        }
    }
    return result;
}

/// 2 * i is no variable with the coefficient 1: nothing is concluded, nor from comparisons of other types.
constexpr std::pair<Ends, Ends> everything{{0, iLast}, {0, jLast}};

Expr term(const Expr &e, int factor)
{
    return factor < 0 ? ir::intImm(0) - e : factor > 0 ? e : ir::intImm(0);
}

} // namespace

class ConditionBoundsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void comparisonsEndAtTheirLastPoints()
    {
        for (const BinaryOp op : orders) {
            for (int ci = -1; ci <= 1; ++ci) {
                for (int cj = -1; cj <= 1; ++cj) {
                    for (std::int64_t right = -3; right <= 12; ++right) {
                        const auto expected = hull(op, ci, cj, right);
                        if (!expected || (ci == 0 && cj == 0))
                            continue;
                        const auto found =
                            narrowed(ir::binaryNode(op, term(i, ci) + term(j, cj), ir::intImm(right)));
                        const auto turned =
                            narrowed(ir::binaryNode(op, term(i, ci) - ir::intImm(right), term(j, -cj)));
                        const std::string where =
                            std::format("{} * i + {} * j {} {}", ci, cj, ir::spelling(op), right);
                        QVERIFY2(found == *expected, where.c_str());
                        QVERIFY2(turned == *expected, (where + ", turned").c_str());
                    }
                }
            }
        }
    }

    void allTermsOfAConjunctionCount()
    {
        const auto found =
            narrowed(ir::logicalAnd(ir::logicalAnd(ir::ge(i, 2), ir::lt(i + j, 6)), ir::gt(j, 0)));
        QVERIFY((found == std::pair(Ends{2, 5}, Ends{1, 3})));
        QVERIFY(narrowed(ir::logicalOr(ir::ge(i, 2), ir::lt(j, 2))) == everything);
    }

    void otherConditionsSayNothing()
    {
        const Expr b = ir::Var("b", ir::DataType::boolean()), f = ir::Var("f", ir::DataType::float32());
        const Expr v = ir::Var("v", ir::DataType::int32().withLanes(4));
        for (const Expr &condition :
             {b, ir::lt(ir::broadcast(i, 4), ir::broadcast(3, 4)), ir::ne(i, 3), ir::lt(i * 2, 5),
              ir::lt(ir::floorDiv(i, 2), 2), ir::lt(f, ir::floatImm(3)),
              ir::lt(ir::cast(ir::DataType::float32(), i), ir::floatImm(3)), ir::eq(b, ir::lt(i, 3)),
              ir::lt(ir::broadcast(i, 4), v), ir::logicalNot(ir::logicalAnd(b, ir::lt(i, 3)))})
            QVERIFY(narrowed(condition) == everything);
    }

    void impossibleBoundsLeaveTheIntervalAsItIs()
    {
        QVERIFY(narrowed(ir::lt(i, -1)) == everything);
        QVERIFY(narrowed(ir::eq(i, 20)) == everything);
    }

    /// An end that is not known, of a relaxed variable with one end only, leaves that side open.
    void openEndsStayOpen()
    {
        arith::Analyzer analyzer;
        const Relaxed half{{i, {ir::intImm(0), {}, false}}, {j, {ir::intImm(0), {}, false}}};
        const Relaxed sum = analysis::narrowedBy(ir::eq(i + j, 5), half, analyzer);
        QCOMPARE(*ir::asInt(analyzer.simplify(sum.at(i).max)), 5);
        const Relaxed difference = analysis::narrowedBy(ir::eq(i - j, 5), half, analyzer);
        QCOMPARE(*ir::asInt(analyzer.simplify(difference.at(i).min)), 5);
        QVERIFY(!difference.at(i).max);
        const Relaxed less = analysis::narrowedBy(ir::lt(i, j), half, analyzer);
        QVERIFY(!less.at(i).max && !less.at(j).max);
        QCOMPARE(*ir::asInt(analyzer.simplify(less.at(j).min)), 1);
    }
};

QTEST_GUILESS_MAIN(ConditionBoundsTest)
#include "condition_bounds_test.moc"
