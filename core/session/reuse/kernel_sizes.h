// SPDX-License-Identifier: Apache-2.0
/// Kernels opened with other sizes than their own: presets, TE scripts and programs with symbolic sizes.
#pragma once

#include "core/frontend/te_script/script_sizes.h"
#include "core/ir/node/function.h"

namespace nestwright::session {

/// Sizes of a kernel by name.
using KernelSizes = te::ScriptSizes;

/// Default for sizes that only a run knows.
inline constexpr std::int64_t usualSize = 1024;

struct SizedKernel {
    ir::Module module; ///< without a schedule of its file's own
    /// All that it can be opened with, as it was: parameters of a preset, numbers of a TE script, and sizes
    /// known only where it runs, which are usualSize unless they were given.
    KernelSizes sizes;
    std::string text{}; ///< that opens as this kernel: of a preset, or the program
};

/// The kernel of a file's text, or of the text of a preset, with these sizes; `fileName` is for messages.
/// Errors: "open.unknown-size", those of opening a kernel.
support::Result<SizedKernel> openWithSizes(const std::string &text, const std::string &fileName,
                                           const KernelSizes &given);

/// Reads "M=256,N=256". Error: "usage.sizes".
support::Result<KernelSizes> parseKernelSizes(std::string_view text);
/// "M=256, N=256"; "as it is" where there are none.
std::string textOf(const KernelSizes &sizes);

} // namespace nestwright::session
