// SPDX-License-Identifier: Apache-2.0
/// Medians, bootstrap intervals and the comparison of two series measured alternately.
#pragma once

#include "core/measure/measurement.h"

#include <span>

namespace nestwright::measure {

/// The median; 0 for no samples. Even counts give the mean of the middle two.
double median(std::span<const double> samples);
/// How many there are per second, of those that took so many seconds each; 0 where they took none.
double perSecond(std::span<const double> seconds);

/// Median with the 95 % percentile bootstrap interval (Efron 1979) of 2,000 seeded resamples: the same
/// samples always give the same interval. One sample gives a point.
Interval bootstrapMedian(std::span<const double> samples);

/// Ratio baseline[i] / candidate[i] pair by pair, its median and interval. `again` is the baseline a second
/// time in the same rounds (A B A): the result is significant where its interval and that of
/// baseline / again do not overlap. The series must have the same, non-zero length.
Speedup pairedSpeedup(std::span<const double> baseline, std::span<const double> candidate,
                      std::span<const double> again);

/// The same of series too short for pairs: the ratio of the medians between those of the extremes;
/// significant where all of one series is more than a tenth beyond all of the other. Neither may be empty.
Speedup roughSpeedup(std::span<const double> baseline, std::span<const double> candidate);

/// How well two lists of figures agree in their order, from -1 to 1: C. Spearman's rank correlation (1904),
/// equal figures sharing their ranks. Of at least two figures each.
double rankCorrelation(std::span<const double> a, std::span<const double> b);

} // namespace nestwright::measure
