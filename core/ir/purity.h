// SPDX-License-Identifier: Apache-2.0
/// Expressions that depend on nothing but their variables.
#pragma once

#include "core/ir/node/expr.h"

namespace nestwright::ir {

/// Whether `e` reads no memory and calls nothing that may: its value is the same wherever its variables are.
/// Null is pure.
bool isPure(const Expr &e);

} // namespace nestwright::ir
