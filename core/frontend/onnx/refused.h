// SPDX-License-Identifier: Apache-2.0
/// Operators of ONNX that are not supported, and why.
#pragma once

#include "core/frontend/onnx/file/model.h"

namespace nestwright::graph::onnx {

/// "onnx.refused" for an operator that is left out on purpose, else "onnx.operator".
support::Diagnostic refusal(const OnnxNode &node, std::int64_t opset);

} // namespace nestwright::graph::onnx
