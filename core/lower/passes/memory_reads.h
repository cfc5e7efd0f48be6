// SPDX-License-Identifier: Apache-2.0
/// Whether the value of an expression may change while its variables do not.
#pragma once

#include "core/ir/expr.h"

namespace nestwright::lower {

/// Whether `e` (may be null) loads from a buffer or calls something that may: then it means something else after a store, and
/// must neither be moved nor be taken for granted.
bool readsMemory(const ir::Expr &e);

} // namespace nestwright::lower
