// SPDX-License-Identifier: Apache-2.0
/// Dependences between the blocks of a scope, from the regions that the blocks declare and their other reads.
#pragma once

#include "core/analysis/kernel/index.h"

namespace nestwright::analysis {

/// The scope of the block `root`. Two blocks depend on each other if one of them writes a buffer that the
/// other touches, whichever elements these are; the block that stands first in the program is `from`.
Scope scopeOf(const FunctionIndex &index, StmtId root);

} // namespace nestwright::analysis
