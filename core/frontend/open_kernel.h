// SPDX-License-Identifier: Apache-2.0
/// Opens kernels of every form: TE scripts, TVMScript, schedule scripts and presets.
#pragma once

#include "core/analysis/kernel/stage_graph.h"
#include "core/frontend/kernel_forms.h"

namespace nestwright::frontend {

/// A kernel, or a schedule script, whose module is empty. Its name is for titles and never empty: the file's,
/// or the preset's.
struct OpenedKernel : ReadKernel {
    KernelSource kind = KernelSource::TvmScript;
    analysis::StageGraph graph{};
    std::string text{}; ///< the file's text; for a preset its name as given
};

/// Opens a file (TE script, TVMScript or schedule script) or "op:NAME(…)". Errors: "open.no-file",
/// "open.unreadable", and those of the reader concerned.
support::Result<OpenedKernel> openKernel(const std::string &pathOrPreset);
/// Opens text; `fileName` is for messages.
support::Result<OpenedKernel> openKernelText(std::string_view text, const std::string &fileName);

} // namespace nestwright::frontend
