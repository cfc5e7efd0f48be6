// SPDX-License-Identifier: Apache-2.0
/// Copies of expressions that may stand beside the original.
#pragma once

#include "core/ir/node/expr.h"

namespace nestwright::ir {

/// The expression with variables of its own in place of those that its lets define.
Expr withFreshVariables(const Expr &e);

} // namespace nestwright::ir
