// SPDX-License-Identifier: Apache-2.0
#include "core/measure/measurer.h"

#include "core/backend/backend.h"
#include "core/measure/build/measure_request.h"
#include "core/measure/machine/device_peak.h"
#include "core/measure/machine/impossible_times.h"
#include "core/measure/machine/this_machine.h"
#include "core/support/errors/codes.h"
#include "core/target/kinds.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace nestwright::measure {

using support::Diagnostic;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

Measurement failedFor(const Diagnostic &reason, const MeasureRequest &request)
{
    Measurement failed;
    failed.failed = failureOf(reason);
    failed.failure = reason;
    failed.flops = request.flops;
    failed.threads = request.threads;
    return failed;
}

std::chrono::seconds silenceOf(const WorkerOptions &options, const target::Target &target)
{
    const int times = target::kindOf(target.kind).isCompiledWhenLoaded ? 3 : 1;
    return options.silence.value_or(times * WorkerOptions::usualSilence);
}

} // namespace

Measurer::Measurer(WorkerOptions options) : m_options(options), m_runner(std::move(options)) {}

void Measurer::confirm(std::vector<Measurement> &measured, MeasureRequest request,
                       const target::Target &target, const ProgressSink &progress,
                       const std::stop_token &stop)
{
    fillPeakFractions(measured, target, stop);
    const auto peak = peakOf(target, stop);
    if (!peak || peak->isGpu)
        return;
    const std::vector<KernelFile> all = std::exchange(request.candidates, {});
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!impossibility(measured[i], *peak, request.sets.front().buffers))
            continue;
        request.candidates = {all[i]};
        request.sets.front().seed += 1'000'003;
        request.referenceKey = keyOf(request.sets);
        auto again = m_runner.measure(request, progress, stop);
        if (!again)
            continue;
        again->front().speedup = measured[i].speedup;
        measured[i] = std::move(again->front());
        if (auto reason = impossibility(measured[i], *peak, request.sets.front().buffers)) {
            measured[i].failed = Failure::Impossible;
            measured[i].failure = std::move(*reason);
        }
    }
}

Result<std::vector<Measurement>> Measurer::measure(const MeasureJob &job, const ProgressSink &progress,
                                                   std::stop_token stop)
{
    if (!job.target.mtriple.empty())
        return fail(diagnostic("measure.cannot-run",
                               "code for target '" + job.target.str() + "' cannot be run on this machine")
                        .withHint("measure with target 'llvm', 'c' or 'opencl'"));
    if (!job.isEmulated) {
        if (const auto here = backend::checkDevice(job.target); !here)
            return fail(here.error());
    }
    progress({.fraction = 0, .phase = "compiling", .partial = {}});
    auto request = requestOf(job, m_builder, m_options.memoryBytes, stop);
    if (!request)
        return fail(request.error());
    request->silenceSeconds = static_cast<double>(silenceOf(m_options, job.target).count());

    // Variants that do not compile keep their place in the answer.
    std::vector<Result<KernelFile>> kernels =
        m_builder.build(buildTasks(job, request->reference.entry), stop);
    if (stop.stop_requested())
        return fail(support::codes::cancelled, "measuring was cancelled");
    std::vector<Measurement> results(job.variants.size());
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (!kernels[i]) {
            results[i].failed = Failure::Compile;
            results[i].failure = kernels[i].error();
            continue;
        }
        kernels[i]->isUnscheduled = isUnscheduled(job, i);
        places.push_back(i);
        request->candidates.push_back(*std::move(kernels[i]));
    }
    const auto inPlace = [&](Progress step) {
        std::vector<Measurement> partial = results;
        for (std::size_t i = 0; i < step.partial.size() && i < places.size(); ++i)
            partial[places[i]] = step.partial[i];
        step.partial = std::move(partial);
        progress(step);
    };
    if (!places.empty()) {
        auto measured = m_runner.measure(*request, inPlace, stop);
        if (measured && job.wantPeak && !job.verifyOnly)
            confirm(*measured, *request, job.target, [](const Progress &) {}, stop);
        if (!measured && measured.error().code == support::codes::cancelled)
            return std::unexpected(measured.error());
        if (stop.stop_requested())
            return fail(support::codes::cancelled, "measuring was cancelled");
        for (std::size_t i = 0; i < places.size(); ++i)
            results[places[i]] = measured ? std::move((*measured)[i]) : failedFor(measured.error(), *request);
    }
    if (job.wantPeak && !job.verifyOnly)
        fillPeakFractions(results, job.target, stop);
    return results;
}

void Measurer::fillPeakFractions(std::vector<Measurement> &results, const target::Target &target,
                                 const std::stop_token &stop)
{
    double best = 0;
    for (const Measurement &result : results)
        best = std::max(best, result.gflops() * 1e9);
    auto peak = peakOf(target, stop);
    // A kernel above the peak shows that the peak was taken while the machine was busy with other things.
    if (peak && !peak->isGpu && best > peak->float32Flops)
        peak = measurePeak(threadsOf(target), stop);
    if (!peak)
        return;
    for (Measurement &result : results | std::views::filter(&Measurement::ok))
        result.peakFraction = roofShare({result.flops, result.bytes}, result.time.median, *peak);
}

Result<MachinePeak> Measurer::measurePeak(int threads, const std::stop_token &stop)
{
    auto peak = m_runner.measurePeak(threads, stop);
    if (!peak)
        return peak;
    m_peakTime = std::chrono::steady_clock::now();
    storeCachedPeak(*peak);
    // A peak that was reached once counts.
    if (const auto earlier = m_peaks.find(threads); earlier != m_peaks.end()) {
        const bool isCalm = !peak->disturbed || !earlier->second.disturbed;
        *peak = higherOf(*peak, earlier->second);
        peak->disturbed = !isCalm;
    }
    m_peaks[threads] = *peak;
    return peak;
}

Result<MachinePeak> Measurer::machinePeak(int threads, std::stop_token stop)
{
    constexpr std::chrono::seconds beforeNextTry(60);
    const auto found = m_peaks.find(threads);
    if (found != m_peaks.end()
        && (!found->second.disturbed || std::chrono::steady_clock::now() - m_peakTime < beforeNextTry))
        return found->second;
    if (auto cached = loadCachedPeak(threads)) {
        m_peaks[threads] = *cached;
        return cached;
    }
    return measurePeak(threads, stop);
}

Result<MachinePeak> Measurer::peakOf(const target::Target &target, std::stop_token stop)
{
    const auto gpu = gpuOf(target);
    if (!gpu)
        return target::kindOf(target.kind).hasArchitectures() ? knownPeak(target)
                                                              : machinePeak(threadsOf(target), stop);
    if (auto known = loadCachedPeak(gpu->name))
        return known;
    auto peak = measureDevicePeak(*this, target, *gpu, std::move(stop));
    if (peak)
        storeCachedPeak(*peak);
    return peak;
}

} // namespace nestwright::measure
