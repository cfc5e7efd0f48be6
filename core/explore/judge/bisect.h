// SPDX-License-Identifier: Apache-2.0
/// The first of several positions on a way that is bad, by bisection.
#pragma once

#include "core/explore/judge/judgement.h"
#include "core/support/errors/result.h"

#include <functional>
#include <vector>

namespace nestwright::explore {

/// Judges what is there behind the first `position` steps of a way.
using PositionJudge = std::function<Opinion(std::size_t position, Round round)>;

/// The turn of a way from good to bad.
struct Turn {
    std::size_t good = 0;
    std::size_t bad = 0; ///< good + 1, unless all positions between them are unknown
    support::Diagnostic reason;
    bool isConfirmed = false; ///< the confirmation of both gave the same
    /// No position that was judged is good behind a bad one. Otherwise there are several such turns.
    bool isMonotone = true;
    std::size_t judgements = 0;
    std::vector<std::size_t> unknown{}; ///< positions that could not be judged, ascending
};

/// A turn between position 0, which must be good, and `last`; nothing where `last` is good. Positions that
/// cannot be judged are gone around: the nearest to the middle takes their place. Both sides of the turn are
/// judged once more, and a few positions elsewhere for whether the way is monotone. Errors:
/// "explore.bad-begin", "explore.unknown" (an end cannot be judged). Throws what `judge` throws, and
/// support::Stopped.
support::Result<std::optional<Turn>> bisect(std::size_t last, const PositionJudge &judge);

} // namespace nestwright::explore
