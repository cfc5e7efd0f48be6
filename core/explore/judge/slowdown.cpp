// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/slowdown.h"

#include "core/explore/judge/distinct_programs.h"
#include "core/measure/statistics.h"

#include <algorithm>
#include <format>

namespace nestwright::explore {

using measure::Measurement;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// The programs of a way, each different one once.
class Programs {
public:
    explicit Programs(const StepPath &path)
    {
        for (std::size_t position = 0; position <= path.size(); ++position)
            m_places.push_back(m_different.add(path.state(position).module));
    }

    const std::vector<ir::Module> &different() const { return m_different.all(); }
    std::size_t placeOf(std::size_t position) const { return m_places.at(position); }

private:
    DistinctPrograms m_different;
    std::vector<std::size_t> m_places; ///< in m_different, by position
};

/// Times of the positions, as a series.
class Series {
public:
    Series(const Programs &programs, std::vector<Measurement> times, double worse)
        : m_programs(programs)
        , m_times(std::move(times))
        , m_worse(worse)
    {
    }

    const Measurement &at(std::size_t position) const { return m_times.at(m_programs.placeOf(position)); }
    double seconds(std::size_t position) const { return at(position).time.median; }

    struct Fall {
        std::size_t good = 0, bad = 0, best = 0;
        std::vector<std::size_t> regained, unknown;
        bool isAtEnd = false; ///< the last position is slower than the best
    };

    /// The last fall up to `last`, where positions up to `trusted` count as good.
    Fall lastFall(std::size_t last, std::size_t trusted) const
    {
        Fall fall;
        std::optional<std::size_t> best;
        std::vector<std::size_t> slow; // since the last that is good
        for (std::size_t position = 0; position <= last; ++position) {
            if (!at(position).ok()) {
                fall.unknown.push_back(position);
                continue;
            }
            const bool isSlow =
                best && position > trusted && seconds(position) > (1 + m_worse) * seconds(*best);
            if (isSlow) {
                slow.push_back(position);
                continue;
            }
            if (!best || seconds(position) < seconds(*best))
                best = position;
            fall.good = position;
            fall.regained.insert(fall.regained.end(), slow.begin(), slow.end());
            slow.clear();
        }
        fall.isAtEnd = !slow.empty();
        fall.bad = slow.empty() ? last : slow.front();
        fall.best = best.value_or(0);
        return fall;
    }

private:
    const Programs &m_programs;
    std::vector<Measurement> m_times;
    double m_worse;
};

bool isSlower(const measure::Speedup &ratio, double worse)
{
    return measure::changeOf(ratio) == measure::Change::Slower && ratio.ratio.median < 1 / (1 + worse);
}

} // namespace

Result<std::optional<Slowdown>> findSlowdown(const StepPath &path, const Timer &timer, double worse)
{
    const Programs programs(path);
    auto times = timer(programs.different());
    if (!times)
        return fail(times.error());
    const Series series(programs, std::move(*times), worse);
    const Measurement &end = series.at(path.size());
    if (!end.ok())
        return fail(
            diagnostic("explore.unknown",
                       "the last program was not measured" + (end.failure ? ": " + end.failure->message : ""))
                .withHint("correct it first; 'nestc bisect --wrong' finds the step that made it wrong"));
    for (std::size_t trusted = 0;;) {
        Series::Fall fall = series.lastFall(path.size(), trusted);
        if (!fall.isAtEnd)
            return std::nullopt;
        const auto pair = timer({path.state(fall.best).module, path.state(fall.bad).module});
        if (!pair)
            return fail(pair.error());
        const Measurement &bestTime = pair->front(), &badTime = pair->back();
        if (!badTime.speedup || !isSlower(*badTime.speedup, worse)) { // it was noise
            trusted = fall.bad;
            continue;
        }
        return Slowdown{.good = fall.good,
                        .bad = fall.bad,
                        .best = fall.best,
                        .bestTime = bestTime,
                        .badTime = badTime,
                        .ratio = *badTime.speedup,
                        .regained = std::move(fall.regained),
                        .unknown = std::move(fall.unknown),
                        .measured = programs.different().size()};
    }
}

Opinion judgeLastStep(const StepPath &path, const Timer &timer, double worse)
{
    if (path.size() == 0)
        return {};
    const auto pair = timer({path.state(path.size() - 1).module, path.end().module});
    if (!pair)
        return {Judgement::Unknown, pair.error()};
    for (const Measurement &each : *pair) {
        if (!each.ok())
            return {Judgement::Unknown, each.failure.value_or(diagnostic("explore.unknown", "not measured"))};
    }
    const auto &ratio = pair->back().speedup;
    if (!ratio || !isSlower(*ratio, worse))
        return {};
    return {Judgement::Bad,
            diagnostic("explore.slower",
                       std::format("the last step takes {:.2f} times as long", 1 / ratio->ratio.median))};
}

} // namespace nestwright::explore
