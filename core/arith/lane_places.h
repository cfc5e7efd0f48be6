// SPDX-License-Identifier: Apache-2.0
/// Where the lanes of a vector of indices lie beside each other.
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

/// Of an index whose lanes differ by constants; nothing for others.
std::optional<LanePlaces> lanePlaces(const ir::Expr &index);

/// Places in a group of elements, as many as there are lanes, the first of which is a multiple of their
/// number.
struct LaneGroup {
    ir::Expr begin;
    std::vector<int> places; ///< of the lanes, within the group
};

/// Of an index whose lanes all lie in one such group.
std::optional<LaneGroup> laneGroup(const ir::Expr &index);

} // namespace nestwright::arith
