// SPDX-License-Identifier: Apache-2.0
/// Steps of a branch made again on another program, one after the other.
#pragma once

#include "core/schedule/replay.h"
#include "core/session/history/variant_tree.h"

#include <map>
#include <memory>

namespace nestwright::session {

/// A step as it was replayed.
struct ReplayedStep {
    schedule::Step step;
    support::Result<schedule::Applied> applied;
};

/// Replays a branch. A copy goes on by itself, so that branches with a common beginning replay that once. The
/// tree outlives it; copies belong to one thread.
class BranchReplay {
public:
    /// `common`: the program that the steps and `onto` come from.
    BranchReplay(const VariantTree &tree, const schedule::State &common, schedule::State onto);

    /// Makes a step as it is; what followed from that of `replaced` follows from it, unless that is the root.
    /// Whether it is legal.
    bool make(schedule::Step step, VariantId replaced);
    /// Makes `step`, as it stood at the place of `id`, with its loops and blocks followed. Whether that can
    /// be.
    bool follow(VariantId id, const schedule::Step &step);
    bool follow(VariantId id) { return follow(id, m_tree->at(id).step); }

    const schedule::State &end() const { return m_end; }
    const std::vector<ReplayedStep> &steps() const { return m_steps; }
    /// The step that was followed last names what is not there.
    const std::optional<support::Diagnostic> &conflict() const { return m_conflict; }
    /// Why the last step was not made; nothing where it was.
    std::optional<support::Diagnostic> why() const;

private:
    const schedule::State &stateBefore(VariantId id) const
    {
        return *m_tree->at(*m_tree->at(id).parent).state;
    }
    /// The results of the step of `id` where it stands.
    const schedule::ArgList &resultsOf(VariantId id);

    const VariantTree *m_tree;
    schedule::Replay m_names;
    schedule::State m_end;
    std::vector<ReplayedStep> m_steps;
    std::optional<support::Diagnostic> m_conflict;
    std::shared_ptr<std::map<VariantId, schedule::ArgList>> m_results; ///< known ones, of all copies
};

} // namespace nestwright::session
