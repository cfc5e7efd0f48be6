// SPDX-License-Identifier: Apache-2.0
/// Resources of the kernels of a GPU, as its compiler and the program tell them: `nestc resources`.
#pragma once

#include "core/backend/backend.h"
#include "core/schedule/state.h"
#include "core/suggest/kernel_memory.h"
#include "core/support/text/json_fwd.h"

#include <string>
#include <vector>

namespace nestwright::workbench {

/// An access of a warp that costs more than it needs to.
struct CostlyAccess {
    std::string place; ///< name of the loop or block that it is in; may be empty
    std::string sentence;
};

struct KernelFigures {
    std::vector<backend::KernelResources> kernels;
    std::vector<suggest::BufferMemory> buffers;
    std::vector<CostlyAccess> accesses;
};

/// Errors: those of backend::kernelResources and suggest::kernelMemory.
support::Result<KernelFigures> kernelFigures(const schedule::State &state, const target::Target &target);

/// {"kernels": [{"kernel", "architecture", "threads", "registers", "spill-store-bytes", "spill-load-bytes",
/// "stack-bytes", "shared-bytes", "barriers"}], "buffers": [{"buffer", "scope", "bytes", "registers"}],
/// "accesses": [{"place", "message"}]}. A kernel whose occupancy is known has "blocks-per-multiprocessor",
/// "warps", "most-warps", "limit" and perhaps "for-one-more", too.
support::Json toJson(const KernelFigures &figures);

} // namespace nestwright::workbench
