// SPDX-License-Identifier: Apache-2.0
/// The part of its domain that a block must run over to provide, or to consume, given parts of buffers.
#pragma once

#include "core/arith/int_set.h"
#include "core/ir/node/stmt.h"

namespace nestwright::schedule {

/// One interval per dimension, in terms of loops that stand still.
using Box = std::vector<arith::IntervalSet>;

/// The region of a buffer that the block accesses, in terms of its iteration variables, and the box of it
/// that other blocks require (or provide).
struct AccessPair {
    ir::BufferRegion provided;
    Box required;
};

/// The values that an iteration variable takes.
struct IterDomain {
    arith::IntervalSet values;
    /// The values must be kept inside this by a predicate; nothing where they provably are.
    arith::IntervalSet bound = arith::IntervalSet::nothing();
};

/// One per iteration variable of `block`. A variable that no pair determines takes its whole domain.
std::vector<IterDomain> solveIterDomains(const ir::Block &block, const std::vector<AccessPair> &pairs,
                                         arith::Analyzer &analyzer);

} // namespace nestwright::schedule
