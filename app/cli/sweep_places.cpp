// SPDX-License-Identifier: Apache-2.0
#include "app/cli/sweep_places.h"

#include "app/cli/text/sweep_output.h"
#include "core/explore/predict/places.h"
#include "core/measure/machine/this_machine.h"
#include "core/script/print/printer.h"
#include "core/support/text/json_output.h"

#include <format>

namespace nestwright::cli {

using explore::PredictedPlace;
using support::diagnostic;
using support::fail;
using support::Json;
using support::Result;

namespace {

Result<ir::StmtId> statementNamed(const suggest::LoopNest &nest, const std::string &name)
{
    std::string known;
    for (const ir::StmtId id : nest.all()) {
        if (nest.name(id) == name)
            return id;
        known += (known.empty() ? "" : ", ") + nest.name(id);
    }
    return fail(diagnostic("sweep.no-loop", "there is no loop or block '" + name + "'")
                    .withHint(known.empty() ? "the program has none" : "there are " + known));
}

/// The places that are shown and measured, with the program as it is before them.
struct PlaceSweep {
    std::vector<PredictedPlace> places;
    std::size_t legal = 0; ///< of which those are the best
    std::optional<explore::Prediction> prediction{};
    const schedule::State *state = nullptr;

    std::string label(std::size_t index) const
    {
        return index == 0 ? std::string("as it is")
                          : schedule::describe(places[index - 1].place.steps.front(), *state);
    }
    /// The program as it is comes first.
    std::vector<SweptProgram> programs() const
    {
        std::vector<SweptProgram> all{{state, &prediction}};
        for (const PredictedPlace &each : places)
            all.push_back({&each.state, &each.prediction});
        return all;
    }
};

std::string placesText(const PlaceSweep &sweep, const std::string &name, const SweepResults &results)
{
    std::string text = std::format("{} {} of '{}'", sweep.legal, sweep.legal == 1 ? "place" : "places", name);
    text += sweep.places.size() < sweep.legal
                ? std::format(", the best {} as predicted:\n", sweep.places.size())
                : std::string(":\n");
    const std::vector<SweptProgram> programs = sweep.programs();
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const auto &prediction = *programs[i].prediction;
        text += std::format("{:<44} {:>14}  {:<22}", sweep.label(i),
                            prediction ? milliseconds(prediction->seconds) : "–",
                            prediction ? prediction->limit : "");
        if (const measure::Measurement *result = results.at(i))
            text += ' ' + describe(*result);
        text += '\n';
    }
    return text + conclusion(programs, results, [&](std::size_t i) { return sweep.label(i); });
}

Json placesJson(const PlaceSweep &sweep, const std::string &name, const SweepResults &results)
{
    Json json{{"moved", name}, {"legal", sweep.legal}, {"places", Json::array()}};
    const std::vector<SweptProgram> programs = sweep.programs();
    for (std::size_t i = 0; i < programs.size(); ++i) {
        Json entry{{"step", sweep.label(i)}};
        addFigures(entry, *programs[i].prediction, results, i);
        if (i == 0)
            json["now"] = std::move(entry);
        else
            json["places"].push_back(std::move(entry));
    }
    addAgreement(json, programs, results);
    return json;
}

} // namespace

Result<std::string> sweepPlaces(const session::Session &session, const target::Target &target,
                                const std::string &name, bool measures, bool json)
{
    const schedule::State &state = *session.tree().current().state;
    const suggest::LoopNest nest(state, script::print(state.module));
    const auto moved = statementNamed(nest, name);
    if (!moved)
        return fail(moved.error());
    const target::Machine machine = measure::machineOf(target);
    PlaceSweep sweep{.places = explore::predictedPlaces(nest, *moved, machine)};
    sweep.legal = sweep.places.size();
    sweep.state = &state;
    sweep.prediction = explore::predict(state, machine);
    if (std::ssize(sweep.places) > explore::mostPlaces)
        sweep.places.erase(sweep.places.begin() + explore::mostPlaces, sweep.places.end());
    SweepResults results;
    if (measures) {
        auto all = measured(session.tree().root().state->module, target, sweep.programs());
        if (!all)
            return fail(all.error());
        results = std::move(*all);
    }
    return json ? support::jsonText(placesJson(sweep, name, results), 2) + '\n'
                : placesText(sweep, name, results);
}

} // namespace nestwright::cli
