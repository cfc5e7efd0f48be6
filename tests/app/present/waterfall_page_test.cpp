// SPDX-License-Identifier: GPL-3.0-or-later
// Contributions of steps as bars and in words.
#include "app/present/waterfall_page.h"

#include <QtTest>

using namespace nestwright;
using charts::WaterfallBar;
using explore::Ablation;
using explore::AblationMode;
using explore::Contribution;

namespace {

/// From 8 s to 4 s, to 1 s; the step between could not be timed.
Ablation ablation(AblationMode mode)
{
    Ablation made{.mode = mode, .steps = {}, .first = {7, 8, 9}, .last = {0.9, 1, 1.1}, .flops = 8e9};
    Contribution tile{.place = 0, .label = "split(i, [None, 8])"};
    Contribution wrong{.place = 1, .label = "vectorize(j1)"};
    Contribution unroll{.place = 3, .label = "unroll(k)"};
    tile.without = {7, 8, 9};
    tile.with = {3, 4, 5};
    tile.gain = {{1.9, 2, 2.1}, true};
    wrong.failure = support::diagnostic("test.refused", "it does not compile");
    unroll.others = {2};
    unroll.without = {3, 4, 5};
    unroll.with = {0.9, 1, 1.1};
    unroll.gain = {{0.9, 4, 6}, false};
    made.steps = {tile, wrong, unroll};
    return made;
}

} // namespace

class WaterfallPageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stepsThatAreAdded()
    {
        const app::WaterfallPage page = app::waterfallOf(ablation(AblationMode::Added));
        const std::vector<WaterfallBar> &bars = page.chart.bars;
        QCOMPARE(page.chart.unit, QStringLiteral("GFLOPS"));
        QCOMPARE(page.chart.reference, 0.0);
        QCOMPARE(bars.size(), 5U);
        using Places = std::vector<std::optional<std::size_t>>;
        QVERIFY((page.contributions == Places{{}, 0, 1, 2, {}}));
        for (std::size_t i = 0; i < bars.size(); ++i)
            QCOMPARE(bars[i].id, static_cast<int>(i));

        QCOMPARE(bars[0].kind, WaterfallBar::Kind::Total);
        QCOMPARE(bars[0].to, 1.0);
        QCOMPARE(bars[0].low, 8.0 / 9); // the longest time is the lowest level
        QCOMPARE(bars[0].high, 8.0 / 7);

        QCOMPARE(bars[1].number, QStringLiteral("1"));
        QCOMPARE(bars[1].name, QStringLiteral("split"));
        QCOMPARE(bars[1].label, QStringLiteral("1 · split(i, [None, 8])"));
        QCOMPARE(bars[1].from, 1.0);
        QCOMPARE(bars[1].to, 2.0);
        QCOMPARE(bars[1].low, 8.0 / 5); // with the step
        QCOMPARE(bars[1].gain, 2.0);
        QCOMPARE(bars[1].gainLow, 1.9);
        QCOMPARE(bars[1].gainHigh, 2.1);
        QVERIFY(bars[1].significant && bars[1].note.isEmpty());

        QCOMPARE(bars[2].kind, WaterfallBar::Kind::Missing);
        QCOMPARE(bars[2].from, 2.0); // where the one before it ended
        QCOMPARE(bars[2].to, 2.0);
        QCOMPARE(bars[2].note, QStringLiteral("It does not compile."));

        QCOMPARE(bars[3].number, QStringLiteral("4 +1"));
        QCOMPARE(bars[3].note, QStringLiteral("With step 3."));
        QVERIFY(!bars[3].significant);

        QCOMPARE(bars[4].kind, WaterfallBar::Kind::Total);
        QCOMPARE(bars[4].to, 8.0);
    }

    /// The whole schedule is the level that steps are taken from: there is no bar of the unscheduled program.
    void stepsThatAreLeftOut()
    {
        Ablation left = ablation(AblationMode::Removed);
        left.steps[1] = {.place = 1, .label = "annotate(b)", .isSame = true};
        const app::WaterfallPage page = app::waterfallOf(left);
        QCOMPARE(page.chart.bars.size(), 4U);
        QCOMPARE(page.chart.reference, 8.0);
        QCOMPARE(page.contributions.front(), std::optional<std::size_t>(0));
        QVERIFY(!page.contributions.back());
        QCOMPARE(page.chart.bars[0].low, 8.0 / 9); // without the step
        QCOMPARE(page.chart.bars[1].from, 8.0);
        QCOMPARE(page.chart.bars[1].note, QStringLiteral("The program is the same without it."));
        QCOMPARE(page.chart.bars[2].note, QStringLiteral("Left out with it: step 3."));
    }

    void callsWhereNothingIsComputed()
    {
        Ablation moves = ablation(AblationMode::Added);
        moves.flops = 0;
        const app::WaterfallPage page = app::waterfallOf(moves);
        QCOMPARE(page.chart.unit, QStringLiteral("calls/s"));
        QCOMPARE(page.chart.bars[0].to, 1.0 / 8);
        QCOMPARE(page.chart.bars[4].to, 1.0);
    }

    /// Programs that were not timed have levels of zero, not of infinity.
    void nothingWasTimed()
    {
        Ablation none{.mode = AblationMode::Added,
                      .steps = {{.place = 0, .label = "parallel(i)"}},
                      .first = {},
                      .last = {},
                      .flops = 1e9};
        const app::WaterfallPage page = app::waterfallOf(none);
        QCOMPARE(page.chart.bars.size(), 3U);
        for (const WaterfallBar &bar : page.chart.bars)
            QVERIFY(bar.from == 0 && bar.to == 0 && bar.low == 0 && bar.high == 0);
        QCOMPARE(page.chart.bars[1].note, QStringLiteral("The first program that could be measured."));
        none.steps.clear();
        QCOMPARE(app::waterfallOf(none).chart.bars.size(), 2U);
    }

    void inWords()
    {
        const std::vector<Contribution> steps = ablation(AblationMode::Added).steps;
        const QString first = app::contributionText(steps[0], AblationMode::Added);
        QVERIFY2(
            first.startsWith(QStringLiteral("1 · split(i, [None, 8]): 2× as fast with it (1.9× … 2.1×), ")),
            qPrintable(first));
        QVERIFY(first.contains(QStringLiteral("8.00 s without it, 4.00 s with it.")));
        QCOMPARE(app::contributionText(steps[1], AblationMode::Added),
                 QStringLiteral("2 · vectorize(j1): It does not compile."));
        const QString last = app::contributionText(steps[2], AblationMode::Added);
        QVERIFY(last.contains(QStringLiteral("(0.9× … 6×), not significant,")));
        QVERIFY(last.endsWith(QStringLiteral(" With step 3.")));
        QVERIFY(app::contributionText(steps[2], AblationMode::Removed)
                    .endsWith(QStringLiteral(" Left out with it: step 3.")));
        QCOMPARE(
            app::contributionText({.place = 4, .label = "bind(i)", .isSame = true}, AblationMode::Removed),
            QStringLiteral("5 · bind(i): the program is the same without it."));
        QCOMPARE(app::contributionText({.place = 0, .label = "bind(i)"}, AblationMode::Added),
                 QStringLiteral("1 · bind(i): the first program that could be measured."));
    }
};

QTEST_GUILESS_MAIN(WaterfallPageTest)
#include "waterfall_page_test.moc"
