// SPDX-License-Identifier: Apache-2.0
/// The fastest of several programs of one kernel, and those that no measurement tells apart from it.
#pragma once

#include "core/measure/measurer.h"

#include <functional>

namespace nestwright::explore {

struct Ranking {
    /// Measurements in the order of the job's variants; for those about as fast as the best, from the final.
    std::vector<measure::Measurement> measured;
    std::optional<std::size_t> best{}; ///< of them; nothing where none ran
    std::vector<std::size_t> tied{};   ///< others whose difference from the best is not significant

    bool isTied(std::size_t index) const;
    /// The best is faster than every other that ran, significantly.
    bool isClear() const { return best && tied.empty(); }
};

/// Gives what measure::Measurer::measure does.
using RunPrograms = std::function<support::Result<std::vector<measure::Measurement>>(
    const measure::MeasureJob &, const measure::ProgressSink &)>;

/// Times all variants of the job in turns, each the shorter the more there are, then once more those that are
/// about as fast as the fastest, in more rounds and with that one twice in each (A/A): different is only what
/// differs by more than the noise of this. Errors: those of `run`.
support::Result<Ranking> rank(const RunPrograms &run, const measure::MeasureJob &job,
                              const measure::ProgressSink &progress);
support::Result<Ranking> rank(measure::Measurer &measurer, const measure::MeasureJob &job,
                              const measure::ProgressSink &progress, std::stop_token stop = {});

} // namespace nestwright::explore
