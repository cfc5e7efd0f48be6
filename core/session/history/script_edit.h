// SPDX-License-Identifier: Apache-2.0
/// A schedule script that is edited beside the history: how far it is legal, the branch of variants that it
/// is, and its lines for steps that were made elsewhere.
#pragma once

#include "core/schedule/script/reader.h"
#include "core/session/history/history_edit.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::session {

/// A script as far as it is legal.
struct ScriptReading {
    std::vector<schedule::ScriptStep> steps; ///< without queries
    schedule::State end;                     ///< behind them
    schedule::ScriptNames names;             ///< known by then
    std::optional<support::Diagnostic> fault{};
    int faultLine = 0; ///< the first that is not legal, from 1; 0: none, or the fault is of no line
};

/// Runs the script on `initial`. Where it is not well-formed, the lines before the first at fault are run.
/// Throws support::Stopped where the work is to stop.
ScriptReading readScript(const schedule::State &initial, std::string_view text);

/// Steps as a branch: the variant that is furthest along them, and those that no variant has yet.
struct StepBranch {
    VariantId onto;
    Replayed replayed;

    HistoryEdit edit() const { return {.onto = onto, .steps = {}}; }
};

/// A step such as tile is written as those it stands for: a variant with the same program is theirs, too.
StepBranch branchOf(const VariantTree &tree, const std::vector<schedule::ScriptStep> &steps);

/// How a text changes to lead to another variant.
struct ScriptChange {
    int firstGone = 0;   ///< this line and those below go, from 1; 0: none
    std::string added{}; ///< lines behind the last
    std::string text;    ///< as it is then
    ScriptReading reading;

    bool isNone() const { return firstGone == 0 && added.empty(); }
};

/// The change of the text that `reading` is of; only at its end, so that all above stays as it was written.
/// Nothing where that is not possible.
std::optional<ScriptChange> changeTo(const VariantTree &tree, VariantId target, std::string_view text,
                                     const ScriptReading &reading);

} // namespace nestwright::session
