// SPDX-License-Identifier: Apache-2.0
/// Products of integers that stand for real numbers, and numbers as such integers.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// A list along an axis of a tensor of that rank; a list of another shape is left as it is.
Value alongAxis(NodeImport &node, Value list, std::int64_t rank, std::int64_t axis);
/// Input `x` less its zero point (input `zero`, which may be left out), in 32 bits.
Value centred(NodeImport &node, std::size_t x, std::size_t zero, std::int64_t axis);
/// Zero points of the left matrix may differ by row, those of the right one by column.
Value integerProduct(NodeImport &node, std::size_t a, std::size_t zeroA, std::size_t b, std::size_t zeroB);
/// A tensor, its scale and its zero point, from its smallest and largest element and 0.
Values dynamicallyQuantized(NodeImport &node, Value x);

/// `x`, quantized, times columns [begin, end) of the weights of DynamicQuantizeLSTM that an input holds for a
/// direction; as real numbers.
Value productWithGates(NodeImport &node, Value x, std::size_t weights, std::size_t direction,
                       std::int64_t begin, std::int64_t end);
/// DynamicQuantizeLSTM.
Values quantizedLstm(NodeImport &node);

Values quantizeLinear(NodeImport &node);
Values dequantizeLinear(NodeImport &node);

} // namespace nestwright::graph::onnx
