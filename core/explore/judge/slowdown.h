// SPDX-License-Identifier: Apache-2.0
/// The step after which a schedule is slower than it was, and stays so.
#pragma once

#include "core/explore/judge/judges.h"
#include "core/explore/step_path.h"

namespace nestwright::explore {

struct Slowdown {
    std::size_t good = 0; ///< the last position that is about as fast as the best before it
    std::size_t bad = 0;  ///< the next that could be measured; good + 1 where all can be
    std::size_t best = 0; ///< the fastest position up to `good`
    measure::Measurement bestTime, badTime;
    measure::Speedup ratio; ///< of the best's time to that of `bad`, in a run of these two; significant
    /// Positions that were slower than the best before them, before the speed came back.
    std::vector<std::size_t> regained{};
    std::vector<std::size_t> unknown{}; ///< positions that were not measured
    std::size_t measured = 0;           ///< different programs
};

/// Least slowdown of a program that counts: 5 %.
inline constexpr double noticeable = 0.05;

/// Times all positions of the way against each other, and finds the last from which on all are slower by more
/// than `worse` than the best before, significantly (measure::pairedSpeedup). Nothing where the end is not.
/// Programs that are the same are measured once. Errors: those of `timer`, "explore.unknown" (the end was not
/// measured).
support::Result<std::optional<Slowdown>> findSlowdown(const StepPath &path, const Timer &timer,
                                                      double worse = noticeable);

/// Judges whether the last of some steps makes them slower by more than `worse`, significantly: Unknown
/// where one of the two programs is not measured.
Opinion judgeLastStep(const StepPath &path, const Timer &timer, double worse = noticeable);

} // namespace nestwright::explore
