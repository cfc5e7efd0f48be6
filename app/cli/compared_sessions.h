// SPDX-License-Identifier: Apache-2.0
/// Session files that are compared: the older one, and the newer.
#pragma once

#include "core/explore/compare/comparison.h"
#include "core/measure/measurer.h"
#include "core/target/target.h"

#include <string>
#include <vector>

namespace nestwright::cli {

struct ComparedFiles {
    std::string first, second;         ///< session files (.nest)
    std::vector<std::string> variants; ///< by name: one for both files, or one of each; else the current ones
    std::string target;                ///< empty: that of the sessions
    bool runsEdited = false;           ///< edited code of the sessions, too
    bool withoutSandbox = false;       ///< also where it could reach files and processes
};

/// Two variants of one kernel.
struct ComparedSides {
    explore::Side first, second;
    target::Target target;
    measure::MeasureJob job{}; ///< measures them in turns, the first before the second
};

/// Names for people: of the files, numbered where both have one name.
std::pair<std::string, std::string> namesOf(const ComparedFiles &files);

/// Errors: those of session::loadProject and findVariant; "compare.other-kernel"; "compare.target" (the
/// sessions have different ones, and none is given); those of session::addTo and measure::readInputs.
support::Result<ComparedSides> sidesOfSessions(const ComparedFiles &files);

} // namespace nestwright::cli
