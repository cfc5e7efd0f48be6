// SPDX-License-Identifier: Apache-2.0
/// Intrinsics that a script makes up, and their rules for targets.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"
#include "core/target/target.h"

namespace nestwright::lower {

/// The module with such calls replaced by the rules in its functions' attributes; for a device, calls of C's
/// functions of math with other types than C's are those of the device's language. Error: "lower.no-rule" for
/// a call that the target has no rule for.
support::Result<ir::Module> lowerCustomIntrinsics(const ir::Module &module, const target::Target &target);

} // namespace nestwright::lower
