// SPDX-License-Identifier: Apache-2.0
/// Arrays that a model does not hold but asks for by a shape: a file of a few bytes must not exhaust the
/// memory.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// An array of that type and shape that holds `value` everywhere (the second: the one element of `value`).
/// Throws support::UserError "onnx.too-large" where all constants of the graph would then take more than
/// 1 GB together (besides those that are the model's own), and where a size is negative.
ir::NdArray madeArray(NodeImport &node, ir::DataType type, const std::vector<std::int64_t> &shape,
                      double value = 0);
ir::NdArray madeArray(NodeImport &node, const ir::NdArray &value, const std::vector<std::int64_t> &shape);

} // namespace nestwright::graph::onnx
