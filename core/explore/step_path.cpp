// SPDX-License-Identifier: Apache-2.0
#include "core/explore/step_path.h"

#include "core/schedule/primitive.h"
#include "core/schedule/replay.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/stop.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nestwright::explore {

using support::Result;

Result<StepPath> StepPath::along(const schedule::State &initial, std::span<const schedule::Step> steps)
{
    StepPath path(initial);
    for (const schedule::Step &step : steps) {
        if (step.primitive->isQuery)
            continue;
        if (const auto made = path.add(step); !made)
            return support::fail(made.error());
    }
    return path;
}

StepPath::StepPath(std::vector<schedule::State> states, std::vector<schedule::Step> steps)
    : m_states(std::move(states))
    , m_steps(std::move(steps))
{
    NW_ASSERT(m_states.size() == m_steps.size() + 1, "a path has a state before each step and one behind");
}

Result<schedule::ArgList> StepPath::add(schedule::Step step)
{
    support::checkStop();
    auto applied = schedule::apply(end(), step);
    if (!applied)
        return support::fail(std::move(applied.error()));
    if (const auto decision = step.primitive->decisionIndex())
        step.args[*decision] = applied->decision;
    m_steps.push_back(std::move(step));
    m_states.push_back(std::move(applied->state));
    return std::move(applied->outputs);
}

StepPath StepPath::upTo(std::size_t position) const
{
    const auto count = static_cast<std::ptrdiff_t>(position);
    StepPath path(m_states.front());
    path.m_states.assign(m_states.begin(), m_states.begin() + count + 1);
    path.m_steps.assign(m_steps.begin(), m_steps.begin() + count);
    return path;
}

StepPath StepPath::only(std::vector<std::size_t> &places) const
{
    std::size_t shared = 0; // steps before the first that is left out
    while (shared < places.size() && places[shared] == shared)
        ++shared;
    StepPath path = upTo(shared);
    schedule::Replay names(state(shared));
    std::vector<std::size_t> made(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(shared));
    for (std::size_t i = shared; i < places.size(); ++i) {
        if (replay(places[i], names, path))
            made.push_back(places[i]);
    }
    places = std::move(made);
    return path;
}

bool StepPath::replay(std::size_t place, schedule::Replay &names, StepPath &onto) const
{
    const schedule::State before = onto.end();
    auto step = names.translated(m_steps.at(place), state(place), before);
    const auto now = step ? onto.add(std::move(*step)) : support::fail(step.error());
    if (!now)
        return false;
    if (const auto was = schedule::apply(state(place), m_steps.at(place)))
        names.note(was->outputs, *now);
    names.noteMade(state(place), state(place + 1), before, onto.end());
    return true;
}

StepPath StepPath::without(std::size_t place) const
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < size(); ++i) {
        if (i != place)
            places.push_back(i);
    }
    return only(places);
}

std::optional<StepPath> StepPath::with(std::size_t place, schedule::Step step) const
{
    StepPath path = upTo(place);
    schedule::Replay names(state(place));
    const auto was = schedule::apply(state(place), m_steps.at(place));
    const auto now = path.add(std::move(step));
    if (!was || !now)
        return std::nullopt;
    names.note(was->outputs, *now);
    names.noteMade(state(place), state(place + 1), state(place), path.end());
    for (std::size_t i = place + 1; i < size(); ++i) {
        if (!replay(i, names, path))
            return std::nullopt;
    }
    return path;
}

std::optional<StepPath> StepPath::inserted(std::size_t position, schedule::Step step) const
{
    StepPath path = upTo(position);
    if (!path.add(std::move(step)))
        return std::nullopt;
    return continuing(std::move(path), position, {}, {});
}

std::optional<StepPath> StepPath::continuing(StepPath begin, std::size_t position,
                                             const schedule::ArgList &was, const schedule::ArgList &now) const
{
    schedule::Replay names(state(position));
    names.note(was, now);
    for (std::size_t i = position; i < size(); ++i) {
        if (!replay(i, names, begin))
            return std::nullopt;
    }
    return begin;
}

std::size_t commonStates(const StepPath &first, const StepPath &second)
{
    const auto [end, _] = std::ranges::mismatch(first.steps(), second.steps());
    return static_cast<std::size_t>(std::distance(first.steps().begin(), end)) + 1;
}

} // namespace nestwright::explore
