// SPDX-License-Identifier: Apache-2.0
/// Calls of functions that a model defines. Their nodes are imported one behind the other, so that known
/// constants and shapes flow in and out; then each call's nodes go into a function of its own.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// Where the nodes of a call lie among all that were imported; those of calls within it lie there too.
struct ImportedCall {
    const OnnxFunction *function = nullptr;
    std::string op;   ///< the function's name
    std::string name; ///< of the node that calls, behind those of the calls around it: "encoder/block_1"; may
                      ///< be empty
    /// Tensors that go in and come out, with their names in the function; each of a sequence; none where one
    /// is left out.
    Values inputs{}, results{};
    std::vector<std::string> inputNames{}, resultNames{};
    int begin = 0, end = 0;
};

/// The function with the nodes of each call in a function that a node of kind Call stands for; calls for
/// which nothing is left to compute disappear, and so do nodes that no output needs. Calls that compute the
/// same with the same types share one function. `calls` are in the order in which they begin, outer ones
/// first.
Function withCalls(const Function &flat, const std::vector<ImportedCall> &calls);

} // namespace nestwright::graph::onnx
