// SPDX-License-Identifier: Apache-2.0
#include "core/measure/statistics.h"

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
