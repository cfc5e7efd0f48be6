// SPDX-License-Identifier: Apache-2.0
/// Faults of nodes that hold graphs.
#pragma once

#include "core/frontend/onnx/file/model.h"
#include "core/support/errors/errors.h"

#include <format>

namespace nestwright::graph::onnx {

/// Throws the error of that code, which names the node.
[[noreturn]] inline void wrong(const char *code, const OnnxNode &node, const std::string &what)
{
    throw support::UserError(support::diagnostic(code, std::format("{}: {}", node.str(), what)));
}

} // namespace nestwright::graph::onnx
