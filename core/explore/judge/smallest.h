// SPDX-License-Identifier: Apache-2.0
/// The smallest list of steps that is still bad.
#pragma once

#include "core/explore/judge/judgement.h"
#include "core/explore/step_path.h"

#include <chrono>
#include <functional>

namespace nestwright::explore {

using PathJudge = std::function<Opinion(const StepPath &path)>;

struct SmallestOptions {
    std::chrono::steady_clock::duration limit = std::chrono::seconds(60);
    std::optional<std::size_t> kept{}; ///< the place of a step that may not be left out
};

struct Smallest {
    StepPath path;
    std::vector<std::size_t> places; ///< of its steps in the whole path, ascending
    support::Diagnostic reason;      ///< why it is bad
    bool isMinimal = false;          ///< no step of it can be left out; not known where the time was over
    std::size_t judgements = 0;
};

/// The steps of `path` that it takes for `judge` to say Bad, by delta debugging (A. Zeller and R.
/// Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002): parts of the list alone, then the
/// list without them, in ever smaller parts. Steps that cannot be made without one that is left out go with
/// it. Error: "explore.not-bad", where the whole path is not. Throws support::Stopped.
support::Result<Smallest> smallest(const StepPath &path, const PathJudge &judge,
                                   const SmallestOptions &options = {});

} // namespace nestwright::explore
