// SPDX-License-Identifier: Apache-2.0
/// All places of a loop or block, predicted and measured: `nestc sweep --places`.
#pragma once

#include "core/explore/predict/places.h"
#include "core/session/session.h"
#include "core/support/text/json_fwd.h"
#include "core/workbench/answers/sweep_results.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright::workbench {

/// The places that are shown and measured, with the program as it is before them.
struct PlaceSweep {
    std::string name; ///< of what is moved
    std::vector<explore::PredictedPlace> places;
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
        for (const explore::PredictedPlace &each : places)
            all.push_back({&each.state, &each.prediction});
        return all;
    }
};

/// The places of the loop or block `name` in the current program of the session, which must live as long.
/// Error: "sweep.no-loop".
support::Result<PlaceSweep> placeSweep(const session::Session &session, const target::Target &target,
                                       const std::string &name);

/// {"moved", "legal": how many places, "now": FIGURES with "step", "places": [FIGURES with "step"],
/// "rank-correlation"}; FIGURES as in sweep_results.h.
support::Json toJson(const PlaceSweep &sweep, const SweepResults &results);

} // namespace nestwright::workbench
