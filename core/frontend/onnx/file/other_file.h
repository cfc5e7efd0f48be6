// SPDX-License-Identifier: Apache-2.0
/// Files that are given as ONNX models and are something else.
#pragma once

#include "core/support/errors/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace nestwright::graph::onnx {

/// "onnx.format" with what the file is and how to come to the model; nothing where its first bytes do not
/// tell. `what`: what is expected, "ONNX model". For bytes that could not be read as that.
std::optional<support::Diagnostic> otherFile(std::string_view bytes, const std::string &path,
                                             std::string_view what);

} // namespace nestwright::graph::onnx
