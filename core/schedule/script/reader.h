// SPDX-License-Identifier: Apache-2.0
/// Reading schedule scripts: TVM's `as_python` form and hand-written ones.
#pragma once

#include "core/schedule/apply.h"
#include "core/schedule/script/script_names.h"

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
    ScriptNames names{}; ///< behind the last statement
};

/// A parameter of the function that takes the schedule, behind the schedule, with its value.
struct ScriptParameter {
    std::string name;
    ArgValue value;
};

/// The parameters of a script, with the values that its head gives them. Errors name file:line:column.
Result<std::vector<ScriptParameter>> parametersOf(std::string_view text, const std::string &fileName);

/// Runs every statement of the script on `initial`. Nothing is executed as Python: names of loops and blocks,
/// lists of them, comprehensions, indexing, slicing, unpacking, integer arithmetic, extents of loops,
/// comparisons, if, for, assert, return, lambdas and calls on the schedule are understood. `given` takes the
/// place of values in the head. Errors name file:line:column; that of an illegal step keeps its code and its
/// locations; "script.argument": there is no parameter of that name.
Result<ScriptRun> runScheduleScript(const State &initial, std::string_view text, const std::string &fileName,
                                    const std::vector<ScriptParameter> &given = {});

/// Like `runScheduleScript`, but keeps the steps before the first error: `run` holds them, and `error` is set
/// when one occurred.
struct PartialRun {
    ScriptRun run;
    std::optional<Diagnostic> error;
};
PartialRun runAsFarAsLegal(const State &initial, std::string_view text, const std::string &fileName,
                           const std::vector<ScriptParameter> &given = {});

} // namespace nestwright::schedule
