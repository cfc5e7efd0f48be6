// SPDX-License-Identifier: Apache-2.0
/// Calls of functions that a model defines. Their nodes are imported one behind the other, so that known
/// constants and shapes flow in and out; then each call's nodes go into a function of its own.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// The range of imported nodes that make up one call; nested calls lie within it.
struct ImportedCall {
    const OnnxFunction *function = nullptr;
    std::string op;   ///< the function's name
    std::string name; ///< of the node that calls, behind those of the calls around it: "encoder/block_1"; may
                      ///< be empty
    /// Input and output tensors with their names in the function; for a sequence, each of its tensors; none
    /// where one is left out.
    Values inputs{}, results{};
    std::vector<std::string> inputNames{}, resultNames{};
    int begin = 0, end = 0;
};

/// Replaces the nodes of each call by a node of kind Call, which stands for a function that holds them. Calls
/// that have nothing left to compute disappear, and so do nodes that no output needs. Calls that compute the
/// same with the same types share one function. `calls` are ordered by where they begin, outer ones first.
Function withCalls(const Function &flat, const std::vector<ImportedCall> &calls);

} // namespace nestwright::graph::onnx
