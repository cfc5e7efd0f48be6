// SPDX-License-Identifier: Apache-2.0
/// The worker's own part of measuring: it has kernels run in processes apart, compares their results, and
/// asks for times. No generated code runs here, so its verdict on a variant is its own word.
#include "core/backend/codes.h"
#include "core/backend/runtime.h"
#include "core/measure/codes.h"
#include "core/measure/comparison.h"
#include "core/measure/enclosure.h"
#include "core/measure/kernel_arrays.h"
#include "core/measure/kernel_runs.h"
#include "core/measure/other_load.h"
#include "core/measure/perf_counters.h"
#include "core/measure/repetition.h"
#include "core/measure/statistics.h"
#include "core/measure/teller.h"
#include "core/measure/worker.h"
#include "core/support/codes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <unistd.h>

namespace nestwright::measure {

using ir::NdArray;
using support::Diagnostic;
using support::diagnostic;
using support::fail;
using support::Result;
using Clock = std::chrono::steady_clock;

namespace {

constexpr double firstLookSeconds = 0.02; ///< of the quick estimate that is shown at once
/// Times that a process reports are believed within the clock here, with room for a busy machine.
constexpr double clockSlack = 0.05, leastShare = 0.02;

/// The results of one call of `kernel`, computed in a process that ends with the call.
Result<std::vector<NdArray>> resultOf(const MeasureRequest &request, const KernelFile &kernel,
                                      Precision precision, Teller &teller)
{
    const Outputs outputs(request, precision);
    const SharedMemory memory(outputs.bytes());
    auto enclosure = Enclosure::start(oneCall(request, kernel, precision, memory.bytes()));
    if (!enclosure)
        return std::unexpected(enclosure.error());
    const auto answer = hear(*enclosure, request, teller);
    if (!answer)
        return std::unexpected(answer.error());
    enclosure->kill(); // its output so far is all of it
    if (static_cast<Word>(answer->kind) != Word::Returned)
        return fail(codes::crash, "the kernel's process said something else than was asked");
    if (answer->number != 0)
        return fail(backend::codes::kernelError, backend::describeKernelCode(answer->number));
    return outputs.load(memory.bytes());
}

/// Results of the reference, kept between requests that have the same key.
class References {
public:
    Result<const std::vector<NdArray> *> find(const MeasureRequest &request, Teller &teller)
    {
        return find(m_plain, request, request.reference, Precision::AsDeclared, teller);
    }
    /// Null where the request has none.
    Result<const std::vector<NdArray> *> findPrecise(const MeasureRequest &request, Teller &teller)
    {
        if (!request.precise)
            return nullptr;
        return find(m_precise, request, *request.precise, Precision::Double, teller);
    }

private:
    struct Kept {
        std::string key;
        std::vector<NdArray> results;
    };

    static Result<const std::vector<NdArray> *> find(std::optional<Kept> &kept, const MeasureRequest &request,
                                                     const KernelFile &kernel, Precision precision,
                                                     Teller &teller)
    {
        const std::string key = kernel.path + '/' + request.referenceKey + '/' + std::to_string(request.seed);
        if (!kept || kept->key != key) {
            kept.reset();
            auto results = resultOf(request, kernel, precision, teller);
            if (!results)
                return std::unexpected(results.error());
            kept.emplace(key, std::move(*results));
        }
        return &kept->results;
    }

