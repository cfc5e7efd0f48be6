// SPDX-License-Identifier: Apache-2.0
/// Results of reductions over no elements.
#pragma once

#include "core/ir/node/dtype.h"

#include <string_view>

namespace nestwright::graph::onnx {

/// Identity of our operator `op` ("sum", "max", …) for elements of that type.
double reductionIdentity(std::string_view op, ir::DataType type);

} // namespace nestwright::graph::onnx
