// SPDX-License-Identifier: Apache-2.0
/// Two sessions on one model, kernel by kernel and as a whole.
#pragma once

#include "app/cli/compared_sessions.h"
#include "core/support/text/json_fwd.h"

#include <optional>

namespace nestwright::cli {

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

struct ModelComparisonEffort {
    bool measures = false;
    int repetitions = 10;
};

/// The kernels of the model with the schedules that they have in both sessions, the default one where a
/// session has none. Errors: those of session::loadModelProject, session::openModelOf, compiledWith,
/// takeTimes; "compare.other-model".
support::Result<ModelComparison> compareModels(const ComparedFiles &files,
                                               const ModelComparisonEffort &effort);

/// A sentence, a row per kernel, the whole as the last.
std::string printedTable(const ModelComparison &comparison);
support::Json toJson(const ModelComparison &comparison);

} // namespace nestwright::cli
