// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/bisect.h"

#include "core/support/errors/stop.h"
#include "core/support/phase.h"

#include <algorithm>
#include <format>
#include <iterator>
#include <map>

namespace nestwright::explore {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

class Bisection {
public:
    Bisection(std::size_t last, const PositionJudge &judge) : m_last(last), m_judge(judge) {}

    Result<std::optional<Turn>> run()
    {
        if (judge(m_last, Round::Search).judgement == Judgement::Good)
            return std::nullopt;
        judge(0, Round::Search);
        constexpr int mostRounds = 4; // of a judge who changes his mind
        bool isConfirmed = false;
        for (int round = 0; round < mostRounds && !isConfirmed; ++round) {
            if (const auto ends = checkEnds(); !ends)
                return fail(ends.error());
            if (m_judged.at(m_last).judgement == Judgement::Good)
                return std::nullopt;
            search();
            isConfirmed = confirm();
        }
        if (const auto ends = checkEnds(); !ends)
            return fail(ends.error());
        if (m_judged.at(m_last).judgement == Judgement::Good)
            return std::nullopt;
        narrow();
        probe();
        return turn(isConfirmed);
    }

private:
    const Opinion &judge(std::size_t position, Round round)
    {
        support::checkStop();
        support::tellPhase(
            std::format("{} {} of {}", round == Round::Search ? "judging" : "confirming", position, m_last));
        ++m_judgements;
        return m_judged[position] = m_judge(position, round);
    }

    Result<void> checkEnds() const
    {
        const Opinion &begin = m_judged.at(0), &end = m_judged.at(m_last);
        if (begin.judgement == Judgement::Bad)
            return fail(
                diagnostic("explore.bad-begin", "it is bad before the first step: " + begin.reason->message)
                    .withHint("begin with a program that is as it should be"));
        for (const Opinion *each : {&begin, &end}) {
            if (each->judgement == Judgement::Unknown)
                return fail(
                    diagnostic("explore.unknown", std::string(each == &end ? "the last" : "the first")
                                                      + " program cannot be judged: " + each->reason->message)
                        .withHint(each->reason->hint));
        }
        return {};
    }

    /// The first bad position, and the last good one before it, of those judged.
    void narrow()
    {
        for (const auto &[position, opinion] : m_judged) {
            if (opinion.judgement == Judgement::Good)
                m_good = position;
            if (opinion.judgement == Judgement::Bad) {
                m_bad = position;
                break;
            }
        }
    }

    /// The position that is nearest to the middle of those between that are not judged.
    std::optional<std::size_t> next() const
    {
        const std::size_t middle = m_good + (m_bad - m_good) / 2;
        for (std::size_t distance = 0; distance < m_bad - m_good; ++distance) {
            for (const std::size_t position : {middle + distance, middle - std::min(distance, middle)}) {
                if (position > m_good && position < m_bad && !m_judged.contains(position))
                    return position;
            }
        }
        return std::nullopt;
    }

    void search()
    {
        narrow();
        while (const auto position = next()) {
            judge(*position, Round::Search);
            narrow();
        }
    }

    bool confirm()
    {
        const std::size_t good = m_good, bad = m_bad;
        const bool isGood = judge(good, Round::Confirmation).judgement == Judgement::Good;
        const bool isBad = judge(bad, Round::Confirmation).judgement == Judgement::Bad;
        return isGood && isBad;
    }

    /// Judges a few positions all along the way.
    void probe()
    {
        constexpr std::size_t parts = 5;
        for (std::size_t part = 1; part < parts; ++part) {
            const std::size_t position = m_last * part / parts;
            if (!m_judged.contains(position))
                judge(position, Round::Search);
        }
    }

    Turn turn(bool isConfirmed) const
    {
        Turn turn{.good = m_good,
                  .bad = m_bad,
                  .reason = *m_judged.at(m_bad).reason,
                  .isConfirmed = isConfirmed,
                  .judgements = m_judgements};
        for (const auto &[position, opinion] : m_judged) {
            if (opinion.judgement == Judgement::Unknown)
                turn.unknown.push_back(position);
            else if ((opinion.judgement == Judgement::Good) != (position <= m_good))
                turn.isMonotone = false;
        }
        return turn;
    }

    std::size_t m_last;
    const PositionJudge &m_judge;
    std::map<std::size_t, Opinion> m_judged; ///< the latest opinions
    std::size_t m_good = 0, m_bad = 0, m_judgements = 0;
};

} // namespace

Result<std::optional<Turn>> bisect(std::size_t last, const PositionJudge &judge)
{
    return Bisection(last, judge).run();
}

} // namespace nestwright::explore
