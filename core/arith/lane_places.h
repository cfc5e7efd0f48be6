// SPDX-License-Identifier: Apache-2.0
/// Offsets of the lanes of a vector index from each other.
#pragma once

#include "core/ir/node/expr.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright::arith {

/// Lane i is at `base` + `offsets`[i].
struct LanePlaces {
    ir::Expr base; ///< of one lane
    std::vector<std::int64_t> offsets;
};

/// The places of an index whose lanes differ by constants; nothing for other indices.
std::optional<LanePlaces> lanePlaces(const ir::Expr &index);

/// Places in an aligned group of elements: the group has as many elements as the index has lanes, and begins
/// at a multiple of that number.
struct LaneGroup {
    ir::Expr begin;
    std::vector<int> places; ///< of the lanes, within the group
};

/// The group of an index whose lanes all lie in one such group; nothing for other indices.
std::optional<LaneGroup> laneGroup(const ir::Expr &index);

} // namespace nestwright::arith
