// SPDX-License-Identifier: Apache-2.0
/// A module being scheduled: a value, O(1) to copy.
#pragma once

#include "core/ir/node/function.h"
#include "core/schedule/intrin/tensor_intrin.h"
#include "core/schedule/random.h"
#include "core/support/errors/result.h"

#include <memory>
#include <string>

namespace nestwright::schedule {

using ir::StmtId;

class StateIndex;

/// Make one with `makeState`; steps make the next from it. `module` and `ids` are never changed in place.
struct State {
    ir::Module module;
    ir::IdCounter ids;
    /// Facts about `module`, found when first asked for; shared between copies, safe to use from several
    /// threads.
    std::shared_ptr<const StateIndex> index;
    /// random numbers for sampling steps without a decision
    Random random = Random();
    /// Tensor intrinsics besides the standard ones; may be null.
    std::shared_ptr<const TensorIntrins> intrins = {};
};

/// A state for scheduling `module`: computes the access regions of blocks that state none and gives every
/// loop and block an id (pre-order, function by function). Fails when a region cannot be found.
support::Result<State> makeState(const ir::Module &module);

} // namespace nestwright::schedule
