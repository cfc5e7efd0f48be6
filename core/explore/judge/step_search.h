// SPDX-License-Identifier: Apache-2.0
/// The step of a schedule that made the result wrong, or that lost the speed: the questions of people.
#pragma once

#include "core/explore/judge/judges.h"
#include "core/explore/judge/slowdown.h"
#include "core/explore/judge/smallest.h"

#include <chrono>

namespace nestwright::explore {

enum class Complaint : std::uint8_t { Wrong, Slow };

struct StepSearch {
    Complaint complaint = Complaint::Wrong;
    measure::MeasureJob job;                        ///< its variants are not asked
    measure::Rung rung = measure::Rung::Compiled;   ///< that says what is wrong
    double worse = noticeable;                      ///< least relative increase of the time
    std::optional<std::chrono::seconds> smallest{}; ///< looks for the smallest list too, for so long
};

struct FoundStep {
    std::size_t good = 0; ///< position before; the step's place
    std::size_t bad = 0;  ///< position after it; more than good + 1 where those between cannot be judged
    std::string sentence; ///< "step 4 of 9, reorder(k, j), lost the speed"
    std::string detail{}; ///< "13 ms became 1.8 s, 140 times as long as after step 3"
    std::vector<std::string> notes{}; ///< what else is to be known
    std::size_t judgements = 0;       ///< programs that were judged or measured
    bool isConfirmed = true;
    bool isMonotone = true;
    std::vector<std::size_t> unknown{};
    std::optional<Smallest>
        smallest{}; ///< the smallest list that is still wrong, or whose last step is slower
};

/// Nothing where the last program is right, or about as fast as any before. Errors: those of bisect,
/// findSlowdown and the measuring. Throws support::Stopped.
support::Result<std::optional<FoundStep>> findStep(const StepPath &path, measure::Measurer &measurer,
                                                   const StepSearch &search);

} // namespace nestwright::explore
