// SPDX-License-Identifier: Apache-2.0
/// The intrinsics that an expression calls.
#pragma once

#include "core/ir/expr.h"

#include <string_view>

namespace nestwright::ir {

/// Whether the intrinsic `name` is called in `e`.
bool calls(const Expr &e, std::string_view name);

} // namespace nestwright::ir
