// SPDX-License-Identifier: Apache-2.0
/// The edit of one step: the state before, fresh ids, and the function as it becomes.
#pragma once

#include "core/analysis/kernel/index.h"
#include "core/schedule/step.h"
#include "core/support/errors/errors.h"

#include <string_view>

namespace nestwright::schedule {

/// One application of a step. A step works on one function, which the first id asked for decides.
class Edit {
public:
    Edit(const State &before, std::string_view step)
        : m_before(before)
        , m_step(step)
        , m_ids(before.ids)
        , m_random(before.random)
    {
    }

    const State &before() const { return m_before; }
    /// The primitive's name.
    std::string_view step() const { return m_step; }

    /// Facts about the function (as it was before the step) that holds `id`. Throws
    /// "schedule.unknown-statement" when none does, "schedule.other-function" when it is not the one that
    /// this step works on.
    const analysis::FunctionIndex &index(StmtId id);
    /// Throws "schedule.not-a-loop", "schedule.not-a-block".
    const ir::For &loop(StmtId id);
    const ir::Block &block(StmtId id);

    StmtId newId() { return m_ids.next(); }
    /// The source of random numbers for sampling.
    Random &random() { return m_random; }
    /// Notes the decision of a sampling step.
    void decide(ArgValue decision) { m_decision = std::move(decision); }
    ir::Origin origin(std::string part, StmtId parent) const
    {
        return {std::string(m_step), std::move(part), parent};
    }

    /// The function's body as it is by now.
    const ir::Stmt &body() const { return m_body; }
    /// Loops and blocks in it that have no id get one; those of the same id must not occur twice.
    void setBody(ir::Stmt body) { m_body = std::move(body); }
    /// Lets the function take `with` for the parameter `buffer`; the body is left to the caller.
    void replaceParameter(const ir::Buffer &buffer, const ir::Buffer &with);
    /// Puts `with` in place of the loop or block `id`.
    void replace(StmtId id, const ir::Stmt &with);

    /// Names the replacement of a loop or block that is gone; without one, the first part made of it is
    /// taken.
    void forward(StmtId before, StmtId after) { m_forward.set(before, after); }

    /// The state after, with the forward map completed.
    Applied finish(ArgList outputs) &&;

private:
    State stateAfter(State state) const;

    const State &m_before;
    std::string_view m_step;
    ir::IdCounter m_ids;
    const analysis::FunctionIndex *m_index = nullptr;
    ir::Stmt m_body;
    std::vector<ir::Param> m_params; ///< empty while they are those of before
    ForwardMap m_forward;
    Random m_random;
    ArgValue m_decision;
};

/// Throws the Diagnostic as a support::UserError.
[[noreturn]] void refuse(Diagnostic diagnostic);

/// "'i'" of a loop's variable or a block's name, for a message.
std::string named(const ir::For &loop);
std::string named(const ir::Block &block);
std::string named(const ir::Stmt &loopOrBlock);

} // namespace nestwright::schedule
