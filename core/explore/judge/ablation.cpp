// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/ablation.h"

#include "core/explore/judge/distinct_programs.h"
#include "core/ir/node/equality.h"
#include "core/measure/statistics.h"
#include "core/support/errors/stop.h"
#include "core/support/phase.h"

#include <algorithm>
#include <format>
#include <utility>

namespace nestwright::explore {

using measure::Measurement;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// A program that was timed twice in each round of a run.
struct TimedTwice {
    Measurement one, other;

    bool ok() const { return one.ok() && other.ok(); }
    std::vector<double> samples() const { return joined(one, other); }
    std::vector<double> swapped() const { return joined(other, one); }
    measure::Interval time() const { return measure::bootstrapMedian(samples()); }
    support::Diagnostic failure() const
    {
        for (const Measurement *each : {&one, &other}) {
            if (each->failure)
                return *each->failure;
        }
        return diagnostic("explore.unknown", "it was not measured");
    }

private:
    static std::vector<double> joined(const Measurement &first, const Measurement &second)
    {
        std::vector<double> all = first.samples;
        all.insert(all.end(), second.samples.begin(), second.samples.end());
        return all;
    }
};

/// Fewer rounds tell no noise: of three, one pair of equal programs in ten would differ.
constexpr std::size_t fewestRounds = 4;

/// Time of `without` to that of `with`.
measure::Speedup gainOf(const TimedTwice &without, const TimedTwice &with)
{
    const std::size_t rounds = without.one.samples.size();
    const bool inPairs = rounds >= fewestRounds && without.other.samples.size() == rounds
                         && with.one.samples.size() == rounds && with.other.samples.size() == rounds;
    return inPairs ? measure::pairedSpeedup(without.samples(), with.samples(), without.swapped())
                   : measure::roughSpeedup(without.samples(), with.samples());
}

class Ablator {
public:
    Ablator(const StepPath &path, const Timer &timer, AblationMode mode, std::size_t programsInRun)
        : m_path(path)
        , m_timer(timer)
        , m_programsInRun(std::max<std::size_t>(2, programsInRun))
    {
        m_result.mode = mode;
    }

    Result<Ablation> run()
    {
        const auto done = m_result.mode == AblationMode::Added ? addAll() : leaveOutEach();
        if (!done)
            return fail(done.error());
        return std::move(m_result);
    }

private:
    /// Times in the order of the programs; those of equal programs are the same.
    Result<std::vector<TimedTwice>> timeTogether(const std::vector<ir::Module> &programs)
    {
        DistinctPrograms different;
        std::vector<std::size_t> places;
        for (const ir::Module &program : programs)
            places.push_back(different.add(program));
        std::vector<ir::Module> twice = different.all();
        twice.insert(twice.end(), different.all().begin(), different.all().end());
        auto times = m_timer(std::move(twice));
        if (!times)
            return fail(times.error());
        std::vector<TimedTwice> result;
        for (const std::size_t place : places)
            result.push_back({times->at(place), times->at(different.size() + place)});
        for (const Measurement &each : *times) {
            m_result.disturbed = m_result.disturbed || each.disturbed;
            m_result.otherLoad = std::max(m_result.otherLoad, each.otherLoad);
            m_result.flops = std::max(m_result.flops, each.flops);
        }
        m_result.measured += different.size();
        return result;
    }

    /// A step that changes the program takes those with it that were before it and do not.
    void findChanges()
    {
        std::vector<std::size_t> idle;
        for (std::size_t place = 0; place < m_path.size(); ++place) {
            if (ir::structurallyEqual(m_path.state(place).module, m_path.state(place + 1).module)) {
                idle.push_back(place);
                continue;
            }
            m_result.steps.push_back(
                {.place = place, .label = m_path.label(place), .others = std::exchange(idle, {})});
        }
        if (!m_result.steps.empty()) {
            std::vector<std::size_t> &last = m_result.steps.back().others;
            last.insert(last.end(), idle.begin(), idle.end());
        }
    }

    Result<void> addAll()
    {
        findChanges();
        std::optional<std::size_t> from; // the last position that was timed
        std::size_t next = 0;
        do {
            const std::size_t begin = next;
            next = std::min(begin + m_programsInRun - 1, m_result.steps.size());
            tellShare(next, m_result.steps.size());
            std::vector<ir::Module> programs{m_path.state(from.value_or(0)).module};
            for (std::size_t i = begin; i < next; ++i)
                programs.push_back(m_path.state(m_result.steps[i].place + 1).module);
            const auto times = timeTogether(programs);
            if (!times)
                return fail(times.error());
            if (begin == 0 && times->front().ok()) {
                from = 0;
                m_result.first = m_result.last = times->front().time();
            }
            std::size_t before = 0; // in the run
            for (std::size_t i = begin; i < next; ++i) {
                const std::size_t now = i - begin + 1;
                compareWithBefore(m_result.steps[i], (*times)[before], (*times)[now], from);
                if ((*times)[now].ok())
                    before = now;
            }
        } while (next < m_result.steps.size());
        return {};
    }

