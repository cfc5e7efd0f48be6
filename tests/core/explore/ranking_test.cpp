// SPDX-License-Identifier: Apache-2.0
// The fastest of several programs where their times are given: the final, its ties, who is not in it.
#include "core/explore/judge/ranking.h"

#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using explore::rank;
using explore::Ranking;
using measure::Measurement;

namespace {

Measurement timed(double median, double spread = 0.01)
{
    Measurement measurement;
    measurement.samples = {median * (1 - spread), median, median * (1 + spread)};
    measurement.time = {median * (1 - spread), median, median * (1 + spread)};
    return measurement;
}

Measurement failed()
{
    Measurement measurement;
    measurement.failed = measure::Failure::Crash;
    measurement.failure = support::diagnostic("kernel.crash", "it crashed");
    return measurement;
}

measure::MeasureJob jobOf(std::size_t programs)
{
    measure::MeasureJob job;
    for (std::size_t i = 0; i < programs; ++i)
        job.variants.emplace_back();
    return job;
}

/// Gives first the times of all, then those of each final, over the first of which others are so much faster.
struct Runs {
    std::vector<Measurement> first;
    std::vector<std::vector<measure::Speedup>> finals;
    std::vector<std::size_t> asked{}; ///< the number of programs of each run

    Ranking ranking()
    {
        const auto result = rank(
            [this](const measure::MeasureJob &job,
                   const measure::ProgressSink &) -> support::Result<std::vector<Measurement>> {
                asked.push_back(job.variants.size());
                if (asked.size() == 1)
                    return first;
                std::vector<Measurement> final{timed(1)};
                for (const measure::Speedup &over : finals.at(asked.size() - 2)) {
                    final.push_back(timed(1 / over.ratio.median));
                    final.back().speedup = over;
                }
                return final;
            },
            jobOf(first.size()), [](const measure::Progress &) {});
        if (!result)
            qFatal("%s", result.error().render().c_str());
        return *result;
    }
};

constexpr measure::Speedup slower{{.low = 0.9, .median = 0.92, .high = 0.94}, true};
constexpr measure::Speedup faster{{.low = 1.06, .median = 1.08, .high = 1.1}, true};
constexpr measure::Speedup same{{.low = 0.98, .median = 1.001, .high = 1.02}, false};
using Places = std::vector<std::size_t>;

} // namespace

class RankingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aClearWinnerNeedsNoFinal()
    {
        Runs runs{.first = {timed(2), timed(1), failed(), timed(1.5)}, .finals = {}};
        const Ranking ranking = runs.ranking();
        QCOMPARE(ranking.best, std::optional<std::size_t>(1));
        QVERIFY(ranking.isClear());
        QCOMPARE(runs.asked, (Places{4}));
        QCOMPARE(ranking.measured.size(), 4U);
    }

    void theFinalTellsWhoIsTied()
    {
        Runs runs{.first = {timed(1.02), timed(3), timed(1), timed(1.03)}, .finals = {{same, slower}}};
        const Ranking ranking = runs.ranking();
        QCOMPARE(runs.asked, (Places{4, 3}));
        QCOMPARE(ranking.best, std::optional<std::size_t>(2));
        QCOMPARE(ranking.tied, (Places{0}));
        QCOMPARE(ranking.measured[3].time.median, 1 / slower.ratio.median); // of the final
        QCOMPARE(ranking.measured[1].time.median, 3.0);
        QVERIFY(ranking.isTied(0) && !ranking.isTied(1) && !ranking.isTied(3) && !ranking.isClear());
    }

    /// Whoever wins a final is held against the others once more.
    void anotherWins()
    {
        Runs runs{.first = {timed(1), timed(1.01), timed(1.02)},
                  .finals = {{same, faster}, {slower, slower}}};
        const Ranking ranking = runs.ranking();
        QCOMPARE(runs.asked, (Places{3, 3, 3}));
        QCOMPARE(ranking.best, std::optional<std::size_t>(2));
        QVERIFY(ranking.isClear());
    }

    /// Of several that win the fastest does, wherever it stands; of two as fast the first.
    void theFastestOfSeveralWins()
    {
        constexpr measure::Speedup muchFaster{{.low = 1.2, .median = 1.25, .high = 1.3}, true};
        constexpr measure::Speedup equal{{.low = 1, .median = 1, .high = 1}, true};
        const auto bestOf = [](const std::vector<measure::Speedup> &final) {
            const std::vector<measure::Speedup> none(final.size(), slower);
            Runs runs{.first = {timed(1), timed(1.01), timed(1.02)}, .finals = {final, none}};
            return *runs.ranking().best;
        };
        QCOMPARE(bestOf({faster, muchFaster}), 2U);
        QCOMPARE(bestOf({muchFaster, faster}), 1U);
        QCOMPARE(bestOf({faster, faster}), 1U);
        QCOMPARE(bestOf({equal, slower}), 0U);
    }

    /// Who is exactly as far behind as two of one run may be is in the final.
    void theLastOfTheFinal()
    {
        Measurement last = timed(1.2);
        last.time.low = timed(1).time.high * 1.05;
        Runs runs{.first = {timed(1), last}, .finals = {{slower}}};
        QCOMPARE(runs.ranking().best, std::optional<std::size_t>(0));
        QCOMPARE(runs.asked, (Places{2, 2}));
    }

    /// There is an end also where every final has another winner.
    void finalsEnd()
    {
        Runs runs{.first = {timed(1), timed(1.01)}, .finals = {{faster}, {faster}, {faster}}};
        QCOMPARE(runs.ranking().best, std::optional<std::size_t>(1));
        QCOMPARE(runs.asked, (Places{2, 2, 2, 2}));
    }

    void noRoomInTheFinal()
    {
        Runs runs{.first = std::vector<Measurement>(12, timed(1)),
                  .finals = {std::vector<measure::Speedup>(9, slower)}};
        const Ranking ranking = runs.ranking();
        QCOMPARE(runs.asked, (Places{12, 10}));
        QCOMPARE(ranking.tied, (Places{10, 11}));
    }

    void noneRan()
    {
        Runs runs{.first = {failed(), failed()}, .finals = {}};
        QVERIFY(!runs.ranking().best);
    }

    void errorsOfTheRun()
    {
        const auto result = rank(
            [](const measure::MeasureJob &,
               const measure::ProgressSink &) -> support::Result<std::vector<Measurement>> {
                return support::fail("cancelled", "cancelled");
            },
            jobOf(2), [](const measure::Progress &) {});
        QVERIFY(!result && result.error().code == "cancelled");
    }

    /// Programs that are one and the same are told apart by no measurement.
    void oneProgramTwice()
    {
        measure::MeasureJob job;
        job.reference = tests::parsed(R"(@T.prim_func
def main(A: T.Buffer((64, 64)), B: T.Buffer((64, 64))):
    for i, j in T.grid(64, 64):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
)");
        job.variants = {job.reference, job.reference};
        job.repetitions = 4;
        job.secondsPerRepetition = 0.002;
        job.wantPeak = false;
        measure::Measurer measurer;
        double fraction = 0;
        const auto ranking = rank(measurer, job, [&](const measure::Progress &progress) {
            QVERIFY(progress.fraction >= 0 && progress.fraction <= 1);
            fraction = progress.fraction;
        });
        QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().render().c_str());
        QVERIFY(ranking->best && ranking->measured.size() == 2);
        QVERIFY(fraction > 0);
    }
};

QTEST_GUILESS_MAIN(RankingTest)
#include "ranking_test.moc"
