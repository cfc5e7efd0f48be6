// SPDX-License-Identifier: Apache-2.0
/// Which part of its domain a block must run over so that it makes, or uses up, given parts of buffers.
#pragma once

#include "core/arith/int_set.h"
#include "core/ir/stmt.h"

namespace nestwright::schedule {

/// One interval per dimension, in terms of loops that stand still.
using Box = std::vector<arith::IntervalSet>;

/// A buffer through which the block is tied to others: the block's own region of it (in terms of its
/// iteration variables) and the box that is asked for.
struct Tie {
    ir::BufferRegion own;
    Box asked;
};

/// The values that an iteration variable takes.
struct IterDomain {
    arith::IntervalSet values;
    /// The values must be kept inside this by a predicate; nothing where they provably are.
    arith::IntervalSet bound = arith::IntervalSet::nothing();
};

/// One per iteration variable of `block`. A variable that no tie determines takes its whole domain.
std::vector<IterDomain> solveIterDomains(const ir::Block &block, const std::vector<Tie> &ties,
                                         arith::Analyzer &analyzer);

} // namespace nestwright::schedule
