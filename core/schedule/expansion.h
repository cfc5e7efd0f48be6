// SPDX-License-Identifier: Apache-2.0
/// Carrying out a composite step as the steps it stands for.
#pragma once

#include "core/schedule/primitive.h"

namespace nestwright::schedule {

class Expansion {
public:
    explicit Expansion(State state) : m_state(std::move(state)) {}

    const State &state() const { return m_state; }
    const std::vector<Step> &steps() const { return m_steps; }
    /// Applies one more step and gives its results; throws support::UserError when it is not legal.
    ArgList run(std::string_view primitive, const std::vector<std::pair<std::string_view, ArgValue>> &args);
    /// All steps together.
    Applied finish(ArgList outputs) &&;

private:
    State m_state;
    std::vector<Step> m_steps;
    ForwardMap m_forward;
};

} // namespace nestwright::schedule
