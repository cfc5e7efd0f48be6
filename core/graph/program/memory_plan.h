// SPDX-License-Identifier: Apache-2.0
/// Places of a graph's results in one piece of memory.
#pragma once

#include "core/analysis/access/in_place.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <map>
#include <vector>

namespace nestwright::graph {

/// Bytes of a tensor of known size.
std::int64_t bytesOf(const TensorType &type);

/// Rounded up to lines of 64 bytes: weights, results and workspaces begin at one each.
constexpr std::int64_t wholeLines(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Whether a node only reinterprets its input in another shape, or takes a contiguous part of it, so that
/// nothing is computed. Outputs of the model have memory of their own.
bool isView(const Function &function, int node);
/// Storage of a value: a byte offset into another value's memory, or into its own.
struct StorageLocation {
    Value value;
    std::int64_t bytes = 0;
};
StorageLocation storageOf(const Function &function, Value value);

/// For each node, the parameters of its kernel (operands, then results) that may be one piece of memory.
using InPlacePairs = std::vector<std::vector<analysis::InPlace>>;

/// Offsets of the results of nodes in one piece of memory. Two that are live at the same time never overlap,
/// except for a result that is computed in place of an operand.
struct MemoryPlan {
    static constexpr std::int64_t none = -1;
    /// Bytes from the start, for each result of each node; `none` for values without a place of their own
    /// there (inputs, constants, outputs of the model, views, tensors without elements).
    std::vector<std::vector<std::int64_t>> offsets;
    /// Results computed in place of a value that no other node still reads: that value's storage, by the
    /// result.
    std::map<Value, Value> inPlaceOf;
    std::int64_t resultBytes = 0; ///< for these results
    std::int64_t bytes = 0;       ///< with the workspace of kernels, which lies behind them
};

/// The sizes of `function` must all be known. Without `inPlace` no result takes the place of another.
MemoryPlan planMemory(const Function &function, const InPlacePairs &inPlace = {});

} // namespace nestwright::graph
