// SPDX-License-Identifier: Apache-2.0
/// Loops bound to threads that a target does not have.
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

} // namespace nestwright::codegen
