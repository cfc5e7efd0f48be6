// SPDX-License-Identifier: Apache-2.0
/// The root mean square normalization: B. Zhang and R. Sennrich, "Root Mean Square Layer Normalization",
/// 2019.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// 1 / √(square + epsilon).
Value inverseRoot(NodeImport &node, Value square, double epsilon);
/// `x` over √(mean of its squares along `axes` + epsilon), computed in float32 at least, as the attribute
/// stash_type has it by itself, and given in the type of `x`.
Value byRootMeanSquare(NodeImport &node, Value x, const Ints &axes, double epsilon);

} // namespace nestwright::graph::onnx
