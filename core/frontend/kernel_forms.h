// SPDX-License-Identifier: Apache-2.0
/// The forms that kernels are written in: one table of their front ends.
#pragma once

#include "core/frontend/te_script/te_script.h"
#include "core/ir/node/function.h"
#include "core/script/python/ast.h"
#include "core/support/errors/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::frontend {

enum class KernelSource : std::uint8_t { TeScript, TvmScript, ScheduleScript, Preset };

/// A text with what the Python parser makes of it.
struct KernelText {
    std::string_view text;
    support::Result<script::py::Module> parsed;
};

/// A kernel as a front end reads it.
struct ReadKernel {
    std::string name{};                               ///< empty: that of its file
    ir::Module module{};                              ///< with ids and complete regions
    std::vector<te::ScheduleSteps> schedules{};       ///< in the kernel's own file, in its order
    std::vector<te::ProgramComparison> comparisons{}; ///< that the file asks for
    std::vector<support::Diagnostic> notes{};
};

/// One front end. A form without `read` is a schedule: it runs on a kernel that is open.
struct KernelForm {
    KernelSource source = KernelSource::TeScript;
    std::string_view name;                           ///< in session files: "te-script"
    bool (*takes)(const KernelText &text) = nullptr; ///< asked in the order of the table
    support::Result<ReadKernel> (*read)(std::string_view text, const std::string &fileName) = nullptr;
};

std::span<const KernelForm> kernelForms();
const KernelForm &kernelForm(KernelSource source);
/// Null where there is none of that name.
const KernelForm *findKernelForm(std::string_view name);

/// The form of a text, by the names that it uses: the schedule of a `def …(sch…)`, `T.prim_func`, or te.*.
const KernelForm &formOf(std::string_view text);

} // namespace nestwright::frontend
