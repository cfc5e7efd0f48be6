// SPDX-License-Identifier: Apache-2.0
#include "core/measure/doubt.h"

#include <QTest>
#include <cmath>
#include <random>
#include <vector>

using namespace nestwright::measure;

namespace {

std::vector<double> noisy(double centre, double spread, int count, unsigned seed)
{
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal(centre, spread);
    std::vector<double> samples(static_cast<std::size_t>(count));
    for (double &sample : samples)
        sample = normal(generator);
    return samples;
}

} // namespace

class StatisticsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eventsPerSecond()
    {
        QCOMPARE(perSecond(std::vector{0.25, 0.75}), 2.0);
        QCOMPARE(perSecond(std::vector{0.0}), 0.0);
        QCOMPARE(perSecond(std::vector<double>()), 0.0);
    }

    void medianOfOddAndEvenCounts()
    {
        QCOMPARE(median(std::vector<double>{3, 1, 2}), 2.0);
        QCOMPARE(median(std::vector<double>{4, 1, 3, 2}), 2.5);
        QCOMPARE(median({}), 0.0);
    }

    void intervalHoldsTheMedianAndIsReproducible()
    {
        const auto samples = noisy(10, 1, 30, 7);
        const Interval interval = bootstrapMedian(samples);
        QVERIFY(interval.low <= interval.median && interval.median <= interval.high);
        QVERIFY(interval.low < interval.high);
        QCOMPARE(interval.median, median(samples));
        const Interval again = bootstrapMedian(samples);
        QCOMPARE(again.low, interval.low);
        QCOMPARE(again.high, interval.high);
    }

    /// Both ends leave out as many of the resamples.
    void theIntervalOfMirroredSamplesIsMirrored()
    {
        for (unsigned seed = 0; seed < 20; ++seed) {
            const auto samples = noisy(10, 1, 30, seed);
            std::vector<double> mirrored;
            for (const double sample : samples)
                mirrored.push_back(-sample);
            const Interval interval = bootstrapMedian(samples), other = bootstrapMedian(mirrored);
            QCOMPARE(other.low, -interval.high);
            QCOMPARE(other.high, -interval.low);
        }
    }

    void oneSampleGivesAPoint()
    {
        const Interval interval = bootstrapMedian(std::vector<double>{4});
        QCOMPARE(interval.low, 4.0);
        QCOMPARE(interval.high, 4.0);
    }

    /// Of many intervals of the same population about 95 % must hold the true median.
    void intervalsCoverTheTruth()
    {
        int covered = 0;
        constexpr int experiments = 200;
        for (int i = 0; i < experiments; ++i) {
            const Interval interval = bootstrapMedian(noisy(5, 0.5, 25, static_cast<unsigned>(100 + i)));
            covered += interval.low <= 5 && 5 <= interval.high ? 1 : 0;
        }
        QVERIFY2(covered >= experiments * 88 / 100, qPrintable(QString::number(covered)));
    }

    void aDifferenceInsideTheNoiseIsNotSignificant()
    {
        const auto a = noisy(1, 0.02, 20, 1), again = noisy(1, 0.02, 20, 2), b = noisy(1, 0.02, 20, 3);
        QVERIFY(!pairedSpeedup(a, b, again).significant);
    }

    void aTwofoldSpeedupIsSignificant()
    {
        const auto a = noisy(1, 0.02, 20, 1), again = noisy(1, 0.02, 20, 2), b = noisy(0.5, 0.01, 20, 3);
        const Speedup speedup = pairedSpeedup(a, b, again);
        QVERIFY(speedup.significant);
        QVERIFY(speedup.ratio.median > 1.8 && speedup.ratio.median < 2.2);
    }

    void aSlowdownIsSignificantToo()
    {
        const auto a = noisy(1, 0.02, 20, 1), again = noisy(1, 0.02, 20, 2), b = noisy(2, 0.04, 20, 3);
        const Speedup speedup = pairedSpeedup(a, b, again);
        QVERIFY(speedup.significant);
        QVERIFY(speedup.ratio.median > 0.45 && speedup.ratio.median < 0.55);
    }

    void seriesTooShortForPairs()
    {
        const std::vector<double> slow{5.0, 5.1, 5.2}, quick{0.5, 0.51, 0.5}, near{4.6, 4.7}, far{4.2, 4.3};
        const Speedup tenfold = roughSpeedup(slow, quick);
        QVERIFY(tenfold.significant);
        QCOMPARE(tenfold.ratio.median, 5.1 / 0.5);
        QCOMPARE(tenfold.ratio.low, 5.0 / 0.51);
        QCOMPARE(tenfold.ratio.high, 5.2 / 0.5);
        QVERIFY(!roughSpeedup(slow, near).significant);
        QVERIFY(roughSpeedup(slow, far).significant);
        QVERIFY(roughSpeedup(quick, slow).significant);
        QVERIFY(!roughSpeedup(slow, slow).significant);
        QVERIFY(!roughSpeedup(near, slow).significant);
    }

    /// An interval that only touches the noise is not outside of it.
    void touchingTheNoiseIsNotSignificant()
    {
        const std::vector<double> one(5, 1.0), half(5, 0.5), twice(5, 2.0), slower(5, 0.501), faster(5, 1.99);
        QVERIFY(!pairedSpeedup(one, half, half).significant);
        QVERIFY(pairedSpeedup(one, half, slower).significant);
        QVERIFY(!pairedSpeedup(one, twice, twice).significant);
        QVERIFY(pairedSpeedup(one, twice, faster).significant);
    }

    /// "1.15× (0.85 … 1.46) faster" was said: beyond the noise of the A/A run, but holding 1.
    void aRatioThatHoldsOneIsNotSignificant()
    {
        const std::vector<double> before{1, 1, 1, 1, 1, 1, 1}, again{2, 2, 2, 2, 2, 2, 2},
            after{1.2, 1.2, 1.2, 0.9, 0.8, 0.8, 0.7};
        const Speedup speedup = pairedSpeedup(before, after, again);
        QVERIFY(speedup.ratio.low > 0.5 && speedup.ratio.low < 1 && speedup.ratio.high > 1);
        QVERIFY(!speedup.significant);
        QVERIFY(changeOf(speedup) == Change::NotSignificant);
    }

    void fewPairsTellNoDifference()
    {
        for (std::size_t count = 1; count < 8; ++count) {
            const std::vector<double> one(count, 1.0), half(count, 0.5);
            QCOMPARE(pairedSpeedup(one, half, one).significant, count >= fewestPairs);
            QCOMPARE(roughSpeedup(one, half).significant, count >= fewestSamples);
        }
        const std::vector<double> one(5, 1.0), half(1, 0.5);
        QVERIFY(!roughSpeedup(one, half).significant);
    }

    void tooFewSamplesAreADoubtOfTheirOwn()
    {
        const Speedup one = roughSpeedup(std::vector{23.0}, std::vector{1.0});
        QCOMPARE(doubtOf(one, 1), std::string_view("not enough samples"));
        QCOMPARE(doubtOf({{0.9, 1.0, 1.1}, false}, 40), std::string_view("not significant"));
        QVERIFY(doubtOf({{1.9, 2.0, 2.1}, true}, 40).empty());
    }

    /// Whatever was measured: a verdict lies on the side of its interval, and 1 is on none.
    void verdictsFollowTheirIntervals()
    {
        for (unsigned seed = 0; seed < 300; ++seed) {
            const int count = 1 + static_cast<int>(seed % 9);
            const auto a = noisy(1, 0.15, count, 3 * seed), again = noisy(1, 0.05, count, 3 * seed + 1),
                       b = noisy(0.7 + 0.1 * (seed % 7), 0.15, count, 3 * seed + 2);
            for (const Speedup &speedup : {pairedSpeedup(a, b, again), roughSpeedup(a, b)}) {
                const Change change = changeOf(speedup);
                QCOMPARE(speedup.significant, change != Change::NotSignificant);
                if (change == Change::Faster)
                    QVERIFY(speedup.ratio.low > 1);
                if (change == Change::Slower)
                    QVERIFY(speedup.ratio.high < 1);
            }
        }
    }

    void whatFilesTellIsNotMoreThanTheirIntervals()
    {
        QVERIFY(!toldSpeedup({0.85, 1.15, 1.46}, true).significant);
        QVERIFY(!toldSpeedup({1.1, 1.15, 1.2}, false).significant);
        QVERIFY(changeOf(toldSpeedup({1.1, 1.15, 1.2}, true)) == Change::Faster);
        QVERIFY(changeOf(toldSpeedup({0.8, 0.85, 0.9}, true)) == Change::Slower);
        QCOMPARE(QString::fromUtf8(describe(Change::Slower)), QString("slower"));
        QVERIFY(changeOf(Interval{1, 2, 3}, Interval{0.1, 0.2, 0.3}) == Change::Faster);
        QVERIFY(changeOf(Interval{1, 2, 3}, Interval{3, 4, 5}) == Change::NotSignificant);
        QVERIFY(changeOf(Interval{1, 2, 3}, Interval{4, 5, 6}) == Change::Slower);
    }

    void ranks()
    {
        QCOMPARE(rankCorrelation(std::vector<double>{1, 2, 3, 4}, std::vector<double>{10, 20, 30, 40}), 1.0);
        QCOMPARE(rankCorrelation(std::vector<double>{1, 2, 3, 4}, std::vector<double>{4, 3, 2, 1}), -1.0);
        QCOMPARE(rankCorrelation(std::vector<double>{1, 2, 3}, std::vector<double>{5, 5, 5}), 0.0);
        // Equal figures share their rank: 1.5, 1.5, 3, 4 beside 1, 2, 3, 4.
        QVERIFY(std::abs(rankCorrelation(std::vector<double>{1, 1, 2, 3}, std::vector<double>{1, 2, 3, 4})
                         - 0.9487)
                < 1e-4);
    }
};

QTEST_GUILESS_MAIN(StatisticsTest)
#include "statistics_test.moc"
