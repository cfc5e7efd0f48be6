// SPDX-License-Identifier: Apache-2.0
#include "core/explore/predict/places.h"

#include "core/support/errors/stop.h"

#include <algorithm>
#include <limits>

namespace nestwright::explore {

namespace {

/// The program with a loop or block at its place; nothing where a step is not legal.
std::optional<schedule::State> placed(const schedule::State &state, const suggest::Placement &place)
{
    schedule::State at = state;
    for (const schedule::Step &step : place.steps) {
        auto applied = schedule::apply(at, step);
        if (!applied)
            return {};
        at = std::move(applied->state);
    }
    return at;
}

} // namespace

std::vector<PredictedPlace> predictedPlaces(const suggest::LoopNest &nest, ir::StmtId moved,
                                            const target::Machine &machine)
{
    std::vector<PredictedPlace> places;
    for (suggest::Placement &place : suggest::placementsOf(nest, moved, support::currentStop())) {
        support::checkStop();
        auto state = placed(nest.state(), place);
        if (!state)
            continue;
        auto prediction = predict(*state, machine);
        places.push_back({std::move(place), std::move(*state), std::move(prediction)});
    }
    std::ranges::stable_sort(places, {}, [](const PredictedPlace &each) {
        return each.prediction ? each.prediction->seconds : std::numeric_limits<double>::infinity();
    });
    return places;
}

std::vector<double> predictedGains(const schedule::State &state,
                                   const std::vector<suggest::Placement> &placements,
                                   const target::Machine &machine)
{
    std::vector<double> gains(placements.size(), 0);
    const auto now = predict(state, machine);
    for (std::size_t i = 0; now && i < placements.size(); ++i) {
        support::checkStop();
        const auto there = placed(state, placements[i]);
        const auto prediction = there ? predict(*there, machine) : std::nullopt;
        if (prediction && prediction->seconds > 0)
            gains[i] = now->seconds / prediction->seconds;
    }
    return gains;
}

} // namespace nestwright::explore
