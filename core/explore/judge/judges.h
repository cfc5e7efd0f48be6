// SPDX-License-Identifier: Apache-2.0
/// Judges of programs: whether the result is right, and how long they take.
#pragma once

#include "core/explore/judge/judgement.h"
#include "core/measure/measurer.h"
#include "core/measure/verify/rungs.h"

#include <functional>
#include <vector>

namespace nestwright::explore {

/// The opinion that follows from a comparison with the unscheduled program: Bad where the result is wrong or
/// a run fails, Unknown where there is none (it does not compile, takes too long). Throws support::Stopped
/// where it was cancelled.
Opinion opinionOf(const support::Result<void> &verified);

using ProgramJudge = std::function<Opinion(const ir::Module &program, Round round)>;

/// Judges whether a program computes what `job.reference` does on random inputs (opinionOf); the confirmation
/// has others than the search. `measurer` must live as long.
ProgramJudge judgeOfResults(measure::Measurer &measurer, measure::MeasureJob job, measure::Rung rung);

/// Times programs alternately in one job, and compares each with the first (Measurement::speedup).
using Timer =
    std::function<support::Result<std::vector<measure::Measurement>>(std::vector<ir::Module> programs)>;

/// Times them as `job` says, in place of its variants. Progress goes to support::tellPhase. Stops as above.
Timer timerOf(measure::Measurer &measurer, measure::MeasureJob job);

} // namespace nestwright::explore
