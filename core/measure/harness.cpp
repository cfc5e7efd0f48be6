// SPDX-License-Identifier: Apache-2.0
#include "core/backend/loaded_kernel.h"
#include "core/backend/runtime.h"
#include "core/ir/ndarray.h"
#include "core/measure/statistics.h"
#include "core/measure/worker.h"

#include <benchmark/benchmark.h>
#include <cmath>
#include <fstream>
#include <optional>
#include <sched.h>
#include <sstream>

namespace nestwright::measure {

using backend::LoadedKernel;
using ir::NdArray;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

constexpr double firstLookSeconds = 0.02; ///< of the quick estimate that is shown at once
constexpr std::size_t flushBytes = std::size_t{64} << 20;

struct Loaded {
    std::unique_ptr<LoadedKernel> kernel;
    LoadedKernel::Packed function = nullptr;
};

Result<Loaded> loadFile(const KernelFile &file)
{
    backend::Artifact artifact = file.artifact;
    std::ifstream stream(file.path, std::ios::binary);
    if (!stream)
        return fail("measure.file", "the compiled kernel '" + file.path + "' cannot be read");
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    artifact.bytes = std::move(bytes).str();
    auto kernel = backend::load(artifact);
    if (!kernel)
        return std::unexpected(kernel.error());
    Loaded loaded{std::move(*kernel), nullptr};
    loaded.function = loaded.kernel->find(file.entry);
    if (!loaded.function)
        return fail("measure.entry", "the compiled kernel has no function '" + file.entry + '\'');
    return loaded;
}

/// The arrays of one kind of call; inputs are the same for the reference and every candidate.
class Arrays {
public:
    explicit Arrays(const MeasureRequest &request)
    {
        for (std::size_t i = 0; i < request.buffers.size(); ++i) {
            const BufferSpec &spec = request.buffers[i];
            NdArray &array = m_arrays.emplace_back(spec.dtype, spec.shape);
            array.fillRandom(request.seed * 1000003 + i);
        }
        for (NdArray &array : m_arrays)
            m_pointers.push_back(&array);
    }
    std::span<NdArray *const> pointers() const { return m_pointers; }
    const NdArray &operator[](std::size_t i) const { return m_arrays[i]; }

private:
    std::vector<NdArray> m_arrays;
    std::vector<NdArray *> m_pointers;
};

/// What the reference wrote, kept between requests that have the same key.
struct ReferenceCache {
    std::string key;
    std::optional<Arrays> arrays;
};

Result<void> callOnce(const Loaded &loaded, const backend::Entry &entry, const Arrays &arrays,
                      const std::vector<std::int64_t> &scalars)
{
    auto packed = backend::PackedArguments::make(entry, arrays.pointers(), scalars);
    if (!packed)
        return std::unexpected(packed.error());
    const std::int32_t code = loaded.function(packed->data());
    if (code != 0)
        return fail("kernel.error", backend::describeKernelCode(code));
    return {};
}

double rootMeanSquare(const NdArray &array)
{
    double sum = 0;
    for (std::int64_t i = 0; i < array.size(); ++i) {
        const double value = array.at(i);
        sum += std::isfinite(value) ? value * value : 0;
    }
    return std::sqrt(sum / static_cast<double>(std::max<std::int64_t>(1, array.size())));
}

std::string elementName(std::int64_t flat, const std::vector<std::int64_t> &shape)
{
    std::string text;
    for (std::size_t i = shape.size(); i-- > 0;) {
        text.insert(0, std::to_string(flat % shape[i]) + (text.empty() ? "" : ", "));
        flat /= shape[i];
    }
    return '[' + text + ']';
}

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.7g", value);
    return text;
}

std::string bufferName(const backend::Entry &entry, std::size_t buffer)
{
    for (const backend::Argument &argument : entry.arguments) {
        if (argument.kind == backend::Argument::Kind::Buffer && buffer-- == 0)
            return argument.name;
    }
    return {};
}

/// Compares what the candidate wrote with what the reference wrote.
Result<void> checkResult(const MeasureRequest &request, const backend::Entry &entry, const Arrays &expected,
                         const Arrays &actual)
{
    for (std::size_t i = 0; i < request.buffers.size(); ++i) {
        if (!request.buffers[i].written)
            continue;
        const bool exact = !request.buffers[i].dtype.isFloating();
        const double scale = exact ? 0 : rootMeanSquare(expected[i]);
        const ir::Deviation worst = ir::compare(expected[i], actual[i], exact ? 0 : request.relativeTolerance,
                                                request.absoluteTolerance * scale);
        if (worst.withinTolerance)
            continue;
        const std::string where = bufferName(entry, i) + elementName(worst.index, request.buffers[i].shape);
        return fail(diagnostic("measure.wrong-result",
                               "wrong result: '" + where + "' is " + number(worst.actual)
                                   + ", but the unscheduled program gives " + number(worst.expected))
                        .withHint("undo the last step that changed the result; Verify names it"));
    }
    return {};
}

