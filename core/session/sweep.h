// SPDX-License-Identifier: Apache-2.0
/// Sweeps: one number of a step given other values, with the steps after it replayed.
#pragma once

#include "core/explore/prediction.h"
#include "core/explore/step_numbers.h"
#include "core/session/history_edit.h"

namespace nestwright::session {

/// A value, and the program at the end of the branch with it.
struct SweepPoint {
    std::int64_t value = 0;
    HistoryEdit edit;                         ///< makes it a variant
    std::optional<schedule::State> state{};   ///< nothing where a step is refused
    std::optional<support::Diagnostic> why{}; ///< it is refused
    std::optional<explore::Prediction> prediction{};
};

/// The branch from `variant` to `tip` with this value of the number in the variant's step.
SweepPoint sweepPoint(const VariantTree &tree, VariantId variant, const explore::StepNumber &number,
                      std::int64_t value, VariantId tip, const explore::Machine &machine);

} // namespace nestwright::session
