// SPDX-License-Identifier: Apache-2.0
#include "core/measure/measurer.h"

#include "core/analysis/counts.h"
#include "core/backend/backend.h"
#include "core/backend/compiler.h"
#include "core/ir/equality.h"
#include "core/ir/walk.h"
#include "core/lower/custom_intrinsics.h"
#include "core/support/errors.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

namespace nestwright::measure {

using nlohmann::json;
using support::Diagnostic;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

Failure failureOf(const Diagnostic &reason)
{
    if (reason.code == "worker.time-out")
        return Failure::TimeOut;
    if (reason.code == "cancelled")
        return Failure::Cancelled;
    if (reason.code == "measure.memory" || reason.code == "measure.too-large")
        return Failure::Memory;
    return reason.code == "worker.crash" || reason.code == "kernel.error" ? Failure::Crash : Failure::Worker;
}

/// The buffers that `body` stores to or names in the writes of a block.
ir::BufferMap<bool> writtenBuffers(const ir::Stmt &body)
{
    ir::BufferMap<bool> written;
    ir::forEachStmt(body, [&](const ir::Stmt &s) {
        if (const auto *store = s.as<ir::BufferStore>())
            written[store->buffer] = true;
        if (const auto *block = s.as<ir::Block>()) {
            for (const ir::BufferRegion &region : block->writes)
                written[region.buffer] = true;
        }
        return true;
    });
    return written;
}

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

/// Every symbolic size of the parameters by name: as given, or the default.
std::map<std::string, std::int64_t> allSizes(const ir::PrimFunc &function, const MeasureJob &job)
{
    std::map<std::string, std::int64_t> sizes = job.sizes;
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        for (const ir::Expr &extent : param.buffer.shape()) {
            if (const ir::Var size = ir::Var::from(extent))
                sizes.try_emplace(size.name(), job.defaultSize);
        }
    }
    return sizes;
}

/// A shape with numbers for symbolic sizes; fails where a dimension is neither a number nor a size.
Result<std::vector<std::int64_t>> concreteShape(const ir::Buffer &buffer,
                                                const std::map<std::string, std::int64_t> &sizes)
{
    std::vector<std::int64_t> shape;
    for (const ir::Expr &extent : buffer.shape()) {
        const auto *imm = extent.as<ir::IntImm>();
        const ir::Var size = ir::Var::from(extent);
        if (!imm && !size)
            return fail(
                diagnostic("measure.shape",
                           "a dimension of '" + buffer.name()
                               + "' is computed from other sizes; such kernels cannot be measured yet")
                    .withHint("replace the symbolic size by a number"));
        shape.push_back(imm ? imm->value : sizes.at(size.name()));
    }
    return shape;
}

} // namespace

int threadsOf(const lower::Target &target)
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

Result<KernelFile> Measurer::compile(const ir::Module &module, const std::string &function,
                                     const lower::Target &target, const std::stop_token &stop)
{
    const std::string key = std::to_string(ir::structuralHash(module)) + '/' + function + '/' + target.str();
    if (const auto found = m_compiled.find(key); found != m_compiled.end())
        return found->second;
    auto artifact = backend::compile(module, target, stop);
    if (!artifact)
        return std::unexpected(artifact.error());
    try {
        if (!m_folder)
            m_folder = std::make_unique<backend::TemporaryFolder>();
    } catch (const support::ScheduleError &error) {
        return fail(error.diagnostic());
    }
    KernelFile file;
    file.path = (m_folder->path() / ("kernel-" + std::to_string(m_compiled.size()))).string();
    file.entry = function;
    std::ofstream stream(file.path, std::ios::binary);
    stream << artifact->bytes;
    if (!stream.flush())
        return fail(
            diagnostic("measure.file", "the compiled kernel cannot be written to '" + file.path + '\'')
                .withHint("make room in the temporary folder"));
    artifact->bytes.clear();
    file.artifact = std::move(*artifact);
    m_compiled.emplace(key, file);
    return file;
}

