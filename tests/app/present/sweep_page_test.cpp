// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of a sweep for its curve and its map.
#include "app/present/sweep_page.h"

#include "tests/core/session/sessions.h"

#include <QtTest>

#include <cmath>

using namespace nestwright;
using app::SweepVariants;
using charts::RatioCell;
using session::SweepGrid;
using session::VariantId;

namespace {

const target::Machine sweptOn{
    .vectors = {.bytes = 32},
    .threads = 1,
    .flops = 100e9,
    .levels = {{"L1", 32 << 10, 100e9}, {"L2", 512 << 10, 50e9}, {"L3", 16 << 20, 25e9}, {"DRAM", 0, 10e9}}};

measure::Measurement timed(double seconds)
{
    measure::Measurement made;
    made.time = {0.9 * seconds, seconds, 1.1 * seconds};
    return made;
}

measure::Measurement wrong()
{
    measure::Measurement made;
    made.failed = measure::Failure::WrongResult;
    made.failure = support::diagnostic("test.wrong", "element 3 differs").withHint("look at the guard");
    return made;
}

/// A product whose branch has tiles of 8 by 16, and the grid of other sizes; 0 is refused.
class Sweep {
public:
    Sweep(std::vector<std::int64_t> rows, std::vector<std::int64_t> columns)
        : m_session(tests::begin("op:matmul(M=64,N=64,K=64)"))
    {
        const auto made = m_session.importSchedule(R"(def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  i0, i1 = sch.split(i, [None, 8])
  j0, j1 = sch.split(j, [None, 16])
  sch.reorder(i0, j0, k, i1, j1)
)",
                                                   "path.py");
        if (!made)
            qFatal("%s", made.error().render().c_str());
        const auto numbers = session::sweptNumbers(tree(), *made);
        grid = session::sweepGrid(tree(), {numbers.at(0), numbers.at(1), std::move(rows), std::move(columns)},
                                  *made, sweptOn);
    }

    const session::VariantTree &tree() const { return m_session.tree(); }

    VariantId make(std::size_t point)
    {
        const session::HistoryEdit &edit = grid.points.at(point).edit;
        const VariantId id = session::adopt(m_session.tree(), edit, session::replay(m_session.tree(), edit));
        variants.made[point] = id;
        return id;
    }
    void measure(std::size_t point, const measure::Measurement &measurement)
    {
        m_session.tree().setMeasurement(make(point), measurement);
    }
    void rank(std::size_t best, const std::vector<std::size_t> &tied)
    {
        variants.ranked = document::RankedRun{{}, variants.made.at(best), {}};
        for (const std::size_t each : tied)
            variants.ranked->tied.push_back(variants.made.at(each));
    }
    QString text(std::size_t point) const { return app::sweepCellText(tree(), grid, variants, point); }
    charts::RatioData map() const { return app::sweepMapOf(tree(), grid, variants); }

    SweepGrid grid;
    SweepVariants variants;

private:
    session::Session m_session;
};

} // namespace

class SweepPageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void variantsOfPoints()
    {
        Sweep sweep({8}, {8, 16, 32});
        sweep.measure(1, timed(0.002));
        sweep.measure(2, wrong());
        const SweepVariants &variants = sweep.variants;
        QVERIFY(!variants.measured(sweep.tree(), 0) && !variants.failure(sweep.tree(), 0)); // not made
        QCOMPARE(variants.measured(sweep.tree(), 1)->time.median, 0.002);
        QVERIFY(!variants.failure(sweep.tree(), 1));
        QVERIFY(!variants.measured(sweep.tree(), 2));
        QCOMPARE(variants.failure(sweep.tree(), 2)->code, std::string("test.wrong"));
        sweep.make(0);
        QVERIFY(!variants.measured(sweep.tree(), 0)); // made, not measured
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY(!variants.isBest(i) && !variants.isTied(i)); // not ranked
        sweep.rank(1, {0});
        QVERIFY(variants.isBest(1) && !variants.isTied(1));
        QVERIFY(variants.isTied(0) && !variants.isBest(0));
        QVERIFY(!variants.isBest(2) && !variants.isTied(2));
    }

    void curve()
    {
        Sweep sweep({8}, {0, 16, 32});
        sweep.measure(1, timed(0.002));
        const std::vector<charts::SweepItem> items =
            app::sweepCurveOf(sweep.tree(), sweep.grid, sweep.variants);
        QCOMPARE(items.size(), 3U);
        QCOMPARE(items[0].value, 0);
        QVERIFY(!items[0].refused.isEmpty() && items[0].predicted == 0 && items[0].median == 0);
        QCOMPARE(items[1].value, 16);
        QVERIFY(items[1].refused.isEmpty());
        QCOMPARE(items[1].predicted, sweep.grid.points[1].prediction->seconds);
        QCOMPARE(items[1].limit, QString::fromStdString(sweep.grid.points[1].prediction->limit));
        QCOMPARE(items[1].low, 0.9 * 0.002);
        QCOMPARE(items[1].median, 0.002);
        QCOMPARE(items[1].high, 1.1 * 0.002);
        QVERIFY(items[2].predicted > 0 && items[2].median == 0);
    }

    /// Before the branch itself was measured, predictions are compared with that of the branch.
    void mapOfPredictions()
    {
        const Sweep sweep({4, 8}, {0, 16, 32});
        const charts::RatioData map = sweep.map();
        QVERIFY2(map.title.startsWith(
                     QStringLiteral("predicted time of a call in µs · down: factors[1] of split(i")),
                 qPrintable(map.title));
        QVERIFY(map.title.contains(QStringLiteral("across: factors[1] of split(j")));
        QCOMPARE(map.rows, (QStringList{"4", "8"}));
        QCOMPARE(map.columns, (QStringList{"0", "16", "32"}));
        QCOMPARE(map.cells.size(), 6U);
        QCOMPARE(map.cells[4].ratio, 1.0); // 8 × 16: the branch
        for (const std::size_t i : {1U, 2U, 5U}) {
            QCOMPARE(map.cells[i].ratio,
                     sweep.grid.points[4].prediction->seconds / sweep.grid.points[i].prediction->seconds);
            QCOMPARE(map.cells[i].detail, QString::fromStdString(sweep.grid.points[i].prediction->limit));
            const double shown = map.cells[i].text.toDouble() * 1e-6;
            QVERIFY(std::abs(shown / sweep.grid.points[i].prediction->seconds - 1) < 0.06);
            QVERIFY(map.cells[i].refused.isEmpty() && map.cells[i].isDone);
            QVERIFY(!map.cells[i].isBest && !map.cells[i].isTied);
        }
        for (const std::size_t i : {0U, 3U}) {
            QVERIFY(!map.cells[i].refused.isEmpty());
            QCOMPARE(map.cells[i].ratio, 0.0);
            QVERIFY(map.cells[i].text.isEmpty());
        }
    }

    /// Once it was, what ran is compared with its time; what did not run says why.
    void mapOfMeasurements()
    {
        Sweep sweep({4, 8}, {8, 16});
        sweep.measure(3, timed(2e-5)); // 8 × 16: the branch
        sweep.measure(0, timed(1e-5));
        sweep.measure(1, wrong());
        sweep.rank(0, {3});
        const charts::RatioData map = sweep.map();
        QVERIFY(map.title.startsWith(QStringLiteral("time of a call in µs")));
        QCOMPARE(map.cells[3].ratio, 1.0);
        QCOMPARE(map.cells[0].ratio, 2.0);
        QCOMPARE(map.cells[0].text, QStringLiteral("10.0"));
        QVERIFY(map.cells[0].isBest && map.cells[3].isTied);
        QCOMPARE(map.cells[1].ratio, 0.0);
        QCOMPARE(map.cells[1].refused, QStringLiteral("Element 3 differs. Look at the guard."));
        // Two predictions where it was not measured.
        QCOMPARE(map.cells[2].ratio,
                 sweep.grid.points[3].prediction->seconds / sweep.grid.points[2].prediction->seconds);
        QVERIFY(!map.cells[0].explanation.contains(QStringLiteral("; ")));
        QVERIFY(map.cells[0].explanation.contains(QStringLiteral("\nthe fastest, with others like it")));
        QVERIFY(!map.cells[0].explanation.contains(QStringLiteral("4 × 8")));
    }

    /// The branch is not among the values: there is nothing to compare with.
    void withoutTheBranch()
    {
        const Sweep sweep({4}, {32});
        QCOMPARE(sweep.map().cells[0].ratio, 1.0);
    }

    /// Where nothing could be predicted, the unit is that of what was measured.
    void unitWithoutPredictions()
    {
        Sweep sweep({8}, {8, 16});
        for (session::SweepPoint &point : sweep.grid.points)
            point.prediction.reset();
        QCOMPARE(sweep.map().cells[0].text, QString());
        sweep.measure(1, timed(4e-6));
        sweep.measure(0, timed(2e-6));
        const charts::RatioData map = sweep.map();
        QVERIFY2(map.title.startsWith(QStringLiteral("time of a call in µs")), qPrintable(map.title));
        QCOMPARE(map.cells[0].text, QStringLiteral("2.00"));
        QCOMPARE(map.cells[0].ratio, 2.0);
    }

    void namesOfCells()
    {
        const Sweep grid({4, 8}, {8, 16}), row({8}, {8, 16});
        QCOMPARE(app::sweepCellName(grid.grid, 0), QStringLiteral("4 × 8"));
        QCOMPARE(app::sweepCellName(grid.grid, 3), QStringLiteral("8 × 16"));
        QCOMPARE(app::sweepCellName(row.grid, 1), QStringLiteral("16"));
    }

    void textsOfCells()
    {
        Sweep sweep({4, 8}, {0, 16});
        QVERIFY(sweep.text(0).startsWith(QStringLiteral("4 × 0: ")));
        QVERIFY(!sweep.text(0).contains(QStringLiteral("predicted")));
        const QString limit = QString::fromStdString(sweep.grid.points[3].prediction->limit);
        QVERIFY(sweep.text(3).endsWith(QStringLiteral(" predicted, limited by ") + limit));
        sweep.measure(3, timed(0.002));
        QVERIFY(sweep.text(3).endsWith(QStringLiteral("; 2.00 ms measured (1.80 ms … 2.20 ms)")));
        sweep.rank(3, {});
        QVERIFY(sweep.text(3).endsWith(QStringLiteral("; the fastest, significantly")));
        sweep.measure(1, timed(0.002));
        sweep.rank(3, {1});
        QVERIFY(sweep.text(3).endsWith(QStringLiteral("; the fastest, with others like it")));
        QVERIFY(sweep.text(1).endsWith(QStringLiteral("; no significant difference from the fastest")));
        sweep.measure(1, wrong());
        QVERIFY(sweep.text(1).contains(QStringLiteral("; Element 3 differs. Look at the guard.")));
    }

    void conclusion()
    {
        Sweep sweep({2, 4, 8}, {4, 8, 16});
        QCOMPARE(app::sweepConclusion(sweep.grid, sweep.variants), QString());
        for (std::size_t i = 0; i < 9; ++i)
            sweep.make(i);
        sweep.rank(4, {});
        QCOMPARE(app::sweepConclusion(sweep.grid, sweep.variants),
                 QStringLiteral("Fastest: 4 × 8, significantly."));
        sweep.rank(4, {0, 8});
        QCOMPARE(app::sweepConclusion(sweep.grid, sweep.variants),
                 QStringLiteral("Fastest: 4 × 8. No significant difference: 2 × 4, 8 × 16."));
        sweep.rank(4, {0, 1, 2, 3, 5, 6});
        QCOMPARE(app::sweepConclusion(sweep.grid, sweep.variants),
                 QStringLiteral(
                     "Fastest: 4 × 8. No significant difference: 2 × 4, 2 × 8, 2 × 16, 4 × 4, 2 more."));
        sweep.variants.ranked->best.reset(); // none ran
        QCOMPARE(app::sweepConclusion(sweep.grid, sweep.variants), QString());
    }
};

QTEST_GUILESS_MAIN(SweepPageTest)
#include "sweep_page_test.moc"
