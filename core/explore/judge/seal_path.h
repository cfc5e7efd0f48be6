// SPDX-License-Identifier: Apache-2.0
/// The seal of a schedule, of a smaller kernel where it is large, and the step that breaks it.
#pragma once

#include "core/explore/judge/seal.h"
#include "core/explore/judge/seal_sizes.h"

namespace nestwright::explore {

/// The seal of a schedule's last program and, where that differs, the step that made it so.
struct SealedPath {
    Seal seal;
    std::optional<std::size_t> step{}; ///< its place
    std::string stepText{};            ///< "step 4 of 9, reorder(k, j)"
    std::string sizes{};               ///< "1024 → 64" where they were cut
    std::string lost{};                ///< as SealedSizes has it

    /// "sealed: equal for every input, rounding apart", "not equal: …", "the seal does not apply: …".
    std::string describe() const;
};

support::Result<SealedPath> sealPath(const StepPath &path, const SealCut &cut,
                                     const SealOptions &options = {});

} // namespace nestwright::explore
