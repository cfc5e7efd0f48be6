// SPDX-License-Identifier: Apache-2.0
/// Medians, bootstrap intervals and the comparison of two series measured alternately.
#pragma once

#include "core/measure/measurement.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace nestwright::measure {

/// The median; 0 for no samples. Even counts give the mean of the middle two.
double median(std::span<const double> samples);
/// Rate per second of runs that took so many seconds each; 0 where they took none.
double perSecond(std::span<const double> seconds);

/// Median with the 95 % percentile bootstrap interval (Efron 1979) of 2,000 seeded resamples: the same
/// samples always give the same interval. One sample gives a point.
Interval bootstrapMedian(std::span<const double> samples);

/// The fewest pairs that tell a difference: of five equal ones all ratios lie on one side of 1 once in
/// sixteen, and beyond all those of the noise more seldom; of four, once in eight.
inline constexpr std::size_t fewestPairs = 5;
/// The fewest samples of each series that is not in pairs.
inline constexpr std::size_t fewestSamples = 2;

/// A difference of speed, as far as it can be told.
enum class Change : std::uint8_t { NotSignificant, Faster, Slower };

/// The one rule for all verdicts on a ratio: faster where it is significant and its whole interval lies above
/// 1, slower where all of that lies below 1.
Change changeOf(const Speedup &speedup);
/// The change between two times that were not measured alternately: significant where their intervals do not
/// overlap.
Change changeOf(const Interval &before, const Interval &after);
/// "not significant", "faster", "slower".
std::string_view describe(Change change);
/// A ratio that a file or another process tells: it is significant only where its interval agrees.
Speedup toldSpeedup(const Interval &ratio, bool significant);

/// Ratio baseline[i] / candidate[i] pair by pair, its median and interval. `again` is the baseline a second
/// time in the same rounds (A B A): the result is significant where there are fewestPairs, its interval does
/// not hold 1, and it and that of baseline / again do not overlap. The series must have the same, non-zero
/// length.
Speedup pairedSpeedup(std::span<const double> baseline, std::span<const double> candidate,
                      std::span<const double> again);

/// The same of series too short for pairs: the ratio of the medians between those of the extremes;
/// significant where all of one series is more than a tenth beyond all of the other and both have
/// fewestSamples. Neither may be empty.
Speedup roughSpeedup(std::span<const double> baseline, std::span<const double> candidate);

/// The first where the three are in pairs and there are fewestPairs of them, else the second.
Speedup speedupOf(std::span<const double> baseline, std::span<const double> candidate,
                  std::span<const double> again);

/// How well two lists of figures agree in their order, from -1 to 1: C. Spearman's rank correlation (1904),
/// equal figures sharing their ranks. Of at least two figures each.
double rankCorrelation(std::span<const double> a, std::span<const double> b);

} // namespace nestwright::measure
