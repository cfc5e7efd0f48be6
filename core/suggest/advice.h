// SPDX-License-Identifier: Apache-2.0
/// A finding: one thing about a program that costs time, with the step that mends it.
#pragma once

#include "core/lower/target.h"
#include "core/schedule/step.h"
#include "core/suggest/loop_nest.h"

#include <optional>
#include <stop_token>
#include <string>

namespace nestwright::suggest {

enum class Finding : std::uint8_t {
    ReductionInnermost,
    LoopTooLongForVector,
    ScalarLoop,
    IdleThreads,
    NoBlocks,     ///< of a device
    NoThreads,    ///< in a block of a device
    BankConflicts ///< of shared memory
};

struct Advice {
    Finding finding = Finding::ReductionInnermost;
    StmtId loop;
    std::string title;  ///< "Only one of 2 threads works"
    std::string action; ///< "Run i_0 in parallel"
    schedule::Step step;
};

/// The first of these that applies to the block with the most iterations and has a legal remedy: a reduction
/// is the innermost loop; the innermost loop could be a vector; nothing runs in parallel. The first two are
/// judged from the machine code as well, where the target has some here: a compiler may have made vectors of
/// plain loops. `threads` is how many run parallel loops. For a device: deviceAdvice.
std::optional<Advice> adviceFor(const LoopNest &nest, const lower::Target &target, int threads,
                                const std::stop_token &stop);

} // namespace nestwright::suggest