    void compareWithBefore(Contribution &step, const TimedTwice &before, const TimedTwice &now,
                           std::optional<std::size_t> &from)
    {
        step.from = from.value_or(0);
        if (!now.ok()) {
            step.failure = now.failure();
            return;
        }
        step.with = m_result.last = now.time();
        if (from) {
            step.without = before.time();
            step.gain = gainOf(before, now);
        }
        from = step.place + 1;
    }

    Result<void> leaveOutEach()
    {
        DistinctPrograms programs;
        programs.add(m_path.end().module);
        std::vector<std::size_t> programOf; // by step
        for (std::size_t place = 0; place < m_path.size(); ++place) {
            support::tellPhase(std::format("leaving out step {} of {}", place + 1, m_path.size()));
            programOf.push_back(programs.add(leaveOut(place)));
        }
        for (std::size_t begin = 1; begin == 1 || begin < programs.size(); begin += m_programsInRun - 1) {
            const std::size_t end = std::min(begin + m_programsInRun - 1, programs.size());
            tellShare(end - 1, programs.size() - 1);
            std::vector<ir::Module> together{programs.at(0)};
            for (std::size_t i = begin; i < end; ++i)
                together.push_back(programs.at(i));
            const auto times = timeTogether(together);
            if (!times)
                return fail(times.error());
            const TimedTwice &whole = times->front();
            if (!whole.ok())
                return fail(diagnostic("explore.unknown",
                                       "the whole schedule was not measured: " + whole.failure().message)
                                .withHint("correct it first; 'nestc bisect --wrong' finds the step that "
                                          "made it wrong"));
            m_result.last = whole.time();
            for (std::size_t place = 0; place < m_path.size(); ++place) {
                if (programOf[place] >= begin && programOf[place] < end)
                    compareWithWhole(m_result.steps[place], (*times)[programOf[place] - begin + 1], whole);
            }
        }
        for (std::size_t place = 0; place < m_path.size(); ++place) {
            if (programOf[place] == 0)
                m_result.steps[place].without = m_result.steps[place].with = m_result.last;
        }
        return {};
    }

    /// The program without the step; adds the step.
    ir::Module leaveOut(std::size_t place)
    {
        std::vector<std::size_t> kept;
        for (std::size_t i = 0; i < m_path.size(); ++i) {
            if (i != place)
                kept.push_back(i);
        }
        const StepPath without = m_path.only(kept);
        Contribution step{.place = place, .label = m_path.label(place)};
        for (std::size_t i = place + 1; i < m_path.size(); ++i) {
            if (!std::ranges::contains(kept, i))
                step.others.push_back(i);
        }
        step.isSame = ir::structurallyEqual(without.end().module, m_path.end().module);
        m_result.steps.push_back(std::move(step));
        return without.end().module;
    }

    static void compareWithWhole(Contribution &step, const TimedTwice &without, const TimedTwice &whole)
    {
        step.with = whole.time();
        if (!without.ok()) {
            step.failure = without.failure();
            return;
        }
        step.without = without.time();
        step.gain = gainOf(without, whole);
    }

    void tellShare(std::size_t done, std::size_t all) const
    {
        if (all + 1 > m_programsInRun)
            support::tellPhase(std::format("programs up to {} of {}", done, all));
    }

    const StepPath &m_path;
    const Timer &m_timer;
    std::size_t m_programsInRun;
    Ablation m_result;
};

} // namespace

Result<Ablation> ablate(const StepPath &path, const Timer &timer, AblationMode mode,
                        std::size_t programsInRun)
{
    if (path.size() == 0)
        return fail(diagnostic("explore.no-steps", "there are no steps whose contribution could be measured")
                        .withHint("apply a step first"));
    return Ablator(path, timer, mode, programsInRun).run();
}

measure::MeasureJob ablationJob(measure::MeasureJob job)
{
    job.secondsPerRepetition /= 2;
    job.secondsPerVariant /= 2;
    job.counters = false;
    return job;
}

std::string othersText(const Contribution &step, AblationMode mode)
{
    if (step.others.empty())
        return {};
    std::string numbers;
    for (std::size_t i = 0; i < step.others.size(); ++i)
        numbers += (i == 0                        ? ""
                    : i + 1 == step.others.size() ? " and "
                                                  : ", ")
                   + std::to_string(step.others[i] + 1);
    return std::format("{} step{} {}", mode == AblationMode::Added ? "with" : "left out with it:",
                       step.others.size() == 1 ? "" : "s", numbers);
}

} // namespace nestwright::explore
