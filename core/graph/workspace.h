// SPDX-License-Identifier: Apache-2.0
/// What kernels keep between their loop nests, in memory that is planned with the model's:
/// a model that runs takes none.
#pragma once

#include "core/ir/function.h"

#include <cstdint>
#include <vector>

namespace nestwright::graph {

/// A scheduled kernel, and the buffers that became parameters behind its others.
struct KernelWithWorkspace {
    ir::Module module;
    std::vector<std::int64_t> bytes; ///< of each of these parameters, in order
};

/// Buffers of known size that more than one of the function's outermost loop nests use become parameters.
/// Those of a single nest stay: lowering makes them as small as one iteration needs them.
KernelWithWorkspace withWorkspace(const ir::Module &scheduled);

} // namespace nestwright::graph
