// SPDX-License-Identifier: Apache-2.0
/// Whether threads and blocks keep to the memory that each of them has for its own, and blocks hand each
/// other nothing.
#pragma once

#include "core/arith/int_set.h"
#include "core/ir/stmt.h"

namespace nestwright::lower {

/// Looks through the body of a kernel with buffers of several dimensions, before memory of blocks and threads
/// shrinks to the part that one of them uses. Throws support::UserError "lower.own-memory" where a thread
/// reads what only another one wrote, or a block what only another block wrote; "lower.block-order" where
/// that happens through memory of the device, as nothing makes a block wait for another one of its kernel.
void requireOwnMemory(const ir::Stmt &kernel, const arith::Domains &blocks, const arith::Domains &threads,
                      arith::Analyzer &analyzer);

/// Refuses `body`, which a block makes `memory` for within loops over `threads`, where two of them write
/// different values to one element of it: each run of the body is to have a memory of its own, but threads
/// share it. Error: "lower.own-memory".
void requireOwnElements(const ir::Stmt &body, const ir::Var &memory, const arith::Domains &threads,
                        arith::Analyzer &analyzer);

} // namespace nestwright::lower
