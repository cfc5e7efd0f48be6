// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::graph::onnx::codes {

constexpr std::string_view valueNeeded =
    "onnx.value-needed"; ///< an input must be known when the model is read, and is not

} // namespace nestwright::graph::onnx::codes
