// SPDX-License-Identifier: Apache-2.0
/// Whether threads and blocks keep to the memory that each of them has for its own, and blocks hand each
/// other nothing.
#pragma once

#include "core/arith/int_set.h"
#include "core/ir/node/stmt.h"

namespace nestwright::lower {

/// The axes of a block's threads.
struct KernelThreads {
    arith::Domains rows, lanes; ///< along y and z; along x, which threads of one warp differ in
};

/// Looks through the body of a kernel with buffers of several dimensions, before memory of blocks and threads
/// shrinks to the part that one of them uses. Throws support::UserError "lower.own-memory" where a
/// thread, a warp or a block reads what only another one wrote; "lower.block-order" where
/// that happens through memory of the device, or two blocks update an element of it or write it differently,
/// as nothing makes a block wait for another one of its kernel; "lower.thread-order" where threads of a block
/// update an element at once, or write different values to it.
void requireOwnMemory(const ir::Stmt &kernel, const arith::Domains &blocks, const KernelThreads &threads,
                      arith::Analyzer &analyzer);

/// The axes over threads of a block that share a memory.
struct SharingThreads {
    arith::Domains around; ///< each of these has the memory made anew
    arith::Domains within; ///< these fill and read it together
};

/// Refuses `body`, which a block makes `memory` for within loops over `threads.around`, where two of them
/// write different values to one element of it, or it is not known that they do not: each run of the body is
/// to have a memory of its own, but threads share it. Error: "lower.own-memory".
void requireOwnElements(const ir::Stmt &body, const ir::Var &memory, const SharingThreads &threads,
                        arith::Analyzer &analyzer);

} // namespace nestwright::lower
