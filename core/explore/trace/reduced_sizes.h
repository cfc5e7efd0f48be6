// SPDX-License-Identifier: Apache-2.0
/// A scheduled program of a few sizes smaller: the same steps on buffers and loops of smaller extents.
#pragma once

#include "core/explore/step_path.h"
#include "core/target/target.h"

#include <map>
#include <span>

namespace nestwright::explore {

/// New values of sizes by old ones.
using SizeMap = std::map<std::int64_t, std::int64_t>;

/// The extents of the module's buffers and loops that are larger than `largest`, each with a divisor of it
/// that is not, or `largest` where that is less than half of it. One that is little more than another, as
/// that of padded rows, stays as much more. `areProducts`: one that is the product of two others stays that
/// of theirs. Where `factors` are given, a size has the remainder by each of them that it had, or else one
/// where it had one.
SizeMap smallerSizes(const ir::Module &module, std::int64_t largest, bool areProducts,
                     std::span<const std::int64_t> factors = {});

/// The module with these sizes: constants that are one of them, or near one, in extents and indices alike.
ir::Module withSizes(const ir::Module &module, const SizeMap &sizes);

/// The same steps on a kernel of these sizes. `fitsFactors`: those that are too large for them are made
/// smaller. Error: that of the first step that is not legal.
support::Result<StepPath> withSizes(const StepPath &path, const SizeMap &sizes, bool fitsFactors = false);

/// Verifies the module's form and runs it for so many steps of the interpreter. Error: what does not hold.
support::Result<void> tryRun(const ir::Module &module, std::int64_t steps);

struct Reduced {
    StepPath path;
    SizeMap sizes; ///< empty where nothing was too large
};

/// The program at the end of `path` with no extent above `largest`. It is run for a while, since not every
/// program holds for other sizes. Error: "explore.not-reducible", with the step or access that does not.
support::Result<Reduced> reduced(const StepPath &path, std::int64_t largest);

/// "1024 → 64, 226 → 58"; empty where there are none.
std::string textOf(const SizeMap &sizes);

} // namespace nestwright::explore
