// SPDX-License-Identifier: Apache-2.0
/// Variants of one kernel that are to be measured, and how.
#pragma once

#include "core/backend/edited_code.h"
#include "core/backend/link/externs.h"
#include "core/ir/ndarray.h"
#include "core/ir/node/function.h"
#include "core/target/target.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::measure {

/// The variants are measured alternately in one run.
struct MeasureJob {
    ir::Module reference; ///< the unscheduled program
    std::vector<ir::Module> variants;
    /// Code that is compiled in place of a variant's own, by its place in `variants`. Only what a person
    /// wrote here, or has agreed to run.
    std::map<std::size_t, backend::EditedCode> edits{};
    std::string function; ///< empty: the main function
    target::Target target;
    std::map<std::string, std::int64_t> sizes; ///< symbolic sizes by name; defaultSize for those not named
    std::int64_t defaultSize = 1024;
    int repetitions = 5;
    double secondsPerRepetition = 0.1;
    /// A variant whose single calls would take longer in all is repeated less often, twice at least.
    double secondsPerVariant = 2;
    bool flushCache = false;
    bool counters = false; ///< Measurement::counters, by further calls of each variant
    bool verifyOnly = false;
    bool isEmulated = false; ///< the variants' CUDA text runs on this processor; with verifyOnly
    std::uint64_t seed = 1;
    std::optional<double> relativeTolerance{}; ///< that a person grants beyond what rounding explains
    std::map<std::string, ir::NdArray> inputs; ///< arguments by name, given by a person; others are random
    backend::ExternLibraries externs;          ///< whose functions the variants may call
    bool wantPeak = true; ///< fill in peakFraction, measuring the machine's peak if it is not known
};

} // namespace nestwright::measure
