// SPDX-License-Identifier: Apache-2.0
/// Values that a program leaves open (T.undef).
#pragma once

#include "core/ir/node/stmt.h"

namespace nestwright::ir {

/// The statement without those statements that store such a value, whatever may stand there then, and without
/// the variables that are bound to one. Throws support::UserError "lower.undefined" where a place or a
/// condition depends on one.
Stmt withoutUndefined(const Stmt &body);

} // namespace nestwright::ir
