// SPDX-License-Identifier: Apache-2.0
#include "core/measure/measurer.h"

#include "core/analysis/kernel/counts.h"
#include "core/backend/backend.h"
#include "core/ir/node/attributes.h"
#include "core/ir/node/equality.h"
#include "core/lower/custom_intrinsics.h"
#include "core/measure/argument_sets.h"
#include "core/measure/codes.h"
#include "core/measure/given_inputs.h"
#include "core/measure/job_arguments.h"
#include "core/measure/machine/device_peak.h"
#include "core/measure/machine/impossible_times.h"
#include "core/measure/sandbox/edited_compiler.h"
#include "core/measure/verify/error_bounds.h"
#include "core/measure/verify/reference_loops.h"
#include "core/measure/verify/reference_program.h"
#include "core/measure/verify/sound_program.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"
#include "core/support/files/atomic_file.h"
#include "core/support/files/temporary_folder.h"
#include "core/support/text/json.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <format>
#include <ranges>
#include <thread>
#include <utility>

namespace nestwright::measure {

using json = support::Json;
using support::Diagnostic;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// Operations of a program whose bounds are computed the long way: more would keep a person waiting.
constexpr double mostTightFlops = 3e8;

std::string readableBytes(double bytes)
{
    static constexpr const char *units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    std::size_t unit = 0;
    while (bytes >= 1000 && unit + 1 < std::size(units)) {
        bytes /= 1000;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof text, bytes < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
    return text;
}

const ir::Module::Entry *findEntry(const ir::Module &module, const std::string &name)
{
    if (name.empty())
        return module.mainEntry();
    for (const ir::Module::Entry &entry : module.functions()) {
        if (entry.name == name)
            return &entry;
    }
    return nullptr;
}

Measurement failedFor(const Diagnostic &reason, const MeasureRequest &request)
{
    Measurement failed;
    failed.failed = failureOf(reason);
    failed.failure = reason;
    failed.flops = request.flops;
    failed.threads = request.threads;
    return failed;
}

/// Tells requests with other arguments apart.
std::string keyOf(const std::vector<ArgumentSet> &sets)
{
    std::string key;
    for (const ArgumentSet &set : sets) {
        key += std::format("\n{} {} {}", static_cast<int>(set.values), set.seed, set.sizes);
        for (const BufferSpec &spec : set.buffers) {
            key += '/' + spec.file;
            for (const std::int64_t extent : spec.shape)
                key += '/' + std::to_string(extent);
        }
    }
    return key;
}

/// Whether the variant is the program by which all are judged, in the same arithmetic by the same compiler.
bool isUnscheduled(const ir::Module &variant, const ir::Module &reference, const target::Target &target)
{
    target::Target processor;
    processor.threads = target.threads;
    return target.str() == processor.str() && backend::isBuilt(target::TargetKind::Llvm)
           && std::ranges::none_of(
               variant.functions(),
               [](const ir::Module::Entry &entry) { return ir::allowsFastMath(*entry.function); })
           && ir::structuralHash(variant) == ir::structuralHash(reference);
}

std::chrono::seconds silenceOf(const WorkerOptions &options, const target::Target &target)
{
    const int times = target.kind == target::TargetKind::OpenCl ? 3 : 1;
    return options.silence.value_or(times * WorkerOptions::usualSilence);
}

} // namespace

int threadsOf(const target::Target &target)
{
    return target.threads > 0 ? target.threads
                              : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Measurer::Measurer(WorkerOptions options) : m_options(options), m_worker(std::move(options)) {}

Measurer::~Measurer() = default;

void Measurer::warmUp()
{
    [[maybe_unused]] const auto started = m_worker.start(); // a failure shows with the first request
}

Result<support::TemporaryFolder *> Measurer::folder()
try {
    if (!m_folder)
        m_folder = std::make_unique<support::TemporaryFolder>();
    return m_folder.get();
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

Result<KernelFile> Measurer::compile(const ir::Module &module, const std::string &function,
                                     const target::Target &target, const MeasureJob &job,
                                     const std::stop_token &stop, const backend::EditedCode *edited)
{
    const bool isEmulated = job.isEmulated && target.isGpu();
    std::string key = std::to_string(ir::structuralHash(module)) + '/' + function + '/' + target.str()
                      + (isEmulated ? " emulated" : "");
    for (const std::string &library : job.externs.paths)
        key += '\n' + library;
    if (edited)
        key +=
            std::format("\n{} {}\n{}", backend::sourceFormat(edited->kind).name, edited->name, edited->text);
    if (const auto found = m_compiled.find(key); found != m_compiled.end())
        return found->second;
    if (auto sound = requireSound(module, function); !edited && !sound)
        return std::unexpected(sound.error());
    auto artifact = edited       ? compileEdited(module, target, *edited, stop)
                    : isEmulated ? backend::compileEmulated(module, target, stop)
                                 : backend::compile(module, target, stop, job.externs);
    if (!artifact)
        return std::unexpected(artifact.error());
    const auto place = folder();
    if (!place)
        return std::unexpected(place.error());
    KernelFile file;
    // A folder of its own: as it is loaded, code may read what lies beside it.
    const std::filesystem::path own = (*place)->path() / ("kernel-" + std::to_string(m_compiled.size()));
    std::error_code failed;
    std::filesystem::create_directory(own, failed); // a failure shows where the file is written
    file.path = (own / "kernel").string();
    file.entry = function;
    if (auto written = support::writeAtomically(file.path, artifact->bytes, {.durable = false}); !written)
        return std::unexpected(written.error());
    artifact->bytes.clear();
    file.artifact = std::move(*artifact);
    m_compiled.emplace(key, file);
    return file;
}

Result<std::string> Measurer::writeInput(const ir::NdArray &array)
{
    const std::uint64_t content = contentOf(array);
    if (const auto known = m_inputFiles.find(content); known != m_inputFiles.end())
        return known->second;
    const auto place = folder();
    if (!place)
        return std::unexpected(place.error());
    std::string path = ((*place)->path() / ("input-" + std::to_string(m_inputFiles.size()))).string();
    const auto bytes = array.bytes();
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    if (auto written = support::writeAtomically(path, text, {.durable = false}); !written)
        return std::unexpected(written.error());
    m_inputFiles.emplace(content, path);
    return path;
}

Result<void> Measurer::describeArguments(const MeasureJob &job, const ir::PrimFunc &function,
                                         MeasureRequest &request)
{
    auto arguments = argumentsOf(function, job);
    if (!arguments)
        return std::unexpected(arguments.error());
    double totalBytes = 0;
    for (std::size_t i = 0; i < arguments->buffers.size(); ++i) {
        BufferSpec &spec = arguments->buffers[i];
        totalBytes += spec.bytes();
        const auto given = job.inputs.find(arguments->names[i]);
        if (given == job.inputs.end())
            continue;
        auto path = writeInput(given->second);
        if (!path)
            return std::unexpected(path.error());
        spec.file = std::move(*path);
    }
    // Three copies live at one time: the reference's results, those of the check, and the arguments of a
    // process that runs a kernel.
    if (totalBytes * 3 > static_cast<double>(m_options.memoryBytes))
        return fail(diagnostic(codes::tooLarge,
                               "the arguments of '" + request.reference.entry + "' need "
                                   + readableBytes(totalBytes) + " three times over, but the worker may use "
                                   + readableBytes(static_cast<double>(m_options.memoryBytes)))
                        .withHint("measure a smaller problem, or raise the memory limit"));
    request.flops = analysis::countsOf(function, arguments->sizes).flops;
    if (!std::isfinite(request.flops))
        return fail(beyondCounting(request.reference.entry));
    request.reductionLength = longestReduction(function, arguments->sizes);
    auto sets = argumentSets(function, job, *arguments);
    if (!sets)
        return std::unexpected(sets.error());
    request.sets = std::move(*sets);
    return {};
}

Result<MeasureRequest> Measurer::makeRequest(const MeasureJob &job, const std::stop_token &stop)
{
    const ir::Module::Entry *entry = findEntry(job.reference, job.function);
    if (!entry)
        return fail("measure.no-function", job.function.empty()
                                               ? "the module has no function 'main'"
                                               : "the module has no function '" + job.function + '\'');
    MeasureRequest request;
    request.reference.entry = entry->name;
    if (auto described = describeArguments(job, *entry->function, request); !described)
        return std::unexpected(described.error());
    // The rules for a script's own intrinsics are those of the target measured, wherever the reference runs.
    const auto known = lower::lowerCustomIntrinsics(job.reference, job.target);
    if (!known)
        return std::unexpected(known.error());
    if (auto sound = requireSound(job.reference, entry->name); !sound) // at its own lines
        return std::unexpected(sound.error());
    const ir::Module quick = withQuickLoops(*known);
    const ReferenceProgram program = referenceProgram(quick, job.target);
    auto reference = compile(program.module, entry->name, program.target, job, stop);
    if (!reference)
        return std::unexpected(reference.error());
    request.reference = std::move(*reference);
    const BoundsOfSums sums = request.flops <= mostTightFlops ? BoundsOfSums::Tight : BoundsOfSums::Quick;
    if (auto bounded = withErrorBounds(quick, entry->name, sums)) {
        const ReferenceProgram precise = referenceProgram(bounded->module, job.target);
        // Where it does not compile, the reference has no bounds.
        if (auto file = compile(precise.module, entry->name, precise.target, job, stop))
            request.bounds = {std::move(*file), std::move(bounded->bounded)};
    }
    request.hasOwnMemory = hasOwnMemory(*entry->function);
    request.referenceKey = keyOf(request.sets);
    request.threads = threadsOf(job.target);
    request.memoryBytes = m_options.memoryBytes;
    request.silenceSeconds = static_cast<double>(silenceOf(m_options, job.target).count());
    request.secondsPerRepetition = job.secondsPerRepetition;
    request.secondsPerVariant = job.secondsPerVariant;
    request.repetitions = job.repetitions;
    request.flushCache = job.flushCache;
    request.counters = job.counters;
    request.verifyOnly = job.verifyOnly;
    request.relativeTolerance = job.relativeTolerance;
    return request;
}

Result<std::vector<Measurement>> Measurer::ask(const MeasureRequest &request, const ProgressSink &progress,
                                               const std::stop_token &stop)
{
    const std::size_t count = request.candidates.size();
    const auto tell = [&](const json &line) {
        if (auto step = progressFromJson(line, count))
            progress(*step);
    };
    auto answer = m_worker.ask({{"do", "measure"}, {"request", toJson(request)}}, tell, stop);
    if (!answer)
        return std::unexpected(answer.error());
    auto measurements = measurementsFromJson(*answer, count);
    if (!measurements)
        return measurements;
    for (Measurement &each : *measurements) { // known here, so that it is not the worker's to say
        each.flops = request.flops;
        each.threads = request.threads;
    }
    return measurements;
}

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
        auto again = ask(request, progress, stop);
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
    auto request = makeRequest(job, stop);
    if (!request)
        return std::unexpected(request.error());
    const ir::Module::Entry *entry = findEntry(job.reference, job.function);

    // Variants that do not compile keep their place in the answer.
    std::vector<Measurement> results(job.variants.size());
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < job.variants.size(); ++i) {
        const auto edit = job.edits.find(i);
        auto file = compile(job.variants[i], entry->name, job.target, job, stop,
                            edit == job.edits.end() ? nullptr : &edit->second);
        if (stop.stop_requested())
            return fail(support::codes::cancelled, "measuring was cancelled");
        if (!file) {
            results[i].failed = Failure::Compile;
            results[i].failure = file.error();
            continue;
        }
        file->isUnscheduled =
            edit == job.edits.end() && isUnscheduled(job.variants[i], job.reference, job.target);
        places.push_back(i);
        request->candidates.push_back(std::move(*file));
    }
    const auto inPlace = [&](Progress step) {
        std::vector<Measurement> partial = results;
        for (std::size_t i = 0; i < step.partial.size() && i < places.size(); ++i)
            partial[places[i]] = step.partial[i];
        step.partial = std::move(partial);
        progress(step);
    };
    if (!places.empty()) {
        auto measured = ask(*request, inPlace, stop);
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
    auto answer = m_worker.ask({{"do", "peak"}, {"threads", threads}}, [](const json &) {}, stop);
    if (!answer)
        return std::unexpected(answer.error());
    auto peak = machinePeakFromJson(answer->contains("peak") ? answer->at("peak") : json());
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
        return target.kind == target::TargetKind::Cuda ? knownPeak(target)
                                                       : machinePeak(threadsOf(target), stop);
    if (auto known = loadCachedPeak(gpu->name))
        return known;
    auto peak = measureDevicePeak(*this, target, *gpu, std::move(stop));
    if (peak)
        storeCachedPeak(*peak);
    return peak;
}

} // namespace nestwright::measure
