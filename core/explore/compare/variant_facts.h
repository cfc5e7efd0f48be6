// SPDX-License-Identifier: Apache-2.0
/// Facts about one variant of a kernel without running it: its loops, their machine code, an estimate of
/// their cycles.
#pragma once

#include "core/backend/listing/loop_code.h"
#include "core/suggest/loop_nest.h"

#include <array>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace nestwright::explore {

using ir::StmtId;

/// A loop of a variant.
struct LoopView {
    StmtId loop;
    std::string name{};
    std::string kind{}; ///< "parallel", "vector", "unroll", an axis of threads; empty for a serial loop
    int depth = 0;
    int axis = -1; ///< number of the block axis that it drives; -1: none, -2: several
    std::optional<std::int64_t> trips{};
    std::optional<double> bytes{}; ///< distinct ones that one run of it touches
    int cache = 0;                 ///< the smallest that holds them: 1 … 3, 4: memory; 0: not known
    /// The machine-code loop that runs its iterations; of several, the one that computes most. Nothing where
    /// the iterations are unrolled within the loop around it.
    std::optional<backend::LoopCode> code{};
    std::optional<double> cycles{}; ///< of all its runs; of machine code whose time is known
    std::optional<double> share{};  ///< of the cycles of the whole variant, 0 … 1
};

/// An access of a block in its innermost loop that takes more than one turn.
struct Access {
    std::string buffer;
    bool isWrite = false;
    std::optional<std::int64_t> stride; ///< bytes from one iteration to the next; nothing: no constant
    int elementBytes = 0;
    int cache = 0; ///< the smallest that holds what the two innermost loops touch: 1 … 4; 0: not known
};

/// The block that takes most of a variant's time: most cycles, or most operations where none are known.
struct HotBlock {
    StmtId block;
    std::string loop{};                      ///< the innermost loop around it that takes more than one turn
    std::optional<backend::LoopCode> code{}; ///< does most of its work
    std::vector<Access> accesses{};
    double parallelTurns = 1;          ///< iterations of parallel loops around it
    std::string parallelLoop{};        ///< the outermost of them; empty: none
    std::optional<double> instances{}; ///< runs of its body
    int elementBytes = 0;              ///< of what it writes
    /// Bytes that it moves into the caches 1, 2 and 3: each run of the innermost loop that touches more than
    /// a cache holds fetches what it touches once.
    std::array<std::optional<double>, 3> traffic{};
};

struct VariantFacts {
    std::string name{};
    suggest::LoopNest nest;
    std::vector<backend::LoopCode> code; ///< empty where the target's machine code is not made here
    std::vector<LoopView> loops;         ///< in the order of the program
    std::unordered_map<StmtId, std::size_t> placeOf; ///< in `loops`
    std::optional<double> cycles{};                  ///< of one thread's work, all data in the first cache
    std::optional<HotBlock> hot; ///< nothing where no block's size is known, and of a device

    /// Null where there is no such loop.
    const LoopView *loop(StmtId id) const;
};

/// Errors: those of backend::loopCode, but for a target whose machine code is not made here.
support::Result<VariantFacts> factsOf(std::string name, const schedule::State &state,
                                      const target::Target &target, const std::stop_token &stop = {});

} // namespace nestwright::explore
