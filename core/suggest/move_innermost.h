// SPDX-License-Identifier: Apache-2.0
/// The step that moves a loop within all others of its perfect nest.
#pragma once

#include "core/schedule/step.h"
#include "core/suggest/loop_nest.h"

namespace nestwright::suggest {

struct MoveInnermost {
    schedule::Step step; ///< reorder; it may not be legal
    std::string title;   ///< "Reorder ii innermost"
};

/// Nothing where `loop` is innermost already, or is no loop.
std::optional<MoveInnermost> moveInnermost(const LoopNest &nest, StmtId loop);

} // namespace nestwright::suggest
