// SPDX-License-Identifier: Apache-2.0
/// Attributes shared by the products of matrices and convolutions of ONNX, whatever their type of
/// computation.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// NumPy's product: a vector stands for a matrix of one row (on the left) or one column (on the right).
Value matrixProduct(NodeImport &node, Value a, Value b);

/// The attributes of our convolution; input `weight` is the kernel.
ops::Attributes convolutionAttributes(NodeImport &node, std::size_t weight);

} // namespace nestwright::graph::onnx
