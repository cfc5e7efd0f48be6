// SPDX-License-Identifier: Apache-2.0
#include "core/measure/statistics.h"

#include "core/support/errors/errors.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace nestwright::measure {

namespace {

constexpr int resampleCount = 2000;

double medianInPlace(std::vector<double> &values)
{
    if (values.empty())
        return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

} // namespace

double perSecond(std::span<const double> seconds)
{
    const double each = median(seconds); // the statistic of all reported times
    return each > 0 ? 1 / each : 0;
}

double median(std::span<const double> samples)
{
    std::vector<double> values(samples.begin(), samples.end());
    return medianInPlace(values);
}

Interval bootstrapMedian(std::span<const double> samples)
{
    const double middle = median(samples);
    if (samples.size() < 2)
        return {middle, middle, middle};
    std::mt19937 generator(12345); // NOLINT(cert-msc51-cpp): the interval must be reproducible
    std::vector<double> medians(resampleCount), resample(samples.size());
    for (double &each : medians) {
        for (double &value : resample)
            value = samples[generator() % samples.size()];
        each = medianInPlace(resample);
    }
    std::ranges::sort(medians);
    constexpr auto low = static_cast<std::size_t>(resampleCount * 0.025);
    return {medians[low], middle, medians[resampleCount - 1 - low]};
}

namespace {

Interval pairedRatio(std::span<const double> baseline, std::span<const double> other)
{
    NW_ASSERT(!baseline.empty() && baseline.size() == other.size(), "the series were not taken in pairs");
    std::vector<double> ratios(baseline.size());
    for (std::size_t i = 0; i < ratios.size(); ++i)
        ratios[i] = baseline[i] / other[i];
    return bootstrapMedian(ratios);
}

} // namespace

Change changeOf(const Speedup &speedup)
{
    if (!speedup.significant)
        return Change::NotSignificant;
    return speedup.ratio.low > 1    ? Change::Faster
           : speedup.ratio.high < 1 ? Change::Slower
                                    : Change::NotSignificant;
}

Change changeOf(const Interval &before, const Interval &after)
{
    return after.high < before.low   ? Change::Faster
           : after.low > before.high ? Change::Slower
                                     : Change::NotSignificant;
}

std::string_view describe(Change change)
{
    switch (change) {
    case Change::NotSignificant: return "not significant";
    case Change::Faster: return "faster";
    case Change::Slower: break;
    }
    return "slower";
}

Speedup toldSpeedup(const Interval &ratio, bool significant)
{
    return {ratio, changeOf(Speedup{ratio, significant}) != Change::NotSignificant};
}

Speedup pairedSpeedup(std::span<const double> baseline, std::span<const double> candidate,
                      std::span<const double> again)
{
    const Interval noise = pairedRatio(baseline, again);
    const Interval ratio = pairedRatio(baseline, candidate);
    const bool isBeyondNoise = ratio.low > noise.high || ratio.high < noise.low;
    return toldSpeedup(ratio, isBeyondNoise && baseline.size() >= fewestPairs);
}

Speedup roughSpeedup(std::span<const double> baseline, std::span<const double> candidate)
{
    NW_ASSERT(!baseline.empty() && !candidate.empty(), "a series without samples");
    constexpr double noise = 1.1;
    const auto [least, most] = std::ranges::minmax(baseline);
    const auto [low, high] = std::ranges::minmax(candidate);
    const Interval ratio{least / high, median(baseline) / median(candidate), most / low};
    const bool areApart = ratio.low > noise || ratio.high < 1 / noise;
    return toldSpeedup(ratio, areApart && std::min(baseline.size(), candidate.size()) >= fewestSamples);
}

Speedup speedupOf(std::span<const double> baseline, std::span<const double> candidate,
                  std::span<const double> again)
{
    const bool areInPairs = baseline.size() == candidate.size() && baseline.size() == again.size()
                            && baseline.size() >= fewestPairs;
    return areInPairs ? pairedSpeedup(baseline, candidate, again) : roughSpeedup(baseline, candidate);
}

namespace {

std::vector<double> ranksOf(std::span<const double> figures)
{
    std::vector<std::size_t> order(figures.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return figures[i]; });
    std::vector<double> ranks(figures.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i;
        while (end < order.size() && figures[order[end]] == figures[order[i]])
            ++end;
        for (std::size_t j = i; j < end; ++j)
            ranks[order[j]] = static_cast<double>(i + end - 1) / 2;
        i = end;
    }
    return ranks;
}

} // namespace

double rankCorrelation(std::span<const double> a, std::span<const double> b)
{
    const std::vector<double> x = ranksOf(a), y = ranksOf(b);
    const double mean = static_cast<double>(x.size() - 1) / 2;
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

} // namespace nestwright::measure
