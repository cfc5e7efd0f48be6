// SPDX-License-Identifier: Apache-2.0
/// Functions of math.h that are no intrinsics.
#pragma once

#include "core/interp/frame.h"
#include "core/ir/node/expr.h"

#include <optional>
#include <string_view>
#include <vector>

namespace nestwright::interp {

/// A call of a function that is no intrinsic; nothing where the name is none of math.h.
std::optional<ValueCode> otherExtern(const ir::Call &call, std::string_view name,
                                     std::vector<ValueCode> &args);

} // namespace nestwright::interp
