// SPDX-License-Identifier: Apache-2.0
/// One schedule on a kernel of several shapes, on several targets and numbers of threads: where it is still
/// faster, where it is slower, and where its steps are not legal.
#pragma once

#include "core/measure/measurer.h"
#include "core/schedule/script/reader.h"
#include "core/session/reuse/kernel_sizes.h"
#include "core/session/session.h"

#include <functional>

namespace nestwright::session {

/// Steps that are made anew on each shape.
struct TransferSchedule {
    std::string name;
    std::function<support::Result<schedule::ScriptRun>(const schedule::State &)> run;
    std::string text{}; ///< of the script, to quote the step that is refused; may be empty
};

/// Makes the steps. Error: that of the step that is refused, whose line `refused` then is.
support::Result<schedule::ScriptRun> runSteps(const TransferSchedule &schedule, const schedule::State &state,
                                              std::string &refused);

struct TransferRequest {
    std::string kernelText, kernelName; ///< as openWithSizes takes them
    std::vector<KernelSizes> shapes;
    std::vector<target::Target> targets; ///< each with its threads
    TransferSchedule schedule;
    std::optional<TransferSchedule>
        base{}; ///< the ratios are over this one, else over the unscheduled program
    int repetitions = 5;
    double secondsPerRepetition = 0.1;
    double secondsPerVariant = 2;
};

/// A shape on a target.
struct TransferCell {
    std::optional<measure::Measurement> base{}, scheduled{};
    std::optional<support::Diagnostic> why{}; ///< why there is no ratio
    std::string step{};                       ///< that was refused; empty where it was none
    bool isDone = false;

    /// Times of the base over those of the schedule; null where there is no ratio.
    const measure::Speedup *ratio() const;
};

/// Measures the two variants of `job` in turns, the base first; the cell has what comes of it. Error:
/// "cancelled".
support::Result<void> measureCell(TransferCell &cell, const measure::MeasureJob &job,
                                  measure::Measurer &measurer, const measure::ProgressSink &progress,
                                  std::stop_token stop = {});

struct TransferTable {
    std::string schedule, base;
    std::vector<KernelSizes> shapes;
    std::vector<target::Target> targets;
    std::vector<TransferCell> cells; ///< shape by shape

    const TransferCell &at(std::size_t shape, std::size_t target) const
    {
        return cells[shape * targets.size() + target];
    }
    TransferCell &at(std::size_t shape, std::size_t target) { return cells[shape * targets.size() + target]; }
    bool isWhole() const;
};

/// Each target with each number of threads, or as it is where there are none.
std::vector<target::Target> withThreads(const std::vector<target::Target> &targets,
                                        const std::vector<int> &threads);

/// The table after each cell, and how much is done, 0 … 1.
using TransferSink = std::function<void(const TransferTable &, double)>;

/// Fills all cells, one after the other. Every program is checked against the unscheduled one of its shape
/// before it is timed. Errors: "transfer.nothing" without shapes or targets, "cancelled"; those of a shape
/// or cell stand in the cell.
support::Result<TransferTable> measureTransfer(const TransferRequest &request, measure::Measurer &measurer,
                                               const TransferSink &told, std::stop_token stop = {});

/// A session on the kernel of one shape, with the steps of the schedule as variants. Errors: those of the
/// shape and of the steps.
support::Result<Session> sessionAt(const TransferRequest &request, const KernelSizes &shape);

} // namespace nestwright::session
