// SPDX-License-Identifier: Apache-2.0
/// The intrinsics that an expression calls.
#pragma once

#include "core/ir/node/expr.h"

namespace nestwright::ir {

bool calls(const Expr &e, const Intrinsic &intrinsic);

} // namespace nestwright::ir
