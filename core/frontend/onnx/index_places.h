// SPDX-License-Identifier: Apache-2.0
/// Indices that are at hand when a model is opened: constants, and data of inputs that are given.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// Throws "onnx.index" where the indices that an input holds, as far as they are at hand, name no place of an
/// axis of this size; tuples of indices of several axes, where there are several sizes. Kernels, which cannot
/// tell, take the last place then, and put nothing outside.
void requirePlaces(NodeImport &node, std::size_t input, const ops::Shape &sizes);

} // namespace nestwright::graph::onnx
