// SPDX-License-Identifier: Apache-2.0
/// Whether a program is well-formed at its level of the IR.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"

namespace nestwright::analysis {

enum class Level : std::uint8_t {
    Block, ///< scheduled or to be scheduled: a root block, loops and blocks
    Flat,  ///< lowered: no blocks, one index per access, Allocate instead of allocated buffers
    Any,   ///< in between: only the checks for every level
};

/// Accesses to buffers that a block does not mention.
enum class Undeclared : std::uint8_t {
    Refused, ///< accesses of a block must be among its reads or writes
    Allowed, ///< as unsafe_hide_buffer_access leaves them
};

/// Checks, at every level: children are there; each variable is defined once, before it is used and where it
/// is used; buffers are parameters or allocated around their use, and used with as many indices as they have
/// dimensions; operand types match; conditions are boolean, indices and extents integers; intrinsics exist
/// and have the right number of arguments; ids are unique (not at level Flat, where several copies of one
/// loop may stand). Of blocks: as many values as variables; regions with one range per dimension; loops
/// outside are used only by way of the block's variables; accesses of the body are declared in reads and
/// writes, unless `undeclared` allows more.
///
/// The Diagnostic names the block or loop; its code is "verify.undefined-variable",
/// "verify.redefined-variable", "verify.undefined-buffer", "verify.undeclared-access",
/// "verify.loop-in-block", "verify.rank", "verify.type", "verify.call", "verify.id", "verify.level" or
/// "verify.missing".
support::Result<void> verify(const ir::PrimFunc &function, Level level,
                             Undeclared undeclared = Undeclared::Refused);
/// Every function; ids must be unique in the whole module.
support::Result<void> verify(const ir::Module &module, Level level,
                             Undeclared undeclared = Undeclared::Refused);

} // namespace nestwright::analysis
