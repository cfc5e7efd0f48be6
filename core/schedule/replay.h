// SPDX-License-Identifier: Apache-2.0
/// Steps that were made on one program, applied to another that comes from the same one: with a step before
/// them left out, changed, or moved, or on another branch of a history.
#pragma once

#include "core/schedule/apply.h"

#include <map>

namespace nestwright::schedule {

/// Follows loops and blocks from the program that steps were made on to the one that they are replayed on.
///
/// A loop or block is followed, in this order, as the result of a step replayed before; as itself, where it
/// was in the program that both come from; by the name of its variable or block, and by that of a block
/// below it; as what a step replayed before made in the same place among all that it made.
class Replay {
public:
    /// `common`: the program that both come from.
    explicit Replay(const State &common) : m_common(common) {}

    /// `step`, which was made on `before`, for `now`. Error "schedule.replay": a loop or block that it names
    /// is not in `now`.
    Result<Step> translated(const Step &step, const State &before, const State &now) const;

    /// Takes what the step gave on either program for the same loops and blocks from now on.
    void note(const ArgList &before, const ArgList &now);

    /// The same of loops and blocks that are no results, from the states around the step on either program,
    /// where it made as many of them.
    void noteMade(const State &before, const State &after, const State &nowBefore, const State &nowAfter);

private:
    StmtId followed(StmtId id, const State &before, const State &now) const;
    ArgValue translated(const ArgValue &value, const State &before, const State &now) const;

    State m_common;
    std::map<StmtId, StmtId> m_results; ///< of steps: before, now
    std::map<StmtId, StmtId> m_made;    ///< by steps: before, now
};

} // namespace nestwright::schedule
