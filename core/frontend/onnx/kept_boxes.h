// SPDX-License-Identifier: Apache-2.0
/// Boxes that a NonMaxSuppression keeps.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// Calls nn.non_max_suppression with the node's attributes and its thresholds, which must be known. `count`:
/// how many of the boxes count; `most`: that there are.
Value keptBoxes(NodeImport &node, Value boxes, Value scores, Value count, std::int64_t most);

} // namespace nestwright::graph::onnx
