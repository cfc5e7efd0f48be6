// SPDX-License-Identifier: Apache-2.0
/// Two variants loop by loop, and two sessions on a model kernel by kernel: `nestc compare`.
#pragma once

#include "core/explore/compare/comparison.h"
#include "core/measure/measurement.h"
#include "core/support/text/json_fwd.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nestwright::workbench {

/// Two sessions on one model.
struct ModelComparison {
    /// Times are of all calls in one run; 0 where nothing was measured.
    struct Part {
        std::string name;
        int nodes = 0;
        bool isSame = true;     ///< it is the same program in both
        std::string sentence{}; ///< on the difference that matters most, where there is one
        double before = 0, after = 0;
        std::optional<measure::Speedup> speedup{}; ///< not significant where the program is the same
    };

    std::pair<std::string, std::string> names;
    std::vector<Part> kernels; ///< those that take most time first, or those that differ
    Part whole;
    std::vector<std::string> left; ///< kernels of the sessions that the model does not have
};

/// {"names": [first, second], "sentence", "same-code", "cycles": [first, second], "reason", "seconds": PAIR,
/// "loops": [{"first": name, "second": name, "depth", and each known metric by its name: PAIR}], "speedup":
/// {"ratio", "low", "high", "significant"}}, as far as they are known; a PAIR has null for what is not.
support::Json toJson(const explore::Comparison &comparison, const std::optional<measure::Speedup> &speedup);

/// {"names": [first, second], "kernels": [PART], "total": PART, "left": [names]}; a PART is {"name", "nodes",
/// "same", "sentence", "seconds": [first, second], "speedup": measure::toJson}, the last three where they are
/// known.
support::Json toJson(const ModelComparison &comparison);

} // namespace nestwright::workbench
