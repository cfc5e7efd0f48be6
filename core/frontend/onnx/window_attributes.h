// SPDX-License-Identifier: Apache-2.0
/// Windows in ONNX: strides, dilations, padding, and padding that follows from the others.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// The greatest size, stride or padding of a window; the products of two of them are still integers
/// of 64 bits.
constexpr std::int64_t mostWindow = (std::int64_t{1} << 31) - 1;

/// The attributes strides, dilation and padding of our operators for a window of size `kernel`, each
/// complete.
ops::Attributes windowAttributes(NodeImport &node, const std::vector<std::int64_t> &kernel);

/// Throws "onnx.unsupported" where kernel_shape is given and is not that of the weights.
void requireKernel(NodeImport &node, const Ints &kernel);

} // namespace nestwright::graph::onnx
