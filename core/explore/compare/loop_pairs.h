// SPDX-License-Identifier: Apache-2.0
/// Pairs of corresponding loops of two variants of one program.
#pragma once

#include "core/explore/step_path.h"
#include "core/suggest/loop_nest.h"

#include <cstdint>
#include <vector>

namespace nestwright::explore {

using ir::StmtId;

/// The reason why two loops are a pair.
enum class PairedBy : std::uint8_t {
    None,     ///< it stands alone
    Identity, ///< a loop of the program that both variants come from, which neither has changed
    Origin,   ///< the same part of the same loop or block of that program: "the inner part of j"
    Axes,     ///< it runs over the same axes of the same block, in the order of the nests
    Role      ///< both do the same for programs that have nothing else in common
};

/// The loop of each variant; a side is none where the other variant alone has it.
struct LoopPair {
    StmtId first, second;
    PairedBy by = PairedBy::None;
    bool operator==(const LoopPair &) const = default;
};

/// All loops of both variants, each once, in the order of the second's program; those that the first alone
/// has stand behind the loop which they stand behind there.
std::vector<LoopPair> pairLoops(const StepPath &first, const suggest::LoopNest &firstNest,
                                const StepPath &second, const suggest::LoopNest &secondNest);

/// Blocks that both variants have: those of the program that both come from, and those that the same step
/// made of the same one.
std::vector<LoopPair> pairBlocks(const StepPath &first, const suggest::LoopNest &firstNest,
                                 const StepPath &second, const suggest::LoopNest &secondNest);

} // namespace nestwright::explore
