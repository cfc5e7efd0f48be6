// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/place_sweep.h"

#include "core/measure/machine/this_machine.h"
#include "core/script/print/printer.h"
#include "core/support/text/json.h"

namespace nestwright::workbench {

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

} // namespace

Result<PlaceSweep> placeSweep(const session::Session &session, const target::Target &target,
                              const std::string &name)
{
    const schedule::State &state = *session.tree().current().state;
    const suggest::LoopNest nest(state, script::print(state.module));
    const auto moved = statementNamed(nest, name);
    if (!moved)
        return fail(moved.error());
    const target::Machine machine = measure::machineOf(target);
    PlaceSweep sweep{.name = name, .places = explore::predictedPlaces(nest, *moved, machine)};
    sweep.legal = sweep.places.size();
    sweep.state = &state;
    sweep.prediction = explore::predict(state, machine);
    if (std::ssize(sweep.places) > explore::mostPlaces)
        sweep.places.erase(sweep.places.begin() + explore::mostPlaces, sweep.places.end());
    return sweep;
}

Json toJson(const PlaceSweep &sweep, const SweepResults &results)
{
    Json json{{"moved", sweep.name}, {"legal", sweep.legal}, {"places", Json::array()}};
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

} // namespace nestwright::workbench
