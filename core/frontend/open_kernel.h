// SPDX-License-Identifier: Apache-2.0
/// Opens kernels of every form: TE scripts, TVMScript, schedule scripts and presets.
#pragma once

#include "core/analysis/kernel/stage_graph.h"
#include "core/frontend/kernel_forms.h"

namespace nestwright::frontend {

struct OpenedKernel {
    KernelSource kind = KernelSource::TvmScript;
    std::string name;    ///< for titles: the file's name, or the preset's
    ir::Module module{}; ///< with ids and complete regions; empty for a schedule script
    analysis::StageGraph graph{};
    std::vector<te::ScheduleSteps> schedules{};       ///< in the kernel's own file, in its order
    std::vector<te::ProgramComparison> comparisons{}; ///< printed by a TE script
    std::vector<support::Diagnostic> notes{};
    std::string text{}; ///< the file's text; for a preset its name as given
};

/// Opens a file (TE script, TVMScript or schedule script) or "op:NAME(…)". Errors: "open.no-file",
/// "open.unreadable", and those of the reader concerned.
support::Result<OpenedKernel> openKernel(const std::string &pathOrPreset);
/// Opens text; `fileName` is for messages.
support::Result<OpenedKernel> openKernelText(std::string_view text, const std::string &fileName);

} // namespace nestwright::frontend
