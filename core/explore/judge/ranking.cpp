// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/ranking.h"

#include "core/measure/statistics.h"

#include <algorithm>
#include <numeric>

namespace nestwright::explore {

using measure::Measurement;
using support::Result;

namespace {

constexpr double aboutAsFast = 1.05;      ///< of intervals in one run: those further apart do differ
constexpr std::size_t mostFinalists = 10; ///< timed once more
constexpr std::size_t mostAtLength = 24;  ///< of more, each is timed for less long in the first run
constexpr int fewestFinalRounds = 10;
constexpr int mostFinals = 3; ///< a final that another one wins is held again, against that
constexpr double partOfFirstRun = 0.75;

/// The finals of what a first run has measured.
class Finals {
public:
    Finals(Ranking &ranking, const RunPrograms &run, const measure::MeasureJob &job,
           const measure::ProgressSink &progress)
        : m_ranking(ranking)
        , m_run(run)
        , m_job(job)
        , m_progress(progress)
    {
    }

    Result<void> hold()
    {
        choose();
        for (int round = 0; m_order.size() > 1 && round < mostFinals; ++round) {
            const auto result = once();
            if (!result)
                return std::unexpected(result.error());
            if (!*result)
                break;
        }
        if (!m_order.empty())
            m_ranking.best = m_order.front();
        std::ranges::sort(m_ranking.tied);
        return {};
    }

private:
    const Measurement &at(std::size_t index) const { return m_ranking.measured[index]; }

    /// The fastest first. Those for which there is no room in the final stay tied.
    void choose()
    {
        std::vector<std::size_t> ran(m_ranking.measured.size());
        std::iota(ran.begin(), ran.end(), std::size_t{0});
        std::erase_if(ran, [this](std::size_t i) { return !at(i).ok(); });
        std::ranges::sort(ran, {}, [this](std::size_t i) { return at(i).time.median; });
        for (const std::size_t i : ran) {
            if (at(i).time.low > at(ran.front()).time.high * aboutAsFast)
                continue;
            (m_order.size() < mostFinalists ? m_order : m_left).push_back(i);
        }
    }

    /// Whether another one won, which then stands first.
    Result<bool> once()
    {
        measure::MeasureJob final = m_job;
        final.variants.clear();
        final.edits.clear();
        for (const std::size_t i : m_order) {
            if (const auto edit = m_job.edits.find(i); edit != m_job.edits.end())
                final.edits.emplace(final.variants.size(), edit->second);
            final.variants.push_back(m_job.variants[i]);
        }
        final.repetitions = std::max(m_job.repetitions, fewestFinalRounds);
        final.wantPeak = false;
        const auto timed = m_run(final, [this](const measure::Progress &progress) {
            m_progress({.fraction = partOfFirstRun + (1 - partOfFirstRun) * progress.fraction,
                        .phase = "the fastest once more: " + progress.phase,
                        .partial = {}});
        });
        if (!timed)
            return support::fail(timed.error());
        m_ranking.tied = m_left;
        for (std::size_t i = 0; i < m_order.size() && i < timed->size(); ++i) {
            if (!(*timed)[i].ok())
                continue;
            m_ranking.measured[m_order[i]].samples = (*timed)[i].samples; // of more rounds
            m_ranking.measured[m_order[i]].time = (*timed)[i].time;
        }
        std::size_t winner = 0;
        for (std::size_t i = 1; i < m_order.size() && i < timed->size(); ++i) {
            const Measurement &each = (*timed)[i];
            const auto change =
                each.speedup ? measure::changeOf(*each.speedup) : measure::Change::NotSignificant;
            if (change == measure::Change::NotSignificant)
                m_ranking.tied.push_back(m_order[i]);
            else if (change == measure::Change::Faster
                     && (winner == 0 || each.time.median < (*timed)[winner].time.median))
                winner = i;
        }
        std::swap(m_order.front(), m_order[winner]);
        return winner != 0;
    }

    Ranking &m_ranking;
    const RunPrograms &m_run;
    const measure::MeasureJob &m_job;
    const measure::ProgressSink &m_progress;
    std::vector<std::size_t> m_order, m_left;
};

} // namespace

bool Ranking::isTied(std::size_t index) const { return std::ranges::contains(tied, index); }

Result<Ranking> rank(const RunPrograms &run, const measure::MeasureJob &job,
                     const measure::ProgressSink &progress)
{
    measure::MeasureJob first = job;
    if (job.variants.size() > mostAtLength)
        first.secondsPerRepetition *=
            static_cast<double>(mostAtLength) / static_cast<double>(job.variants.size());
    auto measured = run(first, [&](measure::Progress told) {
        told.fraction *= partOfFirstRun;
        progress(told);
    });
    if (!measured)
        return support::fail(std::move(measured.error()));
    Ranking ranking{.measured = std::move(*measured)};
    if (const auto held = Finals(ranking, run, job, progress).hold(); !held)
        return support::fail(held.error());
    return ranking;
}

Result<Ranking> rank(measure::Measurer &measurer, const measure::MeasureJob &job,
                     const measure::ProgressSink &progress, std::stop_token stop)
{
    return rank([&](const measure::MeasureJob &each,
                    const measure::ProgressSink &sink) { return measurer.measure(each, sink, stop); },
                job, progress);
}

} // namespace nestwright::explore
