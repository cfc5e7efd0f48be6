// SPDX-License-Identifier: Apache-2.0
/// Prediction of a program's time from its loops alone, without machine code: in a few milliseconds, for
/// sliders and for the order of what is worth measuring. It ranks programs of one kernel; measuring tells
/// their times.
#pragma once

#include "core/schedule/state.h"
#include "core/target/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright::explore {

/// Bytes that a memory level has to deliver.
struct Traffic {
    std::string level;  ///< "L2": that the bytes come from
    double bytes = 0;   ///< whole cache lines
    double seconds = 0; ///< at the rate of the level, by all threads that work
};

struct Prediction {
    double seconds = 0;
    double computing = 0;           ///< seconds of the vector units, with their waiting for results
    double loading = 0;             ///< seconds of the units that load and store
    std::vector<Traffic> traffic{}; ///< by level, nearest first
    double threadsAtWork = 1;       ///< on average, over the whole time
    /// The limit of the time: "results it waits for", "arithmetic", "loads", or a level.
    std::string limit{};
};

/// Predicts each block: its arithmetic at the width that its loops give it, its loads and stores, and for
/// each level of memory the lines that do not stay in the levels before it: the outermost loop whose lines
/// all fit keeps them, and the next loop keeps those that it does not move (the reuse model of W. Abu-Sufah's
/// and later work on tiling). The times of blocks add up; within a block the slowest part counts, and n
/// threads take no less than 1/n of the time of one. Nothing where a size is symbolic.
std::optional<Prediction> predict(const schedule::State &state, const target::Machine &machine);

} // namespace nestwright::explore
