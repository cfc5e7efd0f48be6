// SPDX-License-Identifier: Apache-2.0
/// Opening a kernel, whatever it is written in.
#pragma once

#include "core/te/te_script.h"

namespace nestwright::ops {

/// Which of the forms of language.md a kernel comes in.
enum class SourceKind { TeScript, TvmScript, ScheduleScript, Operator };

/// Which kind of file `text` is, by what it uses: the schedule of a `def …(sch…)`, `T.prim_func`, or te.*.
SourceKind kindOf(std::string_view text);

struct LoadedKernel {
    SourceKind kind = SourceKind::TvmScript;
    std::string name;  ///< for titles: the file's name, or the operator's
    ir::Module module; ///< with ids and complete regions; empty for a schedule script
    te::StageGraph graph;
    std::vector<te::ScheduleSteps> schedules;       ///< that stand in the kernel's own file, in its order
    std::vector<te::ProgramComparison> comparisons; ///< that a TE script prints
    std::vector<support::Diagnostic> notes;
    std::string text; ///< what was read; for an operator what was given
};

/// Opens a file (TE script, TVMScript or schedule script) or "op:NAME(…)". Errors: "open.no-file",
/// "open.unreadable", and those of the reader concerned.
support::Result<LoadedKernel> openKernel(const std::string &pathOrOperator);
/// The same from text; `fileName` is for messages.
support::Result<LoadedKernel> openKernelText(std::string_view text, const std::string &fileName);

} // namespace nestwright::ops
