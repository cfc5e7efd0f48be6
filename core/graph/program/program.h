// SPDX-License-Identifier: Apache-2.0
/// A graph as kernels that run one after the other in planned memory.
#pragma once

#include "core/graph/graph.h"
#include "core/graph/program/memory_plan.h"
#include "core/target/machine.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace nestwright::graph {

/// A distinct kernel: all nodes that compute the same share it.
struct Kernel {
    std::string name;       ///< of its operators, made unique: "conv_add_relu_2"
    ir::Module module;      ///< function "main", unscheduled: inputs, then results
    std::vector<int> nodes; ///< places of the nodes that it computes
    /// Offsets in the program's memory of buffers that the kernel's loop nests share, once it is scheduled.
    /// These buffers are its last parameters.
    std::vector<std::int64_t> workspace{};
};

/// One call: `kernels[kernel]` with the node's operands and then its results.
struct ProgramStep {
    int node = 0;
    int kernel = 0;
};

struct Program {
    Function function;
    std::vector<Kernel> kernels;
    std::vector<ProgramStep> steps;
    target::Machine machine; ///< that its kernels are scheduled for
    MemoryPlan memory;       ///< planned when the kernels are scheduled (scheduleKernels)
};

/// The kernel of that name. Error: "model.kernel" when there is none.
support::Result<const Kernel *> findKernel(const Program &program, std::string_view name);

/// Errors: "graph.symbolic" (names the node whose size is open), "graph.call" (a function of the model is
/// still called), those of kernelOf.
support::Result<Program> makeProgram(Function function,
                                     const target::Machine &machine = target::tunedMachine());

} // namespace nestwright::graph
