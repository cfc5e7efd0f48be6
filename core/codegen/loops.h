// SPDX-License-Identifier: Apache-2.0
/// Loops that a target cannot run, and loops that its compiler leaves as they are.
#pragma once

#include "core/ir/node/function.h"
#include "core/ir/node/stmt.h"
#include "core/support/errors/result.h"

namespace nestwright::codegen {

/// Error "backend.unsupported" about such a loop.
support::Diagnostic noSuchThreads(const ir::For &loop);

/// Error "backend.unsupported": the module has a loop bound to threads of a GPU, for a target that is none.
/// Virtual threads become loops when it is lowered.
support::Result<void> requireNoThreads(const ir::Module &module);

/// Whether the compiler behind us leaves a loop of a lowered program as it is: a serial one that keeps its
/// annotation for automatic unrolling, which is 0 then.
bool staysLoop(const ir::For &loop);

} // namespace nestwright::codegen
