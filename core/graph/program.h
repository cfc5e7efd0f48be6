// SPDX-License-Identifier: Apache-2.0
/// A graph as kernels that run one after the other in planned memory.
#pragma once

#include "core/analysis/in_place.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace nestwright::graph {

/// A distinct kernel: all nodes that compute the same share it.
struct Kernel {
    std::string name;       ///< of its operators, made unique: "conv_add_relu_2"
    ir::Module module;      ///< function "main", unscheduled: inputs, then results
    std::vector<int> nodes; ///< places of the nodes that it computes
    /// Once it is scheduled: where buffers that its loop nests share lie in the program's memory. They are
    /// its last parameters.
    std::vector<std::int64_t> workspace{};
};

/// One call: `kernels[kernel]` with what the node reads and then what it gives.
struct ProgramStep {
    int node = 0;
    int kernel = 0;
};

/// Whether a node only looks at what it reads in another shape, or at a part of it that lies in one piece, so
/// that nothing is computed. What the model gives as an output has memory of its own.
bool isView(const Function &function, int node);
/// Where a value lies: so many bytes behind the beginning of another, or of itself.
struct Home {
    Value value;
    std::int64_t bytes = 0;
};
Home homeOf(const Function &function, Value value);

/// For each node, which of its kernel's parameters (what it reads, then what it gives) may be one piece of
/// memory.
using InPlacePairs = std::vector<std::vector<analysis::InPlace>>;

/// Where the results of nodes lie in one piece of memory; two that live at the same time never overlap, but
/// for a result that takes the place of what it is computed from.
struct MemoryPlan {
    static constexpr std::int64_t none = -1;
    /// Bytes from the start, for each result of each node; `none` for what has no place of its own there
    /// (inputs, constants, outputs of the model, views, tensors without elements).
    std::vector<std::vector<std::int64_t>> offsets;
    /// Results that lie where a value lay that only they were still to be computed from: that value's home,
    /// by the result.
    std::map<Value, Value> inPlaceOf;
    std::int64_t resultBytes = 0; ///< for these results
    std::int64_t bytes = 0;       ///< with what kernels keep between their loop nests, which lies behind them
};

/// The sizes of `function` must all be known. Without `inPlace` no result takes the place of another.
MemoryPlan planMemory(const Function &function, const InPlacePairs &inPlace = {});

struct Program {
    Function function;
    std::vector<Kernel> kernels;
    std::vector<ProgramStep> steps;
    MemoryPlan memory; ///< planned when the kernels are scheduled (scheduleKernels)
};

/// The kernel of that name. Error: "model.kernel" when there is none.
support::Result<const Kernel *> findKernel(const Program &program, std::string_view name);

/// Errors: "graph.symbolic" (names the node whose size is open), "graph.call" (a function of the model is
/// still called), those of kernelOf.
support::Result<Program> makeProgram(Function function);

/// Bytes of a tensor of known size.
std::int64_t bytesOf(const TensorType &type);

/// Rounded up to lines of 64 bytes: weights, results and workspaces begin at one each.
constexpr std::int64_t wholeLines(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

} // namespace nestwright::graph