    std::optional<Kept> m_plain, m_precise;
};

std::string bufferName(const backend::Entry &entry, std::size_t buffer)
{
    for (const backend::Argument &argument : entry.arguments) {
        if (argument.kind == backend::Argument::Kind::Buffer && buffer-- == 0)
            return argument.name;
    }
    return {};
}

/// The largest relative difference of all results. Error "measure.wrong-result".
Result<double> compareResults(const MeasureRequest &request, const backend::Entry &entry,
                              const std::vector<NdArray> &expected, const std::vector<NdArray> &actual,
                              const std::vector<NdArray> *precise)
{
    double difference = 0;
    const Tolerance tolerance{request.relativeTolerance, request.absoluteTolerance, request.reductionLength};
    for (std::size_t i = 0, written = 0; i < request.buffers.size(); ++i) {
        if (!request.buffers[i].written)
            continue;
        const std::size_t place = written++;
        const auto excess =
            firstExcess(expected[place], actual[place], tolerance, precise ? &(*precise)[place] : nullptr);
        if (!excess) {
            difference = std::max(difference, largestRelativeDifference(expected[place], actual[place]));
            continue;
        }
        const std::string element =
            bufferName(entry, i) + elementIndices(excess->index, request.buffers[i].shape);
        return fail(
            diagnostic(codes::wrongResult, describe(*excess, element, request.buffers[i].dtype, tolerance))
                .withHint(
                    "undo the step that made it so: nestc bisect finds it, and the menu of the history"));
    }
    return difference;
}

/// A candidate on its way through checking and timing.
struct Candidate {
    std::int64_t iterations = 1; ///< calls in a sample
    std::size_t samples = 0;     ///< how many are wanted
    bool isSlow = false;         ///< there is no time for all repetitions
    Measurement result;
    bool isVerified() const { return result.verdict == Verdict::Verified && result.failed == Failure::None; }
};

void failWith(Candidate &candidate, Failure kind, Diagnostic reason)
{
    candidate.result.failed = kind;
    candidate.result.failure = std::move(reason);
    candidate.result.verdict = kind == Failure::WrongResult ? Verdict::Wrong : Verdict::NotVerified;
}

void check(const MeasureRequest &request, const KernelFile &file, const std::vector<NdArray> &expected,
           const std::vector<NdArray> *precise, Teller &teller, Candidate &candidate)
{
    if (file.path == request.reference.path && file.entry == request.reference.entry) {
        candidate.result.verdict = Verdict::Verified; // the reference itself, whose result is at hand
        return;
    }
    const auto actual = resultOf(request, file, Precision::AsDeclared, teller);
    if (!actual)
        return failWith(candidate, failureOf(actual.error()), actual.error());
    const backend::Entry &entry = *file.artifact.find(file.entry);
    auto difference = compareResults(request, entry, expected, *actual, precise);
    if (!difference && file.artifact.isEdited)
        difference.error().hint = "look at the lines that were edited";
    if (!difference)
        return failWith(candidate, Failure::WrongResult, difference.error());
    candidate.result.difference = *difference;
    candidate.result.verdict = Verdict::Verified;
}

/// All rounds of some candidates, alternately: A B C A B C … in one process.
class Timing {
public:
    Timing(const MeasureRequest &request, std::vector<Candidate> &candidates, std::vector<std::size_t> chosen,
           Teller &teller)
        : m_request(request)
        , m_candidates(candidates)
        , m_chosen(std::move(chosen))
        , m_teller(teller)
    {
    }

    /// Error: the reason why the process ended. The candidates then have no times.
    Result<void> run()
    {
        for (const std::size_t i : m_chosen)
            m_candidates[i].result.samples.clear();
        auto done = rounds();
        if (done)
            return {};
        for (const std::size_t i : m_chosen) {
            m_candidates[i].result.samples.clear();
            m_candidates[i].result.time = {};
        }
        return done;
    }

private:
    Result<void> rounds()
    {
        auto started = Enclosure::start(timing(m_request, m_chosen));
        if (!started)
            return std::unexpected(started.error());
        m_process = std::move(*started);
        if (const auto ready = hear(m_process, m_request, m_teller); !ready)
            return std::unexpected(ready.error());
        const OtherLoad load({getpid(), m_process.process()});
        for (std::size_t place = 0; place < m_chosen.size(); ++place) {
            if (const auto looked = firstLook(place); !looked)
                return looked;
            tell(0);
        }
        std::vector<double> again; // the first candidate once more in each round: the noise of an A/A run
        for (int round = 0; round < m_request.repetitions; ++round) {
            for (std::size_t place = 0; place < m_chosen.size(); ++place) {
                Candidate &candidate = m_candidates[m_chosen[place]];
                Measurement &result = candidate.result;
                if (result.samples.size() >= candidate.samples)
                    continue;
                const auto seconds = repeat(place);
                if (!seconds)
                    return std::unexpected(seconds.error());
                result.samples.push_back(*seconds);
                result.time = bootstrapMedian(result.samples);
                tell(round);
            }
            if (m_candidates.size() > 1 && m_chosen.front() == 0 && !m_candidates.front().isSlow) {
                const auto seconds = repeat(0);
                if (!seconds)
                    return std::unexpected(seconds.error());
                again.push_back(*seconds);
            }
            tell(round + 1);
        }
        const double others = load.processors().value_or(0);
        for (const std::size_t i : m_chosen) {
            Measurement &result = m_candidates[i].result;
            result.final = true;
            result.otherLoad = others;
            result.disturbed = disturbs(others, m_request.threads, usableCores());
            compareWithFirst(m_candidates[i], again);
        }
        return {};
    }