/// Takes one time per benchmark: seconds per iteration.
class TimeReporter : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context &) override { return true; }
    void ReportRuns(const std::vector<Run> &runs) override
    {
        for (const Run &run : runs) {
            iterations = run.iterations;
            seconds =
                run.real_accumulated_time / static_cast<double>(std::max<std::int64_t>(1, run.iterations));
        }
    }
    double seconds = 0;
    std::int64_t iterations = 1;
};

void initialiseBenchmark()
{
    static const bool once = [] {
        char name[] = "worker";
        char *arguments[] = {name, nullptr};
        int count = 1;
        benchmark::Initialize(&count, arguments);
        return true;
    }();
    (void)once;
}

void flushCaches()
{
    static std::vector<char> junk(flushBytes);
    for (std::size_t i = 0; i < junk.size(); i += 64)
        junk[i] = static_cast<char>(junk[i] + 1);
    benchmark::ClobberMemory();
}

/// One repetition of one candidate. `iterations` 0 lets Google Benchmark find how many fill `seconds`.
TimeReporter repetition(const Loaded &loaded, void **args, bool flush, double seconds,
                        std::int64_t iterations)
{
    const auto body = [&](benchmark::State &state) {
        for ([[maybe_unused]] auto round : state) {
            if (flush) {
                state.PauseTiming();
                flushCaches();
                state.ResumeTiming();
            }
            benchmark::DoNotOptimize(loaded.function(args));
        }
    };
    auto *registered = benchmark::RegisterBenchmark("kernel", body)->UseRealTime();
    if (iterations > 0)
        registered->Iterations(iterations);
    else
        registered->MinTime(seconds);
    TimeReporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter, "kernel");
    benchmark::ClearRegisteredBenchmarks();
    return reporter;
}

/// A candidate on its way through loading, checking and timing.
struct Candidate {
    Loaded loaded;
    std::optional<backend::PackedArguments> packed;
    std::int64_t iterations = 1;
    Measurement result;
};

void failWith(Candidate &candidate, Failure kind, support::Diagnostic reason)
{
    candidate.result.failed = kind;
    candidate.result.failure = std::move(reason);
    candidate.result.verdict = kind == Failure::WrongResult ? Verdict::Wrong : Verdict::NotVerified;
}

const backend::Entry &entryOf(const KernelFile &file) { return *file.artifact.find(file.entry); }

void loadAndCheck(const MeasureRequest &request, const KernelFile &file, const Arrays &expected,
                  Candidate &candidate)
{
    auto loaded = loadFile(file);
    if (!loaded)
        return failWith(candidate, Failure::Compile, loaded.error());
    candidate.loaded = std::move(*loaded);
    const Arrays actual(request);
    if (auto done = callOnce(candidate.loaded, entryOf(file), actual, request.scalars); !done)
        return failWith(candidate, Failure::Crash, done.error());
    if (auto same = checkResult(request, entryOf(file), expected, actual); !same)
        return failWith(candidate, Failure::WrongResult, same.error());
    candidate.result.verdict = Verdict::Verified;
}

/// All rounds of all candidates that are right, alternately: A B C A B C …
class Timing {
public:
    Timing(const MeasureRequest &request, std::vector<Candidate> &candidates, const Arrays &arrays,
           const ProgressSink &progress)
        : m_request(request)
        , m_candidates(candidates)
        , m_progress(progress)
    {
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (candidates[i].result.verdict != Verdict::Verified)
                continue;
            auto packed = backend::PackedArguments::make(entryOf(request.candidates[i]), arrays.pointers(),
                                                         request.scalars);
            if (packed)
                candidates[i].packed = std::move(*packed);
        }
    }

    void run()
    {
        initialiseBenchmark();
        for (Candidate &candidate : m_candidates) {
            time(candidate, true);
            tell(0);
        }
        std::vector<double> again; // the first candidate once more in each round: the noise of an A/A run
        for (int round = 0; round < m_request.repetitions; ++round) {
            for (Candidate &candidate : m_candidates) {
                time(candidate, false);
                tell(round); // also a sign of life: slow variants take seconds each
            }
            if (m_candidates.size() > 1 && m_candidates.front().packed)
                again.push_back(seconds(m_candidates.front()));
            tell(round + 1);
        }
        for (Candidate &candidate : m_candidates) {
            candidate.result.final = candidate.packed.has_value();
            compareWithFirst(candidate, again);
        }
    }

