// SPDX-License-Identifier: Apache-2.0
/// Constructs that can be read, printed and compared, but not run.
#pragma once

#include "core/ir/node/function.h"

#include <optional>
#include <string>

namespace nestwright::ir {

/// The first thing in `function` that nothing here can run, in words ("the type float8_e4m3fn"), or nothing.
std::optional<std::string> notRunnable(const PrimFunc &function);

} // namespace nestwright::ir
