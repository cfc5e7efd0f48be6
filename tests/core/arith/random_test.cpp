// SPDX-License-Identifier: Apache-2.0
/// Random expressions: simplifying must not change their value, bounds and remainders must be true.
#include "tests/core/arith/random_expr.h"

#include "core/arith/int_set.h"
#include "core/arith/same_expr.h"

#include <QTest>

#include <functional>

using namespace nestwright;
using namespace nestwright::arith::testing;
using arith::Analyzer;
using arith::ConstIntBound;

namespace {

struct Bounds {
    int low, high;
};

} // namespace

class RandomTest : public QObject {
    Q_OBJECT

private:
    /// `count` expressions; some under an assumption.
    void run(unsigned seed, int count, int depth, bool boolean, bool assumptions)
    {
        run(seed, count, assumptions, [depth, boolean](RandomExpr &random) {
            return boolean ? random.boolean(depth) : random.integer(depth);
        });
    }
    void run(unsigned seed, int count, bool assumptions, const std::function<Expr(RandomExpr &)> &make)
    {
        const std::vector<Var> vars{Var("x"), Var("y"), Var("z"), Var("w")};
        RandomExpr random(seed, vars);
        for (int i = 0; i < count; ++i) {
            Analyzer analyzer;
            random.restart();
            std::vector<Bounds> bounds;
            for (const Var &var : vars) {
                const int low = random.number(0, 2) == 0 ? random.number(-9, 9) : 0;
                bounds.push_back({low, low + random.number(0, 16)});
                analyzer.bind(var, ir::Range{low, bounds.back().high - low + 1});
            }
            const Expr assumption = assumptions ? random.boolean(2) : ir::boolImm(true);
            const auto scope = analyzer.assume(assumption);
            const Expr before = make(random);
            const Expr after = analyzer.simplify(before), normal = analyzer.normalForm(before);
            const ConstIntBound bound = analyzer.constBound(before), boundAfter = analyzer.constBound(after);
            const arith::ModularSet remainder = analyzer.modularSet(before);
            for (int sample = 0; sample < 12; ++sample) {
                ir::VarMap<std::int64_t> values;
                for (std::size_t v = 0; v < vars.size(); ++v)
                    values[vars[v]] = random.number(bounds[v].low, bounds[v].high);
                if (!valueOf(assumption, values))
                    continue;
                const std::int64_t expected = valueOf(before, values), actual = valueOf(after, values);
                std::string text = show(before) + "  ->  " + show(after) + "  assuming " + show(assumption);
                for (std::size_t v = 0; v < vars.size(); ++v)
                    text += "  " + vars[v].name() + "=" + std::to_string(values[vars[v]]) + " in "
                            + std::to_string(bounds[v].low) + ".." + std::to_string(bounds[v].high);
                QVERIFY2(expected == actual, text.c_str());
                QVERIFY2(expected == valueOf(normal, values),
                         ("normal " + show(normal) + ": " + text).c_str());
                QVERIFY2(bound.contains(expected) && boundAfter.contains(expected),
                         ("bound: " + text).c_str());
                const bool isInSet = remainder.coeff == 0
                                         ? expected == remainder.base
                                         : ir::floorMod(expected - remainder.base, remainder.coeff) == 0;
                QVERIFY2(isInSet, ("remainder: " + text).c_str());
            }
        }
    }

private Q_SLOTS:
    void integers() { run(1, 4000, 3, false, false); }
    void deepIntegers() { run(2, 600, 5, false, false); }
    void sumsOfDigits()
    {
        run(7, 6000, false, [](RandomExpr &random) { return random.digits(); });
        run(8, 3000, true, [](RandomExpr &random) { return random.digits() + random.digits(); });
    }
    void booleans() { run(3, 3000, 3, true, false); }
    void integersUnderAssumptions() { run(4, 3000, 3, false, true); }
    void booleansUnderAssumptions() { run(5, 3000, 3, true, true); }