private:
    double seconds(Candidate &candidate)
    {
        return repetition(candidate.loaded, candidate.packed->data(), m_request.flushCache, 0,
                          candidate.iterations)
            .seconds;
    }

    void time(Candidate &candidate, bool firstLook)
    {
        if (!candidate.packed)
            return;
        Measurement &result = candidate.result;
        if (firstLook) {
            const TimeReporter first = repetition(candidate.loaded, candidate.packed->data(),
                                                  m_request.flushCache, firstLookSeconds, 0);
            const double wanted = m_request.secondsPerRepetition / std::max(first.seconds, 1e-9);
            candidate.iterations = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(wanted)));
            result.time = {first.seconds, first.seconds, first.seconds};
            return;
        }
        result.samples.push_back(seconds(candidate));
        result.time = bootstrapMedian(result.samples);
    }

    void compareWithFirst(Candidate &candidate, const std::vector<double> &again)
    {
        const std::vector<double> &first = m_candidates.front().result.samples;
        if (&candidate == &m_candidates.front() || candidate.result.samples.empty()
            || again.size() != first.size() || again.empty())
            return;
        const Interval noise = pairedSpeedup(first, again, {1, 1, 1}).ratio;
        candidate.result.speedup = pairedSpeedup(first, candidate.result.samples, noise);
    }

    void tell(int round)
    {
        std::vector<Measurement> partial;
        for (const Candidate &candidate : m_candidates)
            partial.push_back(candidate.result);
        m_progress({.fraction = 0.2 + 0.8 * round / std::max(1, m_request.repetitions),
                    .phase = "timing, round " + std::to_string(round) + " of "
                             + std::to_string(m_request.repetitions),
                    .partial = std::move(partial)});
    }

    const MeasureRequest &m_request;
    std::vector<Candidate> &m_candidates;
    const ProgressSink &m_progress;
};

/// Puts this thread on the first core and, by a loop without work, the pool's threads on the next ones: a caller that
/// wanders onto the core of one of its helpers halves the speed of a round. The pool's threads take their cores from the
/// mask they are born with, so they are made before this one is pinned.
void pinThreads(int threads)
{
    static const cpu_set_t allowed = [] {
        cpu_set_t set;
        CPU_ZERO(&set);
        sched_getaffinity(0, sizeof set, &set);
        return set;
    }();
    sched_setaffinity(0, sizeof allowed, &allowed);
    nestwright_set_threads(threads);
    nestwright_parallel_for([](void *, std::int64_t, std::int64_t) { return 0; }, nullptr, threads);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (!CPU_ISSET(core, &allowed))
            continue;
        cpu_set_t first;
        CPU_ZERO(&first);
        CPU_SET(core, &first);
        sched_setaffinity(0, sizeof first, &first);
        return;
    }
}

Result<const Arrays *> referenceResult(const MeasureRequest &request)
{
    static ReferenceCache cache;
    const std::string key = request.referenceKey + '/' + std::to_string(request.seed);
    if (cache.arrays && cache.key == key)
        return &*cache.arrays;
    auto loaded = loadFile(request.reference);
    if (!loaded)
        return std::unexpected(loaded.error());
    cache.arrays.emplace(request);
    cache.key = key;
    if (auto done = callOnce(*loaded, entryOf(request.reference), *cache.arrays, request.scalars); !done) {
        cache.arrays.reset();
        return std::unexpected(done.error());
    }
    return &*cache.arrays;
}

} // namespace

Result<std::vector<Measurement>> measureHere(const MeasureRequest &request, const ProgressSink &progress)
{
    pinThreads(request.threads);
    progress({.fraction = 0, .phase = "running the reference", .partial = {}});
    auto expected = referenceResult(request);
    if (!expected)
        return std::unexpected(expected.error());
    std::vector<Candidate> candidates(request.candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        progress({.fraction = 0.2 * static_cast<double>(i) / static_cast<double>(candidates.size()),
                  .phase = "checking the result",
                  .partial = {}});
        candidates[i].result.flops = request.flops;
        candidates[i].result.threads = request.threads;
        for (const BufferSpec &buffer : request.buffers) {
            std::int64_t count = 1;
            for (const std::int64_t extent : buffer.shape)
                count *= extent;
            candidates[i].result.bytes +=
                static_cast<double>(count * buffer.dtype.bytes() * buffer.dtype.lanes);
        }
        loadAndCheck(request, request.candidates[i], **expected, candidates[i]);
    }
    const Arrays arrays(request);
    if (!request.verifyOnly)
        Timing(request, candidates, arrays, progress).run();
    std::vector<Measurement> results;
    for (Candidate &candidate : candidates)
        results.push_back(std::move(candidate.result));
    return results;
}

} // namespace nestwright::measure
