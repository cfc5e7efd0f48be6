// SPDX-License-Identifier: Apache-2.0
/// Forms of ONNX's operators that several importers share: those of quantized numbers, of late sizes.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// nn.softmax or nn.log_softmax of `x`: along an axis or, as before operator set 13, over all axes from it
/// on, taken as one.
Value softmaxOf(NodeImport &node, Value x, std::string_view op, std::int64_t axis, bool onwards);

/// Accepts what a Resize is given for other modes: exporters write it always.
void acceptOtherModes(NodeImport &resize);

/// The mean of each window of `x`, N×C×…, by the node's attributes.
Value averagePoolOf(NodeImport &node, Value x);

} // namespace nestwright::graph::onnx
