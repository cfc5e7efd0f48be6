// SPDX-License-Identifier: Apache-2.0
/// Reading schedule scripts: TVM's `as_python` form and hand-written ones.
#pragma once

#include "core/schedule/apply.h"

#include <string_view>

namespace nestwright::schedule {

/// A step of a script with its results and where it stands.
struct ScriptStep {
    Step step;
    ArgList outputs;
    int line = 0; ///< from 1
};

struct ScriptRun {
    State state; ///< after the last step
    /// Queries (get_block, …) included; composite steps expanded.
    std::vector<ScriptStep> steps;
};

/// Runs every statement of the script on `initial`. Nothing is executed as Python: names of loops and blocks,
/// lists of them, indexing, slicing, unpacking, integer arithmetic, lambdas and calls on the schedule are
/// understood. Errors name file:line:column; that of an illegal step keeps its code and its locations.
Result<ScriptRun> runScheduleScript(const State &initial, std::string_view text, const std::string &fileName);

/// As runScheduleScript, keeping the steps before the first error: `run` holds them, `error` is set when one
/// occurred.
struct PartialRun {
    ScriptRun run;
    std::optional<Diagnostic> error;
};
PartialRun runAsFarAsLegal(const State &initial, std::string_view text, const std::string &fileName);

} // namespace nestwright::schedule
