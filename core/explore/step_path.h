// SPDX-License-Identifier: Apache-2.0
/// Steps that follow each other, with the states between them.
#pragma once

#include "core/schedule/apply.h"

#include <optional>
#include <span>
#include <vector>

namespace nestwright::schedule {
class Replay;
}

namespace nestwright::explore {

/// A position on it is the number of steps made before: 0 is the unscheduled program. A step's place is the
/// position before it.
class StepPath {
public:
    explicit StepPath(schedule::State initial) { m_states.push_back(std::move(initial)); }
    /// `states` are known already: one more than steps.
    StepPath(std::vector<schedule::State> states, std::vector<schedule::Step> steps);
    /// The way that `steps` make from `initial`, queries left out. Error: that of the first that is not
    /// legal.
    static support::Result<StepPath> along(const schedule::State &initial,
                                           std::span<const schedule::Step> steps);

    std::size_t size() const { return m_steps.size(); }
    const schedule::State &state(std::size_t position) const { return m_states.at(position); }
    const schedule::State &end() const { return m_states.back(); }
    const schedule::Step &step(std::size_t place) const { return m_steps.at(place); }
    const std::vector<schedule::Step> &steps() const { return m_steps; }
    /// The step's description, from schedule::describe.
    std::string label(std::size_t place) const { return schedule::describe(step(place), state(place)); }

    /// Adds a step and gives its results; decisions that it makes are kept. Error: that of a step that is not
    /// legal.
    support::Result<schedule::ArgList> add(schedule::Step step);

    /// The way up to a position.
    StepPath upTo(std::size_t position) const;

    /// The steps at `places`, ascending, without the others (schedule::Replay). Those that cannot be made
    /// without what is left out are left out too, and their places go from `places`.
    StepPath only(std::vector<std::size_t> &places) const;
    /// All steps but the one at `place`; those that need it are left out too.
    StepPath without(std::size_t place) const;
    /// The way with `step` in place of that at `place`, the others replayed; nothing where one cannot be
    /// made.
    std::optional<StepPath> with(std::size_t place, schedule::Step step) const;
    /// The way with `step` as well, made at this position, the others replayed behind it; nothing where one
    /// cannot be made.
    std::optional<StepPath> inserted(std::size_t position, schedule::Step step) const;
    /// `begin`, which comes from the state at this position, with the steps behind that replayed on it, `now`
    /// in place of the loops `was`; nothing where one cannot be made.
    std::optional<StepPath> continuing(StepPath begin, std::size_t position, const schedule::ArgList &was,
                                       const schedule::ArgList &now) const;

private:
    /// Adds the step at `place`, made for loops and blocks as `names` follows them; whether that can be.
    bool replay(std::size_t place, schedule::Replay &names, StepPath &onto) const;

    std::vector<schedule::State> m_states; ///< one more than steps
    std::vector<schedule::Step> m_steps;
};

/// The number of states that both begin with; 1 at least where they have one root.
std::size_t commonStates(const StepPath &first, const StepPath &second);

} // namespace nestwright::explore
