// SPDX-License-Identifier: GPL-3.0-or-later
// A table of transfers as a map of ratios.
#include "app/present/transfer_page.h"

#include <QtTest>

using namespace nestwright;
using session::TransferCell;

namespace {

measure::Measurement timed(double seconds, double flops = 1e9)
{
    measure::Measurement made;
    made.time = {seconds, seconds, seconds};
    made.flops = flops;
    return made;
}

TransferCell cell(measure::Interval ratio, bool significant, double flops = 1e9)
{
    TransferCell made{.base = timed(1, flops), .scheduled = timed(0.5, flops), .isDone = true};
    made.scheduled->speedup = measure::Speedup{ratio, significant};
    return made;
}

/// Two shapes on three targets: faster, slower, noise; one whose step is refused, one that failed, one to do.
session::TransferTable table()
{
    session::TransferTable made{
        .schedule = "tiled", .base = "unscheduled", .shapes = {}, .targets = {}, .cells = {}};
    made.shapes = {{{"M", 64}}, {{"M", 65}}};
    for (const char *target : {"llvm -num-cores=1", "llvm -num-cores=2", "c"})
        made.targets.push_back(*target::parseTarget(target));
    made.cells = {cell({1.9, 2, 2.1}, true), cell({0.4, 0.5, 0.6}, true), cell({0.9, 1.05, 1.2}, false)};
    made.cells.push_back({.why = support::diagnostic("test.refused", "the loop is too short"),
                          .step = "split(i, [None, 64])",
                          .isDone = true});
    made.cells.push_back({.why = support::diagnostic("test.failed", "it did not end"), .isDone = true});
    made.cells.push_back({});
    return made;
}

} // namespace

class TransferPageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void mapOfRatios()
    {
        const charts::RatioData data = app::ratiosOf(table());
        QVERIFY(data.title.contains(QStringLiteral("times of unscheduled over times of tiled")));
        QCOMPARE(data.rows, (QStringList{"M=64", "M=65"}));
        QCOMPARE(data.columns, (QStringList{"llvm, 1 thread", "llvm, 2 threads", "c"}));
        QCOMPARE(data.cells.size(), 6U);
        const charts::RatioCell &faster = data.cells[0], &noise = data.cells[2], &refused = data.cells[3];
        QCOMPARE(faster.ratio, 2.0);
        QCOMPARE(faster.low, 1.9);
        QCOMPARE(faster.high, 2.1);
        QVERIFY(faster.isDone && faster.isSignificant && faster.refused.isEmpty());
        QCOMPARE(faster.detail, QStringLiteral("2.0 GFLOPS")); // of the schedule
        QVERIFY(noise.ratio > 1 && !noise.isSignificant);
        QCOMPARE(refused.ratio, 0.0);
        QVERIFY(refused.isDone && refused.detail.isEmpty());
        QVERIFY2(refused.refused.contains(QStringLiteral("split(i, [None, 64])")),
                 qPrintable(refused.refused));
        QVERIFY(refused.refused.contains(QStringLiteral("the loop is too short")));
        QVERIFY(data.cells[4].refused.contains(QStringLiteral("it did not end")));
        QVERIFY(!data.cells[5].isDone);
        QCOMPARE(data.cells[5].ratio, 0.0);
    }

    void noOperations()
    {
        session::TransferTable moves = table();
        moves.cells[0] = cell({1.9, 2, 2.1}, true, 0);
        QVERIFY(app::ratiosOf(moves).cells[0].detail.isEmpty());
    }

    void summary()
    {
        session::TransferTable more = table();
        more.cells[5] = cell({2.9, 3, 3.1}, true);
        QCOMPARE(app::transferSummary(more),
                 QStringLiteral("Faster in 2 of 6 cells, slower in 1, not significant in 1; no ratio in 2."));
        QVERIFY(app::transferSummary(table()).endsWith(QStringLiteral("no ratio in 3."))); // to do, too
        QCOMPARE(app::transferSummary({}),
                 QStringLiteral("Faster in 0 of 0 cells, slower in 0, not significant in 0; no ratio in 0."));
    }

    void empty()
    {
        const charts::RatioData data = app::ratiosOf({});
        QVERIFY(data.rows.isEmpty() && data.columns.isEmpty() && data.cells.empty());
    }
};

QTEST_GUILESS_MAIN(TransferPageTest)
#include "transfer_page_test.moc"
