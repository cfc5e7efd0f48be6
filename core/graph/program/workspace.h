// SPDX-License-Identifier: Apache-2.0
/// The workspace of kernels: buffers between their loop nests, planned with the model's memory. A running
/// model allocates none.
#pragma once

#include "core/ir/node/function.h"

#include <cstdint>
#include <vector>

namespace nestwright::graph {

/// A scheduled kernel, and the buffers that became parameters behind its others.
struct KernelWithWorkspace {
    ir::Module module;
    std::vector<std::int64_t> bytes; ///< of each of these parameters, in order
};

/// Buffers of known size that more than one of the function's outermost loop nests use become parameters.
/// Buffers of a single nest stay: lowering shrinks them to one iteration.
KernelWithWorkspace withWorkspace(const ir::Module &scheduled);

} // namespace nestwright::graph
