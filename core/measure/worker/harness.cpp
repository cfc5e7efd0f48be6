// SPDX-License-Identifier: Apache-2.0
/// The worker's own part of measuring: it has kernels run in processes apart, compares their results, and
/// asks for times. No generated code runs here, so its verdict on a variant is its own word.
#include "core/backend/codes.h"
#include "core/measure/codes.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/machine/perf_counters.h"
#include "core/measure/statistics.h"
#include "core/measure/worker/candidate.h"
#include "core/measure/worker/repetition.h"
#include "core/measure/worker/worker.h"
#include "core/support/errors/codes.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unistd.h>

namespace nestwright::measure {

using support::Diagnostic;
using support::fail;
using support::Result;

namespace {

std::vector<Measurement> resultsOf(const std::vector<Candidate> &candidates)
{
    std::vector<Measurement> results;
    for (const Candidate &candidate : candidates)
        results.push_back(candidate.result);
    return results;
}

/// Rounds of some candidates, alternately: A B C A B C …, each in its process, the others paused.
class Timing {
public:
    Timing(const MeasureRequest &request, References &references, std::vector<Candidate> &candidates,
           std::vector<std::size_t> chosen, Teller &teller)
        : m_request(request)
        , m_references(references)
        , m_candidates(candidates)
        , m_chosen(std::move(chosen))
        , m_teller(teller)
    {
    }

    void run()
    {
        for (const std::size_t i : m_chosen)
            step(i, [&] { return m_candidates[i].prepare(m_references); });
        const bool isFirstTimed = m_chosen.front() == 0 && m_candidates.front().isRight();
        if (isFirstTimed && m_candidates.size() > 1)
            startTwin();
        const OtherLoad load(processes());
        for (const std::size_t i : m_chosen) {
            step(i, [&] { return m_candidates[i].firstLook(m_references); });
            tell(0);
        }
        for (int round = 0; round < m_request.repetitions; ++round) {
            for (const std::size_t i : m_chosen) {
                if (!m_candidates[i].isComplete())
                    step(i, [&] { return m_candidates[i].repeat(m_references); });
                tell(round);
            }
            if (m_twin && !m_candidates.front().isSlow())
                repeatTwin();
            tell(round + 1);
        }
        for (const std::size_t i : m_chosen)
            step(i, [&] { return m_candidates[i].checkLastCall(m_references); });
        finish(load.processors().value_or(0));
    }

private:
    /// A step of one candidate; what goes wrong is its own fault.
    template <class Step> void step(std::size_t i, Step one)
    {
        if (!m_candidates[i].isRight())
            return;
        if (const Result<void> done = one(); !done)
            m_candidates[i].failWith(done.error());
    }

    /// The first candidate once more, in a process of its own: the noise of an A/A run, in which the places
    /// of pages in memory count too.
    void startTwin()
    {
        m_twin.emplace(m_request, m_candidates.front().file(), m_teller);
        if (!m_twin->prepare(m_references))
            m_twin.reset();
    }

    void repeatTwin()
    {
        const auto seconds = m_twin->timed(m_candidates.front().iterations());
        if (seconds)
            m_again.push_back(*seconds);
        else
            m_twin.reset();
    }

    std::vector<pid_t> processes() const
    {
        std::vector<pid_t> own{getpid()};
        for (const std::size_t i : m_chosen)
            own.push_back(m_candidates[i].process());
        if (m_twin)
            own.push_back(m_twin->process());
        std::erase(own, -1);
        return own;
    }

    void finish(double others)
    {
        for (const std::size_t i : m_chosen) {
            Candidate &candidate = m_candidates[i];
            candidate.end();
            if (!candidate.isRight())
                continue;
            candidate.result.final = true;
            candidate.result.otherLoad = others;
            candidate.result.disturbed = disturbs(others, m_request.threads, usableCores());
            compareWithFirst(candidate);
        }
    }

    void compareWithFirst(Candidate &candidate)
    {
        const std::vector<double> &first = m_candidates.front().result.samples;
        const std::vector<double> &samples = candidate.result.samples;
        if (&candidate == &m_candidates.front() || first.empty() || samples.empty())
            return;
        candidate.result.speedup = speedupOf(first, samples, m_again);
    }

    void tell(int round)
    {
        m_teller.tell({.fraction = 0.2 + 0.8 * round / std::max(1, m_request.repetitions),
                       .phase = "timing, round " + std::to_string(round) + " of "
                                + std::to_string(m_request.repetitions),
                       .partial = resultsOf(m_candidates)});
    }

    const MeasureRequest &m_request;
    References &m_references;
    std::vector<Candidate> &m_candidates;
    std::vector<std::size_t> m_chosen;
    Teller &m_teller;
    std::optional<Candidate> m_twin;
    std::vector<double> m_again; ///< seconds of the twin
};

/// Candidates that are timed together: as many as have room for their arguments beside each other.
std::size_t mostTogether(const MeasureRequest &request, double bytes)
{
    constexpr double copies = 3; ///< in the process, in what it shares, and here
    const double room = request.memoryBytes > 0 ? static_cast<double>(request.memoryBytes) / 2 : 1e18;
    return std::max<std::size_t>(2, static_cast<std::size_t>(std::min(1e6, room / (copies * bytes + 1))));
}

/// Checks and times the candidates in groups. Each group includes the first candidate, the baseline.
void measureAll(const MeasureRequest &request, References &references, std::vector<Candidate> &candidates,
                Teller &teller)
{
    const std::size_t most = mostTogether(request, candidates.front().result.bytes);
    for (std::size_t next = 0; next < candidates.size();) {
        std::vector<std::size_t> chosen;
        if (next > 0 && candidates.front().isRight())
            chosen.push_back(0);
        while (next < candidates.size() && chosen.size() < most) {
            Candidate &candidate = candidates[next];
            teller.tell({.fraction = 0.2 * static_cast<double>(next) / static_cast<double>(candidates.size()),
                         .phase = "checking the result",
                         .partial = {}});
            candidate.check(references);
            if (candidate.isRight())
                chosen.push_back(next);
            ++next;
            if (request.verifyOnly)
                candidate.end();
        }
        teller.tell({.fraction = 0.2, .phase = "timing", .partial = resultsOf(candidates)});
        if (!chosen.empty() && !request.verifyOnly)
            Timing(request, references, candidates, chosen, teller).run();
    }
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
                eventsOf(request, request.candidates[i], candidates[i].iterations(), teller);
    }
}

} // namespace

Failure failureOf(const Diagnostic &reason)
{
    if (reason.code == codes::wrongResult)
        return Failure::WrongResult;
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
    if (const auto expected = references.find(request, 0, teller); !expected)
        return std::unexpected(expected.error());
    std::vector<Candidate> candidates;
    for (const KernelFile &file : request.candidates)
        candidates.emplace_back(request, file, teller);
    if (!candidates.empty())
        measureAll(request, references, candidates, teller);
    if (!request.verifyOnly && request.counters)
        countAll(request, candidates, teller);
    return resultsOf(candidates);
}

} // namespace nestwright::measure
