// SPDX-License-Identifier: Apache-2.0
/// The contribution of each step of a schedule to its speed: steps added one by one, or left out one by one.
#pragma once

#include "core/explore/judge/judges.h"
#include "core/explore/step_path.h"

namespace nestwright::explore {

enum class AblationMode : std::uint8_t {
    Added,   ///< each program of the way against the one before it
    Removed, ///< the whole schedule against itself without a step, and without those that need it
};

/// Times are seconds of a call.
struct Contribution {
    std::size_t place = 0; ///< of the step
    std::string label;     ///< of the step
    /// Added: steps beside it that change no program by themselves. Removed: steps that need it, which are
    /// left out with it.
    std::vector<std::size_t> others{};
    std::size_t from = 0; ///< Added: the position that it is compared with, the last before it that was timed
    measure::Interval without{}, with{};          ///< the step; zero where it was not timed
    std::optional<measure::Speedup> gain{};       ///< time without the step to that with it, of one run
    bool isSame = false;                          ///< Removed: the program is the same without it
    std::optional<support::Diagnostic> failure{}; ///< why its program was not timed
};

struct Ablation {
    AblationMode mode = AblationMode::Added;
    std::vector<Contribution> steps; ///< in the order of the schedule
    measure::Interval first, last;   ///< unscheduled (Added only) and with all steps; zero where not timed
    double flops = 0;                ///< of a call
    std::size_t measured = 0;        ///< programs, those measured in several runs once in each
    double otherLoad = 0;            ///< processors that other programs kept busy, in the busiest run
    bool disturbed = false;          ///< by them
};

/// Most programs timed in one run; a longer schedule is timed in several runs.
inline constexpr std::size_t largestRun = 12;

/// Times the programs of `path` alternately. Each different one stands twice in a run: a difference within
/// what the two differ by is not significant (measure::pairedSpeedup). Errors: those of `timer`,
/// "explore.no-steps", "explore.unknown" (Removed: the whole schedule was not timed). Throws
/// support::Stopped.
support::Result<Ablation> ablate(const StepPath &path, const Timer &timer, AblationMode mode,
                                 std::size_t programsInRun = largestRun);

/// The same effort as `job` has for a variant, where each is timed twice.
measure::MeasureJob ablationJob(measure::MeasureJob job);

/// The steps beside that of `step`, as people count: "with steps 3 and 4"; empty where there are none.
std::string othersText(const Contribution &step, AblationMode mode);

} // namespace nestwright::explore
