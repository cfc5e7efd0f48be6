// SPDX-License-Identifier: Apache-2.0
/// The seal of a schedule, of a smaller kernel where it is large, and the step that breaks it.
#pragma once

#include "core/explore/seal.h"
#include "core/explore/step_path.h"

namespace nestwright::explore {

/// The seal of a schedule's last program and, where that differs, the step that made it so.
struct SealedPath {
    Seal seal;
    std::optional<std::size_t> step{}; ///< its place
    std::string stepText{};            ///< "step 4 of 9, reorder(k, j)"
    std::string sizes{};               ///< "1024 → 64" where they were cut

    /// "sealed: equal for every input, rounding apart", "not equal: …", "the seal does not apply: …".
    std::string describe() const;
};

/// How far a kernel that is too large is made smaller (explore::reduced): to so many elements along buffers
/// and loops at most, and to fewer until it computes no more operations than these. Where that cannot be it
/// is taken larger, and as it is at last.
struct SealCut {
    std::int64_t largest = 64; ///< 0: as it is
    double flops = 2e7;
};

support::Result<SealedPath> sealPath(const StepPath &path, const SealCut &cut,
                                     const SealOptions &options = {});

} // namespace nestwright::explore
