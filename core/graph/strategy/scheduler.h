// SPDX-License-Identifier: Apache-2.0
/// Writes a schedule step by step, for the rules of this folder.
#pragma once

#include "core/analysis/kernel/index.h"
#include "core/schedule/apply.h"
#include "core/target/machine.h"

#include <optional>
#include <vector>

namespace nestwright::graph {

using ir::StmtId;

/// A loop of a block, with its extent and kind there.
struct LoopOf {
    StmtId id;
    std::int64_t extent = 0; ///< 0 where it is symbolic
    bool reduces = false;
};

class Scheduler {
public:
    Scheduler(schedule::State state, const target::Machine &machine)
        : m_state(std::move(state))
        , m_machine(machine)
    {
    }

    /// The one that the schedule is for.
    const target::Machine &machine() const { return m_machine; }
    const schedule::State &state() const { return m_state; }
    const std::vector<schedule::Step> &steps() const { return m_steps; }
    const analysis::FunctionIndex &index() const;
    const ir::Block &block(StmtId id) const { return *index().block(id); }
    /// The blocks of the function, in program order, without the root.
    std::vector<StmtId> blocks() const;
    /// The loops around a block, outermost first. A loop counts as reducing where any reduction variable uses
    /// it.
    std::vector<LoopOf> loops(StmtId block) const;

    using Arguments = std::vector<std::pair<std::string_view, schedule::ArgValue>>;
    /// Applies a step and gives its results; nothing, and nothing changed, where it is not legal.
    std::optional<schedule::ArgList> attempt(std::string_view primitive, const Arguments &arguments);

    /// The loops that splitting gives, outermost first; the factors but the first. Empty where it is not
    /// legal.
    std::vector<StmtId> split(StmtId loop, const std::vector<std::int64_t> &inner);
    /// One loop of several that stand one in the other; the loop itself when there is one. Nothing where it
    /// is not legal.
    std::optional<StmtId> fuse(const std::vector<StmtId> &loops);
    bool reorder(const std::vector<StmtId> &loops);
    bool annotate(std::string_view primitive, StmtId loop)
    {
        return attempt(primitive, {{"loop", loop}}).has_value();
    }

    /// Notes a number on a loop, for lowering and code generation.
    bool note(StmtId loop, std::string_view key, std::int64_t value)
    {
        return attempt("annotate",
                       {{"block_or_loop", loop}, {"ann_key", std::string(key)}, {"ann_val", value}})
            .has_value();
    }

    /// A state to go back to, and how many steps led there.
    struct Checkpoint {
        schedule::State state;
        std::size_t steps = 0;
    };
    Checkpoint checkpoint() const { return {m_state, m_steps.size()}; }
    void restore(Checkpoint at);

private:
    schedule::State m_state;
    target::Machine m_machine;
    std::vector<schedule::Step> m_steps;
};

} // namespace nestwright::graph
