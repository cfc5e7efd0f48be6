// SPDX-License-Identifier: Apache-2.0
/// The loops of code that is known by its branches alone.
#pragma once

#include <cstddef>
#include <vector>

namespace nestwright::backend {

/// An instruction, as far as it says what runs next.
struct FlowStep {
    int target = -1;        ///< position of the instruction that it may branch to; -1: none here
    bool goesOn = true;     ///< the next instruction may follow
    bool endsBlock = false; ///< it is a branch or a return
};

/// A natural loop: what can reach a branch back to `header` without passing it, where all ways to that branch
/// lead through it.
struct FlowLoop {
    std::size_t header = 0;         ///< an instruction
    std::vector<std::size_t> steps; ///< its own instructions in order, without those of loops within it
    int parent = -1;                ///< position of the loop around it; -1: none
};

/// All loops, each behind those around it, in the order of their headers. Code begins with its first
/// instruction, and with those that nothing known leads to.
std::vector<FlowLoop> flowLoops(const std::vector<FlowStep> &code);

} // namespace nestwright::backend
