// SPDX-License-Identifier: Apache-2.0
/// Sizes at which a schedule is sealed: small enough to be interpreted soon, large enough that each loop and
/// each guard that the schedule makes still has something to do.
#pragma once

#include "core/explore/step_path.h"
#include "core/explore/trace/reduced_sizes.h"

#include <string>

namespace nestwright::explore {

/// Nodes of the programs' trees that the interpreter goes through, roughly: loops by their extents, those
/// that are not known by the smallest number that they name. A second has some 2 * 10^8.
double workOf(const ir::PrimFunc &function);
double workOf(const ir::Module &module);

struct SealedSizes {
    StepPath path;
    SizeMap sizes{};    ///< empty where it is as it was
    std::string lost{}; ///< what the schedule does at its own sizes alone: "loop 'k_0' runs once"
};

/// How much is interpreted.
struct SealCut {
    double work = 5e8;       ///< of both programs together; a larger kernel is cut
    std::int64_t extent = 0; ///< instead: the largest along buffers and loops; 0: by work
};

/// The path as it is where that is little enough, or where nothing is to be cut (`work` 0, `extent` 0). Else
/// at the largest sizes that are, and of several such those at which most of what the schedule does is left;
/// where none hold, at the largest of eight times the work.
/// Error: "seal.too-much-work", with the step that smaller sizes do not take.
support::Result<SealedSizes> sizesToSeal(const StepPath &path, const SealCut &cut);

} // namespace nestwright::explore
