// SPDX-License-Identifier: Apache-2.0
/// Runs of a model, in turns with the same under other schedules where it is compared with them.
#pragma once

#include "app/cli/model.h"
#include "core/measure/machine/machine_peak.h"
#include "core/session/model/model_times.h"

#include <functional>
#include <optional>

namespace nestwright::cli {

struct Contest {
    CompiledModel now;
    std::optional<CompiledModel> before; ///< the same program with the other schedules
    int series() const { return before ? 3 : 1; }
};

/// The runs of one program.
struct Series {
    std::vector<double> runs;               ///< seconds of each
    std::vector<std::vector<double>> steps; ///< seconds of each step, run by run

    /// Seconds of all steps of `kernel`, run by run.
    std::vector<double> ofKernel(const graph::Program &program, int kernel) const;
};

struct ContestTimes {
    Series now;
    Series before, again;      ///< where it compares: the other schedules, twice in each round, for the noise
    std::int64_t mostHeld = 0; ///< bytes, by the process that ran it
    double otherLoad = 0;      ///< as in measure::Measurement
    bool disturbed = false;

    /// Whether each run has those that it is compared with.
    bool compares() const { return !again.runs.empty() && again.runs.size() == now.runs.size(); }
    /// Ratio of the whole model, if it compares.
    measure::Speedup speedup() const;
    /// Ratio of all calls of one kernel.
    measure::Speedup speedup(const graph::Program &program, int kernel) const;
};

struct ContestEffort {
    int repetitions = 10;
    int timeout = 600; ///< seconds
};

/// Times of `contest.now` on `target` as a session keeps them; its kernels have `schedules`, the default ones
/// where it names none.
session::ModelTimes keptTimes(const Contest &contest, const ContestTimes &times, const target::Target &target,
                              const graph::Schedules &schedules,
                              const support::Result<measure::MachinePeak> &peak);

/// Has the model run in a process apart on random inputs, but for those that are given, and fills in `times`;
/// `onRun` is called after each run: the first gives times, the others make them more certain. Errors:
/// "kernel.crash", "kernel.time-out", "model.compare".
support::Result<void> takeTimes(const Contest &contest, const frontend::ModelGraph &opened,
                                const ContestEffort &effort, ContestTimes &times,
                                const std::function<void()> &onRun = {});

} // namespace nestwright::cli
