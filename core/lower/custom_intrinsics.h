// SPDX-License-Identifier: Apache-2.0
/// Intrinsics that a script makes up, as its rules for a target say what they are.
#pragma once

#include "core/ir/function.h"
#include "core/lower/target.h"
#include "core/support/result.h"

namespace nestwright::lower {

/// The module with what the rules in its functions' attributes give in place of such calls. Error:
/// "lower.no-rule" for a call that the target has no rule for.
support::Result<ir::Module> lowerCustomIntrinsics(const ir::Module &module, const Target &target);

} // namespace nestwright::lower
