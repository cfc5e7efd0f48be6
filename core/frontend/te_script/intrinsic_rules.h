// SPDX-License-Identifier: Apache-2.0
/// Rules for the intrinsics that a TE script makes up, kept with the kernel that calls them.
#pragma once

#include "core/frontend/te_script/interpreter.h"

namespace nestwright::te {

/// The functions with the attribute ir::intrinsicRulesKey where they call intrinsics that the script has
/// rules for: for each signature and target the expression that the rule gives.
ir::Module withIntrinsicRules(Interpreter &interpreter, const ir::Module &module);

} // namespace nestwright::te
