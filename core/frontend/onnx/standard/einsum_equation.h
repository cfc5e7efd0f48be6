// SPDX-License-Identifier: Apache-2.0
/// The equation of an Einsum.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// A label for every dimension: an ellipsis stands for the dimensions without labels of its input, which are
/// called by digits, counted from the last one.
class EinsumEquation {
public:
    /// Throws "onnx.unsupported" where the equation does not fit the inputs.
    explicit EinsumEquation(NodeImport &node);

    std::vector<std::string> inputs;
    std::string result;

private:
    std::string labelled(NodeImport &node, const std::string &term, std::int64_t rank);
    std::string implied() const;

    std::int64_t m_dots = 0;
};

} // namespace nestwright::graph::onnx
