// SPDX-License-Identifier: Apache-2.0
/// Next steps of a schedule and its faults: `nestc suggest`.
#pragma once

#include "core/explore/findings/finding.h"
#include "core/measure/measurement.h"
#include "core/suggest/actions.h"
#include "core/support/text/json_fwd.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright::workbench {

/// A finding with the measured speed of its remedy over that of the schedule.
struct JudgedFinding {
    explore::Finding finding;
    std::optional<measure::Speedup> measured{};
    std::optional<support::Diagnostic> failure{};
};

/// One loop or block with its steps.
struct Suggested {
    ir::StmtId id;
    std::vector<suggest::Action> actions;
};

/// The loops and blocks of that name; all where it is empty. Error: "suggest.unknown".
support::Result<std::vector<ir::StmtId>> statementsAt(const suggest::LoopNest &nest, const std::string &name);

/// Their steps, but for those without parameters.
std::vector<Suggested> suggestedAt(const suggest::LoopNest &nest, const std::vector<ir::StmtId> &statements);

/// The steps that a remedy makes where it leaves the schedule.
std::vector<std::string> stepsOf(const explore::StepPath &path, const explore::Finding &finding);

/// {"findings": [{"finding": its fault, "loop", "message", "explanation", "remedy", "predicted", "after",
/// "steps", "measured": {"ratio", "low", "high", "significant"}, "failure"}], "statements": [{"name", "kind":
/// "loop" or "block", "iterations", "actions": [{"primitive", "title", "step", "fix"}]}]}. Instead of its
/// step an action has "refused": {"code", "message", "hint"}, or "incomplete": true where something has to be
/// typed. Actions that are refused are left out but for `refused`.
support::OrderedJson toJson(const suggest::LoopNest &nest, const explore::StepPath &path,
                            const std::vector<JudgedFinding> &findings, const std::vector<Suggested> &all,
                            bool refused);

} // namespace nestwright::workbench