Result<MeasureRequest> Measurer::makeRequest(const MeasureJob &job, const std::stop_token &stop)
{
    const ir::Module::Entry *entry = findEntry(job.reference, job.function);
    if (!entry)
        return fail("measure.no-function", job.function.empty()
                                               ? "the module has no function 'main'"
                                               : "the module has no function '" + job.function + '\'');
    MeasureRequest request;
    double totalBytes = 0;
    const auto sizes = allSizes(*entry->function, job);
    const auto written = writtenBuffers(entry->function->body);
    for (const ir::Param &param : entry->function->params) {
        if (!param.buffer) {
            request.scalars.push_back(1);
            continue;
        }
        auto shape = concreteShape(param.buffer, sizes);
        if (!shape)
            return std::unexpected(shape.error());
        BufferSpec spec{param.buffer.dtype(), std::move(*shape), written.contains(param.buffer)};
        double bytes = spec.dtype.bytes() * spec.dtype.lanes;
        for (const std::int64_t extent : spec.shape)
            bytes *= static_cast<double>(extent);
        totalBytes += bytes;
        request.buffers.push_back(std::move(spec));
    }
    // Three copies live in the worker: the reference's, the check's and the timing's.
    if (totalBytes * 3 > static_cast<double>(m_options.memoryBytes))
        return fail(diagnostic("measure.too-large",
                               "the arguments of '" + entry->name + "' need " + readableBytes(totalBytes)
                                   + " three times over, but the worker may use "
                                   + readableBytes(static_cast<double>(m_options.memoryBytes)))
                        .withHint("measure a smaller problem, or raise the memory limit"));
    lower::Target referenceTarget = job.target;
    if (backend::isBuilt(lower::TargetKind::Llvm)) {
        referenceTarget = {};
        referenceTarget.threads = job.target.threads;
    }
    // The rules for a script's own intrinsics are those of the target measured, wherever the reference runs.
    const auto known = lower::lowerCustomIntrinsics(job.reference, job.target);
    if (!known)
        return fail(known.error());
    auto reference = compile(*known, entry->name, referenceTarget, stop);
    if (!reference)
        return std::unexpected(reference.error());
    request.reference = std::move(*reference);
    request.referenceKey = request.reference.path;
    for (const BufferSpec &spec : request.buffers) {
        for (const std::int64_t extent : spec.shape)
            request.referenceKey += '/' + std::to_string(extent);
    }
    request.threads = threadsOf(job.target);
    request.seed = job.seed;
    request.flops = analysis::countsOf(*entry->function, sizes).flops;
    request.secondsPerRepetition = job.secondsPerRepetition;
    request.repetitions = job.repetitions;
    request.flushCache = job.flushCache;
    request.verifyOnly = job.verifyOnly;
    request.relativeTolerance = job.relativeTolerance;
    return request;
}

Result<std::vector<Measurement>> Measurer::ask(const MeasureRequest &request, const ProgressSink &progress,
                                               const std::stop_token &stop)
{
    const auto tell = [&](const json &line) {
        Progress step{line.value("progress", 0.0), line.value("phase", ""), {}};
        for (const json &partial : line.value("partial", json::array())) {
            if (auto measurement = measurementFromJson(partial))
                step.partial.push_back(std::move(*measurement));
        }
        progress(step);
    };
    auto answer = m_worker.ask({{"do", "measure"}, {"request", toJson(request)}}, tell, stop);
    if (!answer)
        return std::unexpected(answer.error());
    std::vector<Measurement> measurements;
    for (const json &each : answer->value("measurements", json::array())) {
        auto measurement = measurementFromJson(each);
        if (!measurement)
            return std::unexpected(measurement.error());
        measurements.push_back(std::move(*measurement));
    }
    return measurements;
}

