// SPDX-License-Identifier: Apache-2.0
#include "tests/core/arith/index_algebra.h"

#include "core/arith/int_set.h"
#include "core/arith/type_range.h"

#include <QTest>

#include <random>
#include <set>

using namespace nestwright;
using namespace nestwright::arith::testing;
using arith::Analyzer;
using arith::Domains;
using arith::IntervalSet;
using arith::Region;
using ir::Range;

namespace {

const Var i("i"), j("j"), k("k"), n("n"), m("m");

QString text(const Region &region)
{
    QString result;
    for (const Range &range : region)
        result += (result.isEmpty() ? "" : "; ")
                  + QString::fromStdString(show(range.min) + " + " + show(range.extent));
    return result;
}

QString over(const Region &region, const Domains &relaxed, const Expr &predicate = {})
{
    Analyzer analyzer;
    const auto result = arith::regionOver(region, relaxed, analyzer, predicate);
    return result ? text(*result) : "unbounded";
}

QString exactlyOver(const Region &region, const Domains &relaxed, const Expr &predicate = {})
{
    Analyzer analyzer;
    const auto result = arith::exactRegionOver(region, relaxed, analyzer, predicate);
    return result ? text(*result) : "not known";
}

QString setOf(const Expr &e, const Expr &low, const Expr &high)
{
    Analyzer analyzer;
    const IntervalSet set = arith::evalSet(e, {{i, {low, high}}}, analyzer);
    return QString::fromStdString((set.min ? show(set.min) : "-inf") + " .. "
                                  + (set.max ? show(set.max) : "inf"));
}

} // namespace

class RegionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A tile at the edge: what threads read of it lies in what was written.
    void tilesAtAnEdge()
    {
        Analyzer analyzer;
        analyzer.bind(j, Range{0, 32});
        const Region read =
            *arith::regionOver({{m * 16 + k, 1}, {j * 4 + i, 1}}, {{m, {0, 4}}, {k, {0, 16}}, {i, {0, 4}}},
                               analyzer, m * 16 + k < 50 && j * 4 + i < 90);
        QCOMPARE(text(read), QStringLiteral("0 + 50; (j * 4) + (90 - max((j * 4), 86))"));
        QVERIFY(arith::covers({{0, 64}, {0, 90}}, read, analyzer));
    }

    void intervals()
    {
        QCOMPARE(setOf(i + 3, 0, 7), "3 .. 10");
        QCOMPARE(setOf(3 - i, 0, 7), "-4 .. 3");
        QCOMPARE(setOf(i * 4 + j, 0, 7), "j .. (j + 28)");
        QCOMPARE(setOf(i * -2, 0, 7), "-14 .. 0");
        QCOMPARE(setOf(i / 4, 0, 7), "0 .. 1");
        QCOMPARE(setOf(i % 4, 0, 7), "0 .. 3");
        QCOMPARE(setOf(i % 4, 5, 7), "1 .. 3");
        QCOMPARE(setOf(ir::min(i, 3), 0, 7), "0 .. 3");
        QCOMPARE(setOf(ir::max(i + j, 3), 0, 7), "max(j, 3) .. max((j + 7), 3)");
        QCOMPARE(setOf(i + n, 0, m - 1), "n .. ((m + n) - 1)");
        QCOMPARE(setOf(j * 2, 0, 7), "(j * 2) .. (j * 2)");
        QCOMPARE(setOf(ir::select(i < 4, i, 20), 0, 7), "0 .. 20");
        // An end that is no number of the type is open.
        QCOMPARE(setOf(i + 2147483640, 0, 7), "2147483640 .. 2147483647");
        QCOMPARE(setOf(i + 2147483640, 0, 8), "2147483640 .. inf");
        QCOMPARE(setOf(-2147483641 - i, 0, 7), "-2147483648 .. -2147483641");
        QCOMPARE(setOf(-2147483641 - i, 0, 8), "-inf .. -2147483641");
        QCOMPARE(setOf(i * 1073741824, -2, 1), "-2147483648 .. 1073741824");
        QCOMPARE(setOf(i * 1073741824, -3, 2), "-inf .. inf");
        Analyzer analyzer;
        QVERIFY(arith::evalSet(i, {{i, {{}, Expr(5)}}}, analyzer).min.get() == nullptr);
        QVERIFY(arith::intersect({Expr(0), Expr(3)}, {Expr(5), Expr(9)}, analyzer).isNothing);
        QVERIFY(arith::unionOf(IntervalSet::point(j), IntervalSet::point(j), analyzer).isPoint());
        QVERIFY(!arith::toRange(IntervalSet::everything(), analyzer));
        QVERIFY(arith::toRange({Expr(0), Expr(2147483646)}, analyzer));
        QVERIFY(!arith::toRange({Expr(0), Expr(2147483647)}, analyzer));
        QVERIFY(!arith::toRange({Expr(-1), Expr(2147483646)}, analyzer));
    }

    /// Parts of one sum that share no iterator once the loops' lengths are known.
    void digitsOfASum()
    {
        const Expr sum = k * 11 + i;
        QCOMPARE(exactlyOver({{sum / 77, 1}, {sum % 77, 1}}, {{i, {0, 11}}}),
                 "(k // 7) + 1; ((k % 7) * 11) + 11");
        QCOMPARE(exactlyOver({{sum / 77, 1}, {sum % 77, 1}}, {{i, {0, 12}}}), "not known");
    }

    /// A condition on a sum bounds its quotients.
    void quotientsUnderACondition()
    {
        const Domains loops{{i, {0, 8}}, {j, {0, 32}}};
        const Expr sum = i * 32 + j;
        QCOMPARE(over({{i * 8 + j / 4, 1}, {j % 4, 1}}, loops, sum < 228), "0 + 57; 0 + 4");
        QCOMPARE(over({{i * 8 + j / 4, 1}, {j % 4, 1}}, loops, sum < 229), "0 + 58; 0 + 4");
        QCOMPARE(over({{i * 24 + j / 4 * 3 + 5, 1}, {j % 4, 1}}, loops, sum < 228), "5 + 169; 0 + 4");
        QCOMPARE(over({{i * 8 + j / 4, 1}, {j % 4, 1}}, loops, sum >= 9), "2 + 62; 0 + 4");
        QCOMPARE(over({{m * 98 + (i * 112 + j) / 12, 1}, {(i * 112 + j) % 12, 1}},
                      {{i, {0, 11}}, {j, {0, 112}}}, i * 112 + j < 1176),
                 "(m * 98) + 98; 0 + 12");
        QCOMPARE(over({{i * 8 + j / 2, 1}, {k, 1}}, {{i, {0, 8}}, {j, {0, 16}}, {m, {0, 2}}},
                      i * 32 + j * 2 + m < 36),
                 "0 + 9; k + 1");
        QCOMPARE(over({{i * 8 + j / 4, 1}, {j % 4, 1}}, loops, sum < k),
                 "0 + (min(63, ((k - 1) // 4)) + 1); 0 + 4");
    }

    void boxes()
    {
        const Domains tile{{i, {0, 8}}, {j, {0, 4}}};
        QCOMPARE(over({{i * 4 + j, 1}}, tile), "0 + 32");
        QCOMPARE(over({{i, 1}, {j, 1}}, tile), "0 + 8; 0 + 4");
        QCOMPARE(over({{i, 1}, {k, 1}}, tile), "0 + 8; k + 1");
        QCOMPARE(over({{i + j, 1}}, tile), "0 + 11");
        QCOMPARE(over({{i + j - 1, 3}}, tile), "-1 + 13");
        QCOMPARE(over({{k * 32 + i * 4 + j, 1}}, tile), "(k * 32) + 32");
        QCOMPARE(over({{i * 4, 4}}, {{i, {0, 8}}}), "0 + 32");
        QCOMPARE(over({{9 - i, 1}}, {{i, {0, 8}}}), "2 + 8");
        QCOMPARE(over({{i, 1}}, {{i, {0, n}}}), "0 + n");
        QCOMPARE(over({{i * 4 + j, 1}}, {{i, {0, n}}, {j, {0, 4}}}), "0 + (n * 4)");
        QCOMPARE(over({{j, 1}}, {{i, {0, 8}}, {j, {i, 3}}}), "0 + 10");
        // Only relaxed variables vary.
        QCOMPARE(over({{i * 4 + j, 1}}, {{j, {0, 4}}}), "(i * 4) + 4");
        QCOMPARE(over({{i * j, 1}}, {{j, {0, 4}}}), "unbounded");
    }

    void predicatesNarrow()
    {
        const Domains tile{{i, {0, 4}}, {j, {0, 32}}};
        QCOMPARE(over({{i * 32 + j, 1}}, tile, i * 32 + j < 100), "0 + 100");
        QCOMPARE(over({{i * 32 + j + 2, 1}}, tile, i * 32 + j < 100), "2 + 100");
        QCOMPARE(over({{k * 32 + j, 1}}, {{j, {0, 32}}}, k * 32 + j < 100),
                 "(k * 32) + (100 - max((k * 32), 68))");
        QCOMPARE(
            over({{i + j - 1, 1}}, {{i, {0, 8}}, {j, {0, 3}}}, ir::binary(ir::BinaryOp::GE, i + j - 1, 0)),
            "0 + 9");
        // Sums that leave gaps: only their ends are narrowed.
        const Expr sum = i * 3 + j * 2;
        const Domains both{{i, {0, 8}}, {j, {0, 3}}};
        QCOMPARE(over({{sum, 1}}, both), "0 + 26");
        QCOMPARE(over({{sum, 1}}, both, sum < 10), "0 + 10");
        QCOMPARE(over({{sum, 1}}, both, sum <= 10), "0 + 11");
        QCOMPARE(over({{sum, 1}}, both, sum > 4), "5 + 21");
        QCOMPARE(over({{sum, 1}}, both, sum >= 4), "4 + 22");
        QCOMPARE(over({{sum, 1}}, both, Expr(4) < sum && sum < 10), "5 + 5");
    }

    void exactness()
    {
        const Domains tile{{i, {0, 8}}, {j, {0, 4}}};
        QCOMPARE(exactlyOver({{i * 4 + j, 1}}, tile), "0 + 32");
        QCOMPARE(exactlyOver({{i * 8 + j, 1}}, tile), "not known");
        QCOMPARE(exactlyOver({{i * 4, 4}}, tile), "0 + 32");
        QCOMPARE(exactlyOver({{i * 5, 4}}, tile), "not known");
        QCOMPARE(exactlyOver({{i, 1}, {i, 1}}, tile), "not known");
        QCOMPARE(exactlyOver({{i, 1}, {j, 1}}, tile), "0 + 8; 0 + 4");
        QCOMPARE(exactlyOver({{i + j, 1}}, tile), "0 + 11");
    }

    void coveringAndJoining()
    {
        Analyzer analyzer;
        analyzer.bind(i, Range{0, 8});
        QVERIFY(arith::covers({{0, 32}}, {{i * 4, 4}}, analyzer));
        QVERIFY(!arith::covers({{0, 31}}, {{i * 4, 4}}, analyzer));
        QVERIFY(!arith::covers({{1, 31}}, {{i * 4, 4}}, analyzer));
        QVERIFY(arith::covers({{k, n}}, {{k, n}}, analyzer));
        QCOMPARE(text(arith::unionOf({{k, 4}}, {{k + 2, 4}}, analyzer)), "k + 6");
        QCOMPARE(text(arith::intersect({{k, 4}}, {{k + 2, 4}}, analyzer)), "(k + 2) + 2");
        QCOMPARE(text(arith::unionOf({{0, 4}, {0, 1}}, {{8, 4}, {0, 1}}, analyzer)), "0 + 12; 0 + 1");
    }

    /// Every index met lies in the box.
    void randomIndicesStayInside()
    {
        std::mt19937 random(11);
        const auto number = [&](int low, int high) {
            return std::uniform_int_distribution(low, high)(random);
        };
        for (int round = 0; round < 500; ++round) {
            const int ei = number(1, 6), ej = number(1, 6);
            const Domains domains{{i, {number(0, 3), ei}}, {j, {0, ej}}};
            const auto term = [&](const Expr &v) {
                const Expr scaled = v * Expr(number(-3, 6));
                const int choice = number(0, 4);
                return choice == 0   ? scaled / Expr(number(1, 5))
                       : choice == 1 ? scaled % Expr(number(1, 5))
                                     : scaled;
            };
            const Expr index =
                number(0, 4) == 0 ? ir::min(term(i), term(j)) : term(i) + term(j) + Expr(number(-3, 3));
            const Expr limit = Expr(number(0, 12));
            const Expr predicate = number(0, 1) ? index < limit : i + j < limit;
            Analyzer analyzer;
            const auto box = arith::regionOver({{index, 1}}, domains, analyzer, predicate);
            QVERIFY(box);
            Analyzer exactAnalyzer;
            const auto exact = arith::exactRegionOver({{index, 1}}, domains, exactAnalyzer, predicate);
            std::set<std::int64_t> met;
            const std::int64_t first = *ir::asInt(domains[0].range.min);
            for (std::int64_t a = first; a < first + ei; ++a) {
                for (std::int64_t b = 0; b < ej; ++b) {
                    if (valueOf(predicate, {{i, a}, {j, b}}))
                        met.insert(valueOf(index, {{i, a}, {j, b}}));
                }
            }
            const std::string shown =
                show(index) + " where " + show(predicate) + ": " + text(*box).toStdString();
            for (const std::int64_t value : met) {
                const std::int64_t low = valueOf((*box)[0].min, {}), size = valueOf((*box)[0].extent, {});
                QVERIFY2(low <= value && value < low + size, shown.c_str());
            }
            if (!exact || met.empty())
                continue;
            const std::int64_t low = valueOf((*exact)[0].min, {}), size = valueOf((*exact)[0].extent, {});
            const std::string exactly =
                "exact " + shown + " i<" + std::to_string(first + ei) + " j<" + std::to_string(ej);
            QVERIFY2(*met.begin() == low && *met.rbegin() == low + size - 1
                         && static_cast<std::int64_t>(met.size()) == size,
                     exactly.c_str());
        }
    }

    void placesBeyondTheirType()
    {
        Analyzer analyzer;
        analyzer.bind(i, ir::Range{0, 1 << 20});
        QVERIFY(!arith::beyondType(i * Expr(2047), analyzer));
        const auto beyond = arith::beyondType(i * Expr(2049), analyzer);
        QVERIFY(beyond);
        QCOMPARE(beyond->max, std::int64_t{2049} * ((1 << 20) - 1));
        QVERIFY(arith::beyondType(Expr(0) - i * Expr(2050), analyzer));
        const ir::Var wide("wide", ir::DataType::int64());
        analyzer.bind(wide, ir::Range{ir::intImm(0, wide->dtype), ir::intImm(1 << 20, wide->dtype)});
        QVERIFY(!arith::beyondType(wide * ir::intImm(2049, wide->dtype), analyzer));
    }
};

QTEST_GUILESS_MAIN(RegionTest)
#include "region_test.moc"
