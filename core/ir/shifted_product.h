// SPDX-License-Identifier: Apache-2.0
/// q_multiply_shift and q_multiply_shift_per_axis: products of fixed-point numbers, shifted and rounded.
#pragma once

#include "core/ir/node/expr.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright::ir {

bool isShiftedProduct(const Call &call);
/// The reason why such a call is no right one; nothing where it is.
std::optional<std::string> shiftedProductFault(const Call &call);
/// The call on `args`, which are used several times, as plain arithmetic.
Expr shiftedProduct(const Call &call, const std::vector<Expr> &args);

} // namespace nestwright::ir
