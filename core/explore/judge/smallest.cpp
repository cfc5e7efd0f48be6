// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/smallest.h"

#include "core/support/errors/stop.h"
#include "core/support/phase.h"

#include <algorithm>
#include <format>
#include <numeric>
#include <set>

namespace nestwright::explore {

using support::fail;
using support::Result;

namespace {

using Places = std::vector<std::size_t>;
using Clock = std::chrono::steady_clock;

class DeltaDebugging {
public:
    DeltaDebugging(Smallest whole, const StepPath &path, const PathJudge &judge,
                   const SmallestOptions &options)
        : m_smallest(std::move(whole))
        , m_path(path)
        , m_judge(judge)
        , m_options(options)
        , m_deadline(Clock::now() + options.limit)
    {
    }

    Smallest run()
    {
        std::size_t parts = 2;
        while (!m_isOver && m_smallest.places.size() > 1) {
            parts = std::min(parts, m_smallest.places.size());
            if (takeAPart(parts))
                parts = 2;
            else if (takeTheRest(parts))
                parts = std::max<std::size_t>(parts - 1, 2);
            else if (parts < m_smallest.places.size())
                parts *= 2;
            else
                break;
        }
        m_smallest.isMinimal = !m_isOver;
        return std::move(m_smallest);
    }

private:
    bool takeAPart(std::size_t parts)
    {
        for (std::size_t part = 0; part < parts; ++part) {
            const auto [begin, end] = ends(part, parts);
            if (take(Places(begin, end)))
                return true;
        }
        return false;
    }

    /// Begins with what is last: the steps behind depend on those before.
    bool takeTheRest(std::size_t parts)
    {
        for (std::size_t part = parts; part-- > 0;) {
            const auto [begin, end] = ends(part, parts);
            Places rest(m_smallest.places.cbegin(), begin);
            rest.insert(rest.end(), end, m_smallest.places.cend());
            if (take(std::move(rest)))
                return true;
        }
        return false;
    }

    std::pair<Places::const_iterator, Places::const_iterator> ends(std::size_t part, std::size_t parts) const
    {
        const std::size_t count = m_smallest.places.size();
        const auto at = [&](std::size_t i) {
            return m_smallest.places.cbegin() + static_cast<std::ptrdiff_t>(count * i / parts);
        };
        return {at(part), at(part + 1)};
    }

    /// Makes the list of these steps the smallest where it is smaller, and bad.
    bool take(Places places)
    {
        if (m_isOver)
            return false;
        const auto kept = m_options.kept;
        if (kept && !std::ranges::contains(places, *kept))
            places.insert(std::ranges::upper_bound(places, *kept), *kept);
        StepPath candidate = m_path.only(places);
        if (places.size() >= m_smallest.places.size() || (kept && !std::ranges::contains(places, *kept))
            || !m_known.insert(places).second)
            return false;
        m_isOver = Clock::now() >= m_deadline;
        if (m_isOver)
            return false;
        support::tellPhase(std::format("{} of {} steps", places.size(), m_path.size()));
        ++m_smallest.judgements;
        Opinion opinion = m_judge(candidate);
        if (opinion.judgement != Judgement::Bad)
            return false;
        m_smallest.path = std::move(candidate);
        m_smallest.places = std::move(places);
        m_smallest.reason = std::move(*opinion.reason);
        return true;
    }

    Smallest m_smallest;
    const StepPath &m_path;
    const PathJudge &m_judge;
    const SmallestOptions &m_options;
    Clock::time_point m_deadline;
    bool m_isOver = false;
    std::set<Places> m_known; ///< lists that were judged
};

} // namespace

Result<Smallest> smallest(const StepPath &path, const PathJudge &judge, const SmallestOptions &options)
{
    support::checkStop();
    Opinion opinion = judge(path);
    if (opinion.judgement != Judgement::Bad)
        return fail(support::diagnostic("explore.not-bad", "all steps together are not bad")
                        .withHint("find the step at fault first, and give those up to it"));
    Places all(path.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    Smallest whole{
        .path = path, .places = std::move(all), .reason = std::move(*opinion.reason), .judgements = 1};
    return DeltaDebugging(std::move(whole), path, judge, options).run();
}

} // namespace nestwright::explore