    /// A proved condition holds for all values.
    void provedConditions()
    {
        const std::vector<Var> vars{Var("x"), Var("y")};
        RandomExpr random(9, vars);
        int proved = 0;
        for (int i = 0; i < 6000; ++i) {
            Analyzer analyzer;
            random.restart();
            std::vector<Bounds> bounds;
            for (const Var &var : vars) {
                bounds.push_back({0, random.number(0, 11)});
                analyzer.bind(var, ir::Range{0, bounds.back().high + 1});
            }
            const Expr a = random.digits(),
                       b = random.number(0, 1) ? random.digits() : Expr(random.number(-4, 20));
            const Expr condition =
                ir::binary(static_cast<BinaryOp>(
                               random.number(static_cast<int>(BinaryOp::EQ), static_cast<int>(BinaryOp::GE))),
                           a, b);
            const bool holds = analyzer.canProve(condition);
            proved += holds ? 1 : 0;
            for (int x = 0; holds && x <= bounds[0].high; ++x) {
                for (int y = 0; y <= bounds[1].high; ++y)
                    QVERIFY2(valueOf(condition, {{vars[0], x}, {vars[1], y}}),
                             (show(condition) + " for x=" + std::to_string(x) + " in 0.."
                              + std::to_string(bounds[0].high) + " y=" + std::to_string(y) + " in 0.."
                              + std::to_string(bounds[1].high))
                                 .c_str());
            }
        }
        QVERIFY2(proved > 500, std::to_string(proved).c_str());
    }

    /// The interval of an expression holds its values for all x and y; it may speak of z.
    void intervals()
    {
        const Var x("x"), y("y"), z("z");
        RandomExpr random(10, {x, y, z});
        int bounded = 0;
        for (int i = 0; i < 3000; ++i) {
            Analyzer analyzer;
            random.restart();
            const int low = random.number(-6, 6), xs = random.number(1, 9), ys = random.number(1, 9);
            const int zs = random.number(1, 9);
            analyzer.bind(z, ir::Range{0, zs});
            const Expr e = random.number(0, 1) ? random.digits() : random.integer(2);
            const arith::IntervalSet set = arith::evalSet(
                e, {{x, arith::IntervalSet::of({low, xs})}, {y, arith::IntervalSet::of({0, ys})}}, analyzer);
            bounded += set.isBounded() ? 1 : 0;
            for (int sample = 0; sample < 20; ++sample) {
                const ir::VarMap<std::int64_t> values{{x, random.number(low, low + xs - 1)},
                                                      {y, random.number(0, ys - 1)},
                                                      {z, random.number(0, zs - 1)}};
                const std::int64_t value = valueOf(e, values);
                QVERIFY2((set.min.get() == nullptr || valueOf(set.min, values) <= value)
                             && (set.max.get() == nullptr || value <= valueOf(set.max, values)),
                         (show(e) + " for x=" + std::to_string(values.at(x)) + " in " + std::to_string(low)
                          + ".." + std::to_string(low + xs - 1) + " y=" + std::to_string(values.at(y))
                          + " in 0.." + std::to_string(ys - 1) + " z=" + std::to_string(values.at(z)) + ": "
                          + (set.min ? show(set.min) : "-inf") + " .. " + (set.max ? show(set.max) : "inf"))
                             .c_str());
            }
        }
        QVERIFY2(bounded > 1500, std::to_string(bounded).c_str());
    }

    /// The second simplification finds nothing new in nearly all cases, and never goes in circles.
    void settles()
    {
        const std::vector<Var> vars{Var("x"), Var("y"), Var("z")};
        RandomExpr random(6, vars);
        int unsettled = 0;
        for (int i = 0; i < 1000; ++i) {
            Analyzer analyzer;
            random.restart();
            const Expr once = analyzer.simplify(random.integer(3));
            unsettled += arith::sameExpr(once, analyzer.simplify(once)) ? 0 : 1;
        }
        QVERIFY2(unsettled < 20, std::to_string(unsettled).c_str());
    }
};

QTEST_GUILESS_MAIN(RandomTest)
#include "random_test.moc"
