// SPDX-License-Identifier: Apache-2.0
/// Conditions within a block that keep it from accessing a buffer, for copies of what it does access.
#pragma once

#include "core/ir/node/stmt.h"

#include <cstdint>
#include <vector>

namespace nestwright::schedule {

/// A condition under which a block accesses a buffer, in terms of its variables.
struct AccessGuard {
    ir::Expr condition;         ///< conditions on loops within the block are left out
    bool dependsOnData = false; ///< so are conditions on data
};

enum class GuardedSide : std::uint8_t {
    Reads,  ///< under the predicates of blocks within it
    Writes, ///< under those and the conditions of branches
};

/// The guards of the block's accesses to the memory of `buffer`, each once; `true` for one that is made
/// always, or that is not found. Its own predicate does not count.
std::vector<AccessGuard> accessGuards(const ir::Block &block, const ir::Buffer &buffer, GuardedSide side);

} // namespace nestwright::schedule
