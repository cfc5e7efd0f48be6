// SPDX-License-Identifier: Apache-2.0
/// Taking predicates apart.
#pragma once

#include "core/ir/walk.h"

namespace nestwright::schedule {

/// The terms of a conjunction that do not use any of `discarded`.
ir::Expr termsWithout(const ir::Expr &condition, const ir::VarSet &discarded);

} // namespace nestwright::schedule
