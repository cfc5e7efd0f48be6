// SPDX-License-Identifier: Apache-2.0
/// The operators of models that can be opened.
#pragma once

#include <string>
#include <vector>

namespace nestwright::session {

struct ModelOperator {
    std::string domain; ///< "ai.onnx", "com.microsoft", …
    std::string name;
    std::string versions; ///< of the domain's operator sets that are read: "1 to 28"
    std::string refusal;  ///< why it is refused; empty where it is read
};

/// Sorted by domain, ONNX's own first, and name; those that are refused on purpose too. Empty where this
/// program has no reader for ONNX.
std::vector<ModelOperator> modelOperators();

} // namespace nestwright::session
