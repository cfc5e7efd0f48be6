// SPDX-License-Identifier: Apache-2.0
/// Two sessions on one model, kernel by kernel and as a whole.
#pragma once

#include "app/cli/compared_sessions.h"
#include "core/workbench/answers/comparisons.h"

namespace nestwright::cli {

struct ModelComparisonEffort {
    bool measures = false;
    int repetitions = 10;
};

/// The kernels of the model with the schedules that they have in both sessions, the default one where a
/// session has none. Errors: those of session::loadModelProject, session::openModelOf, compiledWith,
/// takeTimes; "compare.other-model".
support::Result<workbench::ModelComparison> compareModels(const ComparedFiles &files,
                                                          const ModelComparisonEffort &effort);

/// A sentence, a row per kernel, the whole as the last.
std::string printedTable(const workbench::ModelComparison &comparison);

} // namespace nestwright::cli
