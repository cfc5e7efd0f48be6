// SPDX-License-Identifier: Apache-2.0
/// A variant with the programs that it came from, step by step.
#pragma once

#include "core/schedule/step.h"

#include <cstddef>
#include <vector>

namespace nestwright::explore {

using ir::StmtId;

struct Derivation {
    std::vector<schedule::Step> steps;   ///< without queries
    std::vector<schedule::State> states; ///< one more than steps: the root's first, the variant's last

    const schedule::State &variant() const { return states.back(); }
};

/// Applies `steps` to `root` one after the other, queries left out. Error: that of the first step which is
/// not legal.
support::Result<Derivation> derive(const schedule::State &root, const std::vector<schedule::Step> &steps);

/// The number of states that both begin with; 1 at least where they have one root.
std::size_t commonStates(const Derivation &first, const Derivation &second);

} // namespace nestwright::explore
