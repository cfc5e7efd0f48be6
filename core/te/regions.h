// SPDX-License-Identifier: Apache-2.0
/// The regions that a block made from a tensor expression reads and writes.
#pragma once

#include "core/arith/analyzer.h"
#include "core/ir/stmt.h"

namespace nestwright::te {

/// Fills `block.reads` and `block.writes` from its init and body, which hold no loops: one region per buffer
/// in order of first access, the smallest box around all accesses. A block with an init does not count as
/// reading what it writes.
void fillRegions(ir::Block &block, arith::Analyzer &analyzer);

} // namespace nestwright::te
