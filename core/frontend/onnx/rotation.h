// SPDX-License-Identifier: Apache-2.0
/// Rotary embedding of positions: J. Su et al., "RoFormer: Enhanced Transformer with Rotary Position
/// Embedding", 2021.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// `x`, batch × position × head × element, with pairs of the first `turned` elements of each head turned:
/// those of its two halves, or those that lie side by side where `isInterleaved`. `cosine` and `sine`
/// broadcast to batch × position × 1 × turned / 2. Throws "onnx.unsupported" where `turned` is odd or more
/// than a head has.
Value rotated(NodeImport &node, Value x, Value cosine, Value sine, std::int64_t turned, bool isInterleaved);

} // namespace nestwright::graph::onnx