Result<std::vector<Measurement>> Measurer::askOneByOne(const MeasureRequest &request,
                                                       const ProgressSink &progress,
                                                       const std::stop_token &stop)
{
    std::vector<Measurement> measurements;
    for (const KernelFile &candidate : request.candidates) {
        MeasureRequest one = request;
        one.candidates = {candidate};
        const auto tell = [&](Progress step) {
            step.partial.clear(); // indices are those of this one candidate
            progress(step);
        };
        auto answer = ask(one, tell, stop);
        if (answer) {
            measurements.push_back(std::move(answer->front()));
            continue;
        }
        Measurement failed;
        failed.failed = failureOf(answer.error());
        failed.failure = answer.error();
        failed.flops = request.flops;
        failed.threads = request.threads;
        measurements.push_back(std::move(failed));
    }
    return measurements;
}

Result<std::vector<Measurement>> Measurer::measure(const MeasureJob &job, const ProgressSink &progress,
                                                   std::stop_token stop)
{
    if (!job.target.mtriple.empty() || job.target.isGpu())
        return fail(diagnostic("measure.cannot-run",
                               "code for target '" + job.target.str() + "' cannot be run on this machine")
                        .withHint("measure with target 'llvm' or 'c'"));
    progress({.fraction = 0, .phase = "compiling", .partial = {}});
    auto request = makeRequest(job, stop);
    if (!request)
        return std::unexpected(request.error());
    const ir::Module::Entry *entry = findEntry(job.reference, job.function);

    // Variants that do not compile keep their place in the answer.
    std::vector<Measurement> results(job.variants.size());
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < job.variants.size(); ++i) {
        auto file = compile(job.variants[i], entry->name, job.target, stop);
        if (stop.stop_requested())
            return fail("cancelled", "measuring was cancelled");
        if (!file) {
            results[i].failed = Failure::Compile;
            results[i].failure = file.error();
            continue;
        }
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
        if (!measured && measured.error().code == "cancelled")
            return std::unexpected(measured.error());
        // Whatever stopped the run together, each variant alone tells whose fault it was.
        if (!measured)
            measured = askOneByOne(*request, inPlace, stop);
        if (stop.stop_requested())
            return fail("cancelled", "measuring was cancelled");
        for (std::size_t i = 0; i < places.size() && i < measured->size(); ++i)
            results[places[i]] = std::move((*measured)[i]);
    }
    if (job.wantPeak && !job.verifyOnly)
        fillPeakFractions(results, request->threads, stop);
    return results;
}

void Measurer::fillPeakFractions(std::vector<Measurement> &results, int threads, const std::stop_token &stop)
{
    double best = 0;
    for (const Measurement &result : results)
        best = std::max(best, result.gflops() * 1e9);
    auto peak = machinePeak(threads, stop);
    // A kernel above the peak shows that the peak was taken while the machine was busy with other things.
    if (peak && best > peak->float32Flops)
        peak = measurePeak(threads, stop);
    if (!peak)
        return;
    for (Measurement &result : results)
        result.peakFraction = result.gflops() * 1e9 / peak->float32Flops;
}

Result<MachinePeak> Measurer::measurePeak(int threads, const std::stop_token &stop)
{
    auto answer = m_worker.ask({{"do", "peak"}, {"threads", threads}}, [](const json &) {}, stop);
    if (!answer)
        return std::unexpected(answer.error());
    auto peak = machinePeakFromJson(answer->at("peak"));
    if (!peak)
        return peak;
    // What the machine has reached once, it can do.
    if (const auto earlier = m_peaks.find(threads); earlier != m_peaks.end())
        *peak = higherOf(*peak, earlier->second);
    storeCachedPeak(*peak);
    m_peaks[threads] = *peak;
    return peak;
}

Result<MachinePeak> Measurer::machinePeak(int threads, std::stop_token stop)
{
    if (const auto found = m_peaks.find(threads); found != m_peaks.end())
        return found->second;
    if (auto cached = loadCachedPeak(threads)) {
        m_peaks[threads] = *cached;
        return cached;
    }
    return measurePeak(threads, stop);
}

} // namespace nestwright::measure
