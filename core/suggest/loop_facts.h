// SPDX-License-Identifier: Apache-2.0
/// Work and memory of one run of a loop.
#pragma once

#include "core/suggest/loop_nest.h"

#include <optional>

namespace nestwright::suggest {

struct LoopFacts {
    StmtId loop;
    std::optional<std::int64_t> iterations; ///< nothing where symbolic
    std::optional<double> flops;            ///< of all its iterations; nothing where a size is symbolic
    std::optional<double> bytes;            ///< distinct ones, of all buffers
    std::optional<double> lineBytes{};      ///< of the cache lines that hold them
    /// Operations per byte touched: below the balance of a cache that `bytes` fit into, the loop waits for
    /// it.
    std::optional<double> intensity() const;
};

LoopFacts loopFacts(const LoopNest &nest, StmtId loop);
/// The operations alone.
std::optional<double> flopsOf(const LoopNest &nest, StmtId loop);

} // namespace nestwright::suggest
