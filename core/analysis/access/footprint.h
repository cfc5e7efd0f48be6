// SPDX-License-Identifier: Apache-2.0
/// How much memory a loop touches.
#pragma once

#include "core/analysis/kernel/index.h"

#include <optional>

namespace nestwright::analysis {

/// The bytes of a cache line.
inline constexpr double lineSize = 64;

/// The part of one buffer that a loop touches.
struct Footprint {
    ir::Buffer buffer;
    std::optional<double> bytes; ///< distinct ones; nothing where a size is symbolic
    /// They lie in rows of whole cache lines, at a distance from each other; that of a row alone is its
    /// length. 0 where a size is symbolic.
    double rows = 0, rowBytes = 0, rowDistance = 0;
    bool read = false, written = false;
};

/// Bytes that one iteration of `loop` touches, or all its iterations together, per buffer in order of
/// appearance, from the regions of the blocks below. `loop` may be a block too: then both are one run of its
/// body. Where they differ between iterations of the loops around, the largest counts.
std::vector<Footprint> footprintOfIteration(const FunctionIndex &index, StmtId loop);
std::vector<Footprint> footprintOfLoop(const FunctionIndex &index, StmtId loop);

/// The sum of the bytes; nothing where one is not known.
std::optional<double> totalBytes(const std::vector<Footprint> &footprints);
/// The same of whole cache lines, which caches hold.
std::optional<double> totalLineBytes(const std::vector<Footprint> &footprints);

} // namespace nestwright::analysis
