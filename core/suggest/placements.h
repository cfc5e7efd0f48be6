// SPDX-License-Identifier: Apache-2.0
/// Legal places for a loop, a block or a copy of a buffer, and the axes of threads for a loop: the targets of
/// a drag.
#pragma once

#include "core/schedule/apply.h"
#include "core/suggest/loop_nest.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::suggest {

struct Placement {
    enum class Side : std::uint8_t { Above, Below, Into };
    StmtId at;              ///< the loop beside which the moved loop goes, or into which a block or copy goes
    Side side = Side::Into; ///< of `at`
    std::vector<schedule::Step> steps; ///< each on the state that the one before gives
    std::string label;                 ///< "drop here: ki, ii, ji"
};

/// Positions that a loop may take within its nest (reorder), or a block (compute_at, reverse_compute_at).
std::vector<Placement> placementsOf(const LoopNest &nest, StmtId moved, const std::stop_token &stop);

/// An axis of threads that a loop may be bound to.
struct Binding {
    std::string thread; ///< "blockIdx.x"
    schedule::Step step;
    std::optional<support::Diagnostic> refused; ///< set exactly where it is not legal
};
/// The three axes of blocks, the three of threads and "vthread", for the loop `id`; empty where it is none.
/// An axis that a loop around it or within it is bound to is refused: threads would run it once for both.
std::vector<Binding> bindingsOf(const LoopNest &nest, StmtId id, const std::stop_token &stop);

/// The buffers that a copy is asked for.
enum class BufferUse : std::uint8_t { ReadOrWritten, Written };

/// The loops that may hold a copy of the part of a buffer that they work on: cache_read and compute_at where
/// a block below reads it, cache_write and reverse_compute_at where one writes it.
std::vector<Placement> placementsOfBuffer(const LoopNest &nest, const std::string &buffer, BufferUse use,
                                          const std::stop_token &stop);

} // namespace nestwright::suggest
