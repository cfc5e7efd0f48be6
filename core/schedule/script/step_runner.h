// SPDX-License-Identifier: Apache-2.0
/// Applies steps one after the other and keeps their results.
#pragma once

#include "core/schedule/script/arguments.h"
#include "core/schedule/script/reader.h"

namespace nestwright::schedule {

class StepRunner {
public:
    explicit StepRunner(State initial) : m_state(std::move(initial)) {}

    const State &state() const { return m_state; }
    /// The loop or block of that id as it stands now; null where it is none.
    const ir::For *loop(StmtId id) const;
    const ir::Block *block(StmtId id) const;
    /// The function in which blocks are looked up from now on; false, and nothing changed, where there is
    /// none of that name.
    bool workOn(const std::string &functionName);

    /// Applies a step and gives its results as a script sees them: one value, a list, or None. Throws
    /// UserError.
    ArgValue run(const Primitive &primitive, WrittenArguments written, int line);

    ScriptRun finish(ScriptNames names = {}) &&
    {
        return {std::move(m_state), std::move(m_steps), std::move(names)};
    }

private:
    ArgList apply(Step step, int line);
    ArgValue blockByName(const std::string &name, int line);

    State m_state;
    std::vector<ScriptStep> m_steps;
    std::uint32_t m_results = 0; ///< of all steps so far
    std::string m_function = "main";
};

} // namespace nestwright::schedule
