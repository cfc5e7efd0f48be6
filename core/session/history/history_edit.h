// SPDX-License-Identifier: Apache-2.0
/// Edits of a history: steps taken along, left out, moved or changed, with those after them replayed. Each
/// makes a new branch; nothing that was there goes.
#pragma once

#include "core/session/history/branch_replay.h"

#include <optional>
#include <vector>

namespace nestwright::session {

/// Steps that are to be replayed on a variant.
struct HistoryEdit {
    VariantId onto;
    /// Variants whose steps are applied, in this order. They stand on one path from the root.
    std::vector<VariantId> steps;
    /// Comes first, in place of the step of `changed`: what followed from that follows from this.
    std::optional<schedule::Step> step{};
    VariantId changed{}; ///< only with `step`; the root: that replaces none
    /// Made in place of the steps of these variants among `steps`.
    std::map<VariantId, schedule::Step> replaced{};
    std::optional<VariantId> editsOf{}; ///< the edited code of this program comes along
};

/// The end of the branch that `id` stands on: the current variant where that is below it, or where redo goes,
/// or the first steps that were not refused.
VariantId tipOf(const VariantTree &tree, VariantId id);

/// The steps of `id` up to `tip`, both included, on `onto`: a branch that is moved (rebase), or one step that
/// is taken along (cherry-pick) where `id` is `tip`.
HistoryEdit rebase(const VariantTree &tree, VariantId id, VariantId tip, VariantId onto);
/// The way to `tip` without the step of `id`, which is not the root.
HistoryEdit dropStep(const VariantTree &tree, VariantId id, VariantId tip);
/// The way to `tip` with the step of `id` right before that of `other`. Both stand on it.
HistoryEdit moveStep(const VariantTree &tree, VariantId id, VariantId other, VariantId tip);
/// The way to `tip` with `step` in place of that of `id`.
HistoryEdit changeStep(const VariantTree &tree, VariantId id, schedule::Step step, VariantId tip);

/// Edited code of `from` as it was carried along.
struct CarriedEdit {
    VariantId from;
    CodeEdit edit;
};

/// The steps of an edit up to the first that cannot be made.
struct Replayed {
    std::vector<ReplayedStep> steps{};             ///< the last of them may be refused
    schedule::State end;                           ///< behind the last that was not
    std::vector<CarriedEdit> edits{};              ///< of the code of that
    std::optional<support::Diagnostic> conflict{}; ///< the next step names what is not there
    std::vector<VariantId> rest{};                 ///< whose steps were not made; the one at fault first
};

/// Replays the steps; edited code at their end is carried to the new one's. The tree stays as it is. Throws
/// support::Stopped where the work is to stop.
Replayed replay(const VariantTree &tree, const HistoryEdit &edit);

/// Makes variants of the replayed steps and edits and the last that was not refused the current one; edited
/// code only where it was asked for by itself. The last variant made, which may be refused; `onto` itself
/// where there is none.
VariantId adopt(VariantTree &tree, const HistoryEdit &edit, Replayed replayed);

} // namespace nestwright::session
