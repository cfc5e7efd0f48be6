// SPDX-License-Identifier: Apache-2.0
#include "core/arith/lane_places.h"

#include "tests/core/arith/index_algebra.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::arith::testing;

namespace {

constexpr int lanes = 8;
const Var i("i"), j("j");

Expr ramp(const Expr &base, std::int64_t stride = 1) { return ir::ramp(base, ir::intImm(stride), lanes); }
Expr all(const Expr &value) { return ir::broadcast(value, lanes); }

/// "base: offsets", or "none".
QString places(const Expr &index)
{
    const auto found = arith::lanePlaces(index);
    if (!found)
        return "none";
    QString text = QString::fromStdString(show(found->base)) + ":";
    for (const std::int64_t offset : found->offsets)
        text += QString(" %1").arg(offset);
    return text;
}

/// "begin: places", or "none".
QString group(const Expr &index)
{
    const auto found = arith::laneGroup(index);
    if (!found)
        return "none";
    QString text = QString::fromStdString(show(arith::Analyzer().simplify(found->begin))) + ":";
    for (const int place : found->places)
        text += QString(" %1").arg(place);
    return text;
}

} // namespace

class LanePlacesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lanesDifferByConstants()
    {
        QCOMPARE(places(ramp(i)), "i: 0 1 2 3 4 5 6 7");
        QCOMPARE(places(ramp(i, -2)), "i: 0 -2 -4 -6 -8 -10 -12 -14");
        QCOMPARE(places(all(i)), "i: 0 0 0 0 0 0 0 0");
        QCOMPARE(places(ir::floorDiv(ramp(0), all(4)) * all(4) + all(i)), "i: 0 0 0 0 4 4 4 4");
        QCOMPARE(places(all(i) - ir::floorMod(ramp(0), all(2))), "i: 0 -1 0 -1 0 -1 0 -1");
        QCOMPARE(places(ir::floorDiv(ramp(3), all(4))), "0: 0 1 1 1 1 2 2 2");
        QCOMPARE(places(all(3) * ramp(i)), "(i * 3): 0 3 6 9 12 15 18 21");
    }

    void lanesThatDifferByMore()
    {
        QCOMPARE(places(ir::floorDiv(ramp(i), all(4))), "none"); // where i is in its group is not known
        QCOMPARE(places(ir::floorDiv(ramp(0), all(i))), "none");
        QCOMPARE(places(ramp(i) * ramp(j)), "none");
        QCOMPARE(places(ir::ramp(i, j, lanes)), "none");
        QCOMPARE(places(ir::max(ramp(i), all(3))), "none");
        QCOMPARE(places(i + 1), "none"); // no vector
    }

    void groupsBeginAtTheirMultiples()
    {
        const Expr fours = ir::floorDiv(ramp(0), all(4)) * all(4);
        QCOMPARE(group(fours + all(i * 8)), "(i * 8): 0 0 0 0 4 4 4 4");
        QCOMPARE(group(fours + all(i * 16 + 3)), "(i * 16): 3 3 3 3 7 7 7 7");
        QCOMPARE(group(fours + all(i * 16 + j * 24 + 9)), "(((j * 24) + (i * 16)) + 8): 1 1 1 1 5 5 5 5");
        QCOMPARE(group(ramp(i * 8 + 7, -1)), "(i * 8): 7 6 5 4 3 2 1 0");
        QCOMPARE(group(fours + all(i * 8 + 4)), "none"); // of two groups
        QCOMPARE(group(fours + all(i * 4)), "none");     // perhaps
        QCOMPARE(group(ramp(i * 8, 2)), "none");
    }
};

QTEST_GUILESS_MAIN(LanePlacesTest)
#include "lane_places_test.moc"
