// SPDX-License-Identifier: Apache-2.0
#include "core/graph/tensor_statistics.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <numeric>

using namespace nestwright;
using namespace nestwright::graph;

namespace {

ir::NdArray arrayOf(const std::vector<double> &values, ir::DataType dtype = ir::DataType::float32())
{
    ir::NdArray array(dtype, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        array.set(static_cast<std::int64_t>(i), values[i]);
    return array;
}

} // namespace

class TensorStatisticsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ofAFewNumbers()
    {
        const TensorStatistics s = statisticsOf(arrayOf({-1, 0, 0, 3, 8}));
        QCOMPARE(s.elements, 5);
        QCOMPARE(s.zeros, 2);
        QCOMPARE(s.notFinite, 0);
        QCOMPARE(s.least, -1);
        QCOMPARE(s.greatest, 8);
        QCOMPARE(s.mean, 2);
        QCOMPARE(s.deviation, std::sqrt((9.0 + 4 + 4 + 1 + 36) / 5));
        QCOMPARE(s.histogram[0], 1); // parts are 9/16 wide
        QCOMPARE(s.histogram[1], 2);
    }

    void leastAndGreatestStandAnywhere()
    {
        const TensorStatistics falling = statisticsOf(arrayOf({-2, -3, -7})),
                               mixed = statisticsOf(arrayOf({1, 5, -4, 2}));
        QCOMPARE(falling.greatest, -2);
        QCOMPARE(falling.least, -7);
        QCOMPARE(mixed.greatest, 5);
        QCOMPARE(mixed.least, -4);
    }

    void theLargestLiesInTheLastPart()
    {
        const TensorStatistics s = statisticsOf(arrayOf({0, 1, 2, 3, 16}));
        QCOMPARE(s.histogram.back(), 1);
        QCOMPARE(std::accumulate(s.histogram.begin(), s.histogram.end(), std::int64_t{0}), 5);
    }

    void nonFiniteNumbersAreCountedApart()
    {
        const double infinity = std::numeric_limits<double>::infinity();
        const TensorStatistics s = statisticsOf(arrayOf({infinity, 2, std::nan(""), 4}));
        QCOMPARE(s.notFinite, 2);
        QCOMPARE(s.least, 2);
        QCOMPARE(s.greatest, 4);
        QCOMPARE(s.mean, 3);
        const TensorStatistics none = statisticsOf(arrayOf({infinity}));
        QCOMPARE(none.notFinite, 1);
        QCOMPARE(none.mean, 0);
    }

    void equalNumbersAndNone()
    {
        const TensorStatistics same = statisticsOf(arrayOf({7, 7, 7}, ir::DataType::int64()));
        QCOMPARE(same.deviation, 0);
        QCOMPARE(same.histogram.front(), 3);
        QCOMPARE(statisticsOf(arrayOf({})).elements, 0);
    }
};

QTEST_GUILESS_MAIN(TensorStatisticsTest)
#include "tensor_statistics_test.moc"
