// SPDX-License-Identifier: Apache-2.0
/// Measuring of modules: compiles, asks the worker, explains failures.
#pragma once

#include "core/measure/build/kernel_builder.h"
#include "core/measure/job.h"
#include "core/measure/machine/machine_peak.h"
#include "core/measure/run/runner.h"

#include <chrono>
#include <map>

namespace nestwright::measure {

/// Compiles the variants of a job side by side and has them run one after the other. Keeps a worker and the
/// compiled kernels as long as it lives. Not for several threads at once.
class Measurer {
public:
    explicit Measurer(WorkerOptions options = {});

    /// One Measurement per variant, in order; a variant that failed says why. Errors are of the job as a
    /// whole: "measure.no-function", "measure.too-large", "measure.cannot-run" (target of another machine),
    /// those of backend::checkDevice, of compiling and running the reference, "cancelled".
    support::Result<std::vector<Measurement>> measure(const MeasureJob &job, const ProgressSink &progress,
                                                      std::stop_token stop = {});

    /// Multiply-add peak and bandwidths for `threads` threads: from the cache, or measured now (about two
    /// seconds). A disturbed one is measured again, once a minute.
    support::Result<MachinePeak> machinePeak(int threads, std::stop_token stop = {});

    /// The peak of the machine that runs code of `target`: known, or measured now. Of an NVIDIA GPU that is
    /// not here it is that of the data sheet.
    support::Result<MachinePeak> peakOf(const target::Target &target, std::stop_token stop = {});

    /// Starts the worker so that the first measurement does not wait for it.
    void warmUp() { m_runner.warmUp(); }

private:
    /// Measures those again, in processes of their own and with other numbers, whose times cannot be; what
    /// stays impossible is doubtful.
    void confirm(std::vector<Measurement> &measured, MeasureRequest request, const target::Target &target,
                 const ProgressSink &progress, const std::stop_token &stop);

    support::Result<MachinePeak> measurePeak(int threads, const std::stop_token &stop);
    void fillPeakFractions(std::vector<Measurement> &results, const target::Target &target,
                           const std::stop_token &stop);

    WorkerOptions m_options;
    Runner m_runner;
    KernelBuilder m_builder;
    std::map<int, MachinePeak> m_peaks;               ///< by threads
    std::chrono::steady_clock::time_point m_peakTime; ///< when one was measured last
};

} // namespace nestwright::measure
