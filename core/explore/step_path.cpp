// SPDX-License-Identifier: Apache-2.0
#include "core/explore/step_path.h"

#include "core/schedule/replay.h"
#include "core/support/stop.h"

#include <utility>

namespace nestwright::explore {

using support::Result;

Result<StepPath> StepPath::along(const schedule::State &initial, std::span<const schedule::Step> steps)
{
    StepPath path(initial);
    for (const schedule::Step &step : steps) {
        if (const auto made = path.add(step); !made)
            return support::fail(made.error());
    }
    return path;
}

Result<void> StepPath::add(schedule::Step step)
{
    support::checkStop();
    auto applied = schedule::apply(end(), step);
    if (!applied)
        return support::fail(std::move(applied.error()));
    if (const auto decision = step.primitive->decisionIndex())
        step.args[*decision] = applied->decision;
    m_steps.push_back(std::move(step));
    m_states.push_back(std::move(applied->state));
    m_outputs.push_back(std::move(applied->outputs));
    return {};
}

StepPath StepPath::upTo(std::size_t position) const
{
    const auto count = static_cast<std::ptrdiff_t>(position);
    StepPath path(m_states.front());
    path.m_states.assign(m_states.begin(), m_states.begin() + count + 1);
    path.m_steps.assign(m_steps.begin(), m_steps.begin() + count);
    path.m_outputs.assign(m_outputs.begin(), m_outputs.begin() + count);
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
        const std::size_t place = places[i];
        const schedule::State before = path.end();
        auto step = names.translated(m_steps.at(place), state(place), before);
        if (!step || !path.add(std::move(*step)))
            continue;
        names.note(m_outputs.at(place), path.m_outputs.back());
        names.noteMade(state(place), state(place + 1), before, path.end());
        made.push_back(place);
    }
    places = std::move(made);
    return path;
}

} // namespace nestwright::explore
