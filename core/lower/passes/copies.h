// SPDX-License-Identifier: Apache-2.0
/// Copies of a statement that may stand beside it.
#pragma once

#include "core/ir/node/stmt.h"

namespace nestwright::lower {

/// All variables and buffers that `s` defines are new objects (same names); ids stay, so that each copy of a
/// loop or block still tells where it comes from.
ir::Stmt freshCopy(const ir::Stmt &s);

/// `freshCopy` with `value` in the place of `var`.
ir::Stmt copyWith(const ir::Stmt &s, const ir::Var &var, const ir::Expr &value);

/// `s` itself with `value` in the place of `var`, the variable of a loop around it: in sizes of buffers, too.
ir::Stmt withValue(const ir::Stmt &s, const ir::Var &var, const ir::Expr &value);

} // namespace nestwright::lower