    /// Finds how many calls and samples a candidate gets. One call of a slow candidate is its first sample.
    Result<void> firstLook(std::size_t place)
    {
        const auto first = time(place, firstLookSeconds, 0);
        if (!first)
            return std::unexpected(first.error());
        const double call = std::max(*first, 1e-9);
        const double wanted = m_request.secondsPerRepetition / call;
        Candidate &candidate = m_candidates[m_chosen[place]];
        candidate.iterations = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(wanted)));
        candidate.result.time = {*first, *first, *first};
        const double all = m_request.repetitions;
        const double fitting = candidate.iterations == 1 ? m_request.secondsPerVariant / call : all;
        candidate.isSlow = fitting < all;
        candidate.samples = static_cast<std::size_t>(std::clamp(fitting, std::min(2.0, all), all));
        if (candidate.isSlow)
            candidate.result.samples.push_back(*first);
        return {};
    }

    Result<double> repeat(std::size_t place)
    {
        return time(place, 0, m_candidates[m_chosen[place]].iterations);
    }

    /// Seconds of one call. The time that the process reports must fit the clock here.
    Result<double> time(std::size_t place, double seconds, std::int64_t iterations)
    {
        Message order;
        order.kind = static_cast<std::int32_t>(Word::Time);
        order.number = static_cast<std::int32_t>(place);
        order.count = iterations;
        order.seconds = seconds;
        const auto begin = Clock::now();
        m_process.send(order);
        const auto answer = hear(m_process, m_request, m_teller);
        if (!answer)
            return std::unexpected(answer.error());
        const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
        const double claimed = answer->seconds * static_cast<double>(answer->count);
        const bool isForThis = static_cast<Word>(answer->kind) == Word::Timed
                               && answer->number == order.number && answer->count > 0
                               && (iterations == 0 || answer->count == iterations);
        const bool isPossible =
            std::isfinite(answer->seconds) && answer->seconds > 0 && claimed <= passed + clockSlack;
        const bool isLikely =
            iterations == 0 || m_request.flushCache || claimed >= leastShare * passed - clockSlack;
        if (!isForThis || !isPossible || !isLikely)
            return fail(codes::crash, "the times that the kernel's process tells are not those of the clock");
        return answer->seconds;
    }

    void compareWithFirst(Candidate &candidate, const std::vector<double> &again)
    {
        const std::vector<double> &first = m_candidates.front().result.samples;
        const std::vector<double> &samples = candidate.result.samples;
        if (&candidate == &m_candidates.front() || first.empty() || samples.empty())
            return;
        const bool inPairs = first.size() == samples.size() && first.size() == again.size();
        candidate.result.speedup =
            inPairs ? pairedSpeedup(first, samples, again) : roughSpeedup(first, samples);
    }

    void tell(int round)
    {
        std::vector<Measurement> partial;
        for (const Candidate &candidate : m_candidates)
            partial.push_back(candidate.result);
        m_teller.tell({.fraction = 0.2 + 0.8 * round / std::max(1, m_request.repetitions),
                       .phase = "timing, round " + std::to_string(round) + " of "
                                + std::to_string(m_request.repetitions),
                       .partial = std::move(partial)});
    }

    const MeasureRequest &m_request;
    std::vector<Candidate> &m_candidates;
    std::vector<std::size_t> m_chosen;
    Teller &m_teller;
    Enclosure m_process;
};

