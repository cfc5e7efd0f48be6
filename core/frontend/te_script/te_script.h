// SPDX-License-Identifier: Apache-2.0
/// Reading a TE script (language.md §2): Python text that declares tensors, never executed as Python.
#pragma once

#include "core/frontend/te_script/schedule_steps.h"
#include "core/ir/node/function.h"
#include "core/support/errors/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::te {

/// Two programs that a script prints the difference of, by the names of the schedules that make them.
struct ProgramComparison {
    std::string before, after; ///< of TeScript::schedules; another name stands for the module as it is
    support::Diagnostic note;  ///< where the script asks for it
};

struct TeScript {
    ir::Module module; ///< the last kernel that the script makes, function "main", with ids
    /// Steps of the script's schedules on `module`, in the order of the script; schedules without steps are
    /// left out.
    std::vector<ScheduleSteps> schedules;
    std::vector<ProgramComparison> comparisons;
    std::vector<support::Diagnostic> notes; ///< lines that were skipped, and parts not carried over
};

/// Errors carry file:line:column: "script.syntax" from the parser, "te.unknown-name", "te.unsupported",
/// "te.type", "te.argument", those of te::Builder and te::createPrimFunc, "te.no-kernel" when the script
/// makes none.
support::Result<TeScript> readTeScript(std::string_view text, const std::string &fileName);

/// Whether `text` looks like a TE script (it uses te.placeholder or te.compute).
bool looksLikeTeScript(std::string_view text);

} // namespace nestwright::te
