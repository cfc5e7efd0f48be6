// SPDX-License-Identifier: Apache-2.0
/// Loops and blocks of a state, under the names that its printed program gives them.
#pragma once

#include "core/analysis/kernel/axes.h"
#include "core/schedule/state.h"
#include "core/script/print/printer.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace nestwright::suggest {

using ir::StmtId;

/// Immutable once made. Functions that take an id accept those of other programs, too: they find nothing
/// there.
class LoopNest {
public:
    LoopNest() = default;
    /// `printed` is the module of `state` as text.
    LoopNest(schedule::State state, const script::Printed &printed);

    const schedule::State &state() const { return m_state; }
    /// Loops and blocks in program order, function by function; no root blocks.
    const std::vector<StmtId> &all() const { return m_all; }

    /// Null where `id` is none, or is the other kind. A root block is a block.
    const ir::For *loop(StmtId id) const;
    const ir::Block *block(StmtId id) const;
    bool contains(StmtId id) const { return indexOf(id) != nullptr; }
    bool isRoot(StmtId id) const;
    /// Facts about the function that holds `id`; null where none does.
    const analysis::FunctionIndex *indexOf(StmtId id) const;

    /// The loop's variable as printed, or the block; empty where there is none.
    std::string name(StmtId id) const;
    /// Iterations of a loop; none where they are symbolic, or where `id` is no loop.
    std::optional<std::int64_t> iterations(StmtId id) const;
    /// The block axes that a loop drives; null where `id` is no loop.
    const analysis::LoopAxis *axis(StmtId id) const;

    /// The loops that hold `id`, outermost first, itself included when it is one.
    std::vector<StmtId> loopsTo(StmtId id) const;
    /// `id` itself where it is a block, else the first below it; none where there is none.
    StmtId firstBlock(StmtId id) const;
    /// Loops that enclose each other with nothing between them, outermost first; the loop `id` is one of
    /// them.
    std::vector<StmtId> perfectNest(StmtId id) const;

private:
    schedule::State m_state;
    std::vector<StmtId> m_all;
    std::unordered_map<StmtId, std::string> m_names; ///< of loops
    std::unordered_map<StmtId, analysis::LoopAxis> m_axes;
};

/// A loop's kind as its badge: "parallel", "vector", "unroll", the thread's axis; empty for a serial one.
std::string kindBadge(const ir::For &loop);

} // namespace nestwright::suggest