void timeAll(const MeasureRequest &request, std::vector<Candidate> &candidates, Teller &teller)
{
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].isVerified())
            chosen.push_back(i);
    }
    if (chosen.empty())
        return;
    auto together = Timing(request, candidates, chosen, teller).run();
    if (together)
        return;
    // The run together stopped: alone, each kernel shows whether the fault is its own.
    for (const std::size_t i : chosen) {
        const auto alone = chosen.size() == 1 ? together : Timing(request, candidates, {i}, teller).run();
        if (!alone)
            failWith(candidates[i], failureOf(alone.error()), alone.error());
    }
}

/// Before they are timed, which takes longer.
void tellVerdicts(const std::vector<Candidate> &candidates, Teller &teller)
{
    std::vector<Measurement> partial;
    for (const Candidate &candidate : candidates)
        partial.push_back(candidate.result);
    teller.tell({.fraction = 0.2, .phase = "timing", .partial = std::move(partial)});
}

/// Calls a candidate again, in a process of its own, so that times are taken without counters.
Counters eventsOf(const MeasureRequest &request, const KernelFile &kernel, std::int64_t calls, Teller &teller)
{
    if (backend::hasDriver(kernel.artifact.format))
        return {.counts = {},
                .absent = "no counters: they are of the processor, and a device ran the kernel"};
    const SharedMemory memory(sizeof(CountsInMemory));
    auto process = Enclosure::start(counting(request, kernel, calls, memory.bytes()));
    const auto answer = process ? hear(*process, request, teller) : Result<Message>(fail(process.error()));
    if (!answer || static_cast<Word>(answer->kind) != Word::Counted)
        return {.counts = {},
                .absent = "no counters: "
                          + (answer ? "the kernel's process did not count" : answer.error().message)};
    process->kill(); // its output so far is all of it
    CountsInMemory counts;
    std::memcpy(&counts, memory.bytes().data(), sizeof counts);
    return countersOf(counts, kernelEvents(), calls);
}

void countAll(const MeasureRequest &request, std::vector<Candidate> &candidates, Teller &teller)
{
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].result.ok())
            candidates[i].result.counters =
                eventsOf(request, request.candidates[i], candidates[i].iterations, teller);
    }
}

double bytesOfBuffers(const std::vector<BufferSpec> &buffers)
{
    double bytes = 0;
    for (const BufferSpec &buffer : buffers) {
        double count = buffer.dtype.bytes() * buffer.dtype.lanes;
        for (const std::int64_t extent : buffer.shape)
            count *= static_cast<double>(extent);
        bytes += count;
    }
    return bytes;
}

} // namespace

Failure failureOf(const Diagnostic &reason)
{
    if (reason.code == codes::timeOut)
        return Failure::TimeOut;
    if (reason.code == support::codes::cancelled)
        return Failure::Cancelled;
    if (reason.code == codes::load || reason.code == codes::file)
        return Failure::Compile;
    if (reason.code == codes::memory || reason.code == codes::tooLarge)
        return Failure::Memory;
    return reason.code == codes::crash || reason.code == backend::codes::kernelError ? Failure::Crash
                                                                                     : Failure::Worker;
}

Result<std::vector<Measurement>> measureHere(const MeasureRequest &request, const ProgressSink &progress)
{
    static References references;
    prepareRepetitions();
    Teller teller(progress);
    teller.tell({.fraction = 0, .phase = "running the reference", .partial = {}});
    const auto expected = references.find(request, teller);
    if (!expected)
        return std::unexpected(expected.error());
    const auto precise = references.findPrecise(request, teller);
    std::vector<Candidate> candidates(request.candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        teller.tell({.fraction = 0.2 * static_cast<double>(i) / static_cast<double>(candidates.size()),
                     .phase = "checking the result",
                     .partial = {}});
        candidates[i].result.flops = request.flops;
        candidates[i].result.threads = request.threads;
        candidates[i].result.bytes = bytesOfBuffers(request.buffers);
        check(request, request.candidates[i], **expected, precise ? *precise : nullptr, teller,
              candidates[i]);
    }
    tellVerdicts(candidates, teller);
    if (!request.verifyOnly)
        timeAll(request, candidates, teller);
    if (!request.verifyOnly && request.counters)
        countAll(request, candidates, teller);
    std::vector<Measurement> results;
    for (Candidate &candidate : candidates)
        results.push_back(std::move(candidate.result));
    return results;
}

} // namespace nestwright::measure
