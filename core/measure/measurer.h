// SPDX-License-Identifier: Apache-2.0
/// From modules to measurements: compiles, asks the worker, explains failures.
#pragma once

#include "core/backend/edited_code.h"
#include "core/ir/ndarray.h"
#include "core/ir/node/function.h"
#include "core/measure/machine/machine_peak.h"
#include "core/measure/worker/worker.h"
#include "core/measure/worker/worker_client.h"
#include "core/target/target.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>

namespace nestwright::support {
class TemporaryFolder;
}

namespace nestwright::measure {

/// Variants of one kernel, to be measured alternately in one run.
struct MeasureJob {
    ir::Module reference; ///< the unscheduled program
    std::vector<ir::Module> variants;
    /// Code that is compiled in place of a variant's own, by its place in `variants`. Only what a person
    /// wrote here, or has agreed to run.
    std::map<std::size_t, backend::EditedCode> edits{};
    std::string function; ///< empty: the main function
    target::Target target;
    std::map<std::string, std::int64_t> sizes; ///< symbolic sizes by name; defaultSize for those not named
    std::int64_t defaultSize = 1024;
    int repetitions = 5;
    double secondsPerRepetition = 0.1;
    /// A variant whose single calls would take longer in all is repeated less often, twice at least.
    double secondsPerVariant = 2;
    bool flushCache = false;
    bool counters = false; ///< Measurement::counters, by further calls of each variant
    bool verifyOnly = false;
    bool isEmulated = false; ///< the variants' CUDA text runs on this processor; with verifyOnly
    std::uint64_t seed = 1;
    std::optional<double> relativeTolerance{}; ///< that a person grants beyond what rounding explains
    std::map<std::string, ir::NdArray> inputs; ///< arguments by name, given by a person; others are random
    backend::ExternLibraries externs;          ///< whose functions the variants may call
    bool wantPeak = true; ///< fill in peakFraction, measuring the machine's peak if it is not known
};

/// Owns a worker and the compiled kernels of its lifetime (in a temporary folder). Not for several threads at
/// once.
class Measurer {
public:
    explicit Measurer(WorkerOptions options = {});
    ~Measurer();

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
    void warmUp();

private:
    support::Result<KernelFile> compile(const ir::Module &module, const std::string &function,
                                        const target::Target &target, const MeasureJob &job,
                                        const std::stop_token &stop,
                                        const backend::EditedCode *edited = nullptr);
    support::Result<support::TemporaryFolder *> folder();
    /// Where the worker finds it; one file for all requests with that array.
    support::Result<std::string> writeInput(const ir::NdArray &array);
    support::Result<void> describeArguments(const MeasureJob &job, const ir::PrimFunc &function,
                                            MeasureRequest &request);
    support::Result<MeasureRequest> makeRequest(const MeasureJob &job, const std::stop_token &stop);
    support::Result<std::vector<Measurement>> ask(const MeasureRequest &request, const ProgressSink &progress,
                                                  const std::stop_token &stop);
    /// Measures those again, in processes of their own and with other numbers, whose times cannot be; what
    /// stays impossible is doubtful.
    void confirm(std::vector<Measurement> &measured, MeasureRequest request, const target::Target &target,
                 const ProgressSink &progress, const std::stop_token &stop);

    support::Result<MachinePeak> measurePeak(int threads, const std::stop_token &stop);
    void fillPeakFractions(std::vector<Measurement> &results, const target::Target &target,
                           const std::stop_token &stop);

    std::unique_ptr<support::TemporaryFolder> m_folder; ///< made with the first kernel
    WorkerOptions m_options;
    WorkerClient m_worker;
    std::map<std::string, KernelFile> m_compiled;      ///< by hash, target and libraries
    std::map<std::uint64_t, std::string> m_inputFiles; ///< by content
    std::map<int, MachinePeak> m_peaks;                ///< by threads
    std::chrono::steady_clock::time_point m_peakTime;  ///< when one was measured last
};

/// Threads that a target's parallel loops use on this machine.
int threadsOf(const target::Target &target);

} // namespace nestwright::measure
