// SPDX-License-Identifier: Apache-2.0
/// Sweeps: one number of a step given other values, with the steps after it replayed.
#pragma once

#include "core/explore/prediction.h"
#include "core/session/history_edit.h"

namespace nestwright::session {

/// A whole number among the arguments of a step.
struct StepNumber {
    std::size_t field = 0;                ///< of the primitive
    std::optional<std::size_t> element{}; ///< of a list
    std::string name;                     ///< "factors[1]", "vector_lanes"
    std::int64_t value = 0;
    bool operator==(const StepNumber &) const = default;
};

/// Those that a person may want to change: no numbers of axes, dimensions or buffers.
std::vector<StepNumber> numbersOf(const schedule::Step &step);

schedule::Step withNumber(schedule::Step step, const StepNumber &number, std::int64_t value);

/// Values worth trying: powers of two and their halves between, up to the loop that a step splits, or 16
/// times the number; with the number itself, in order.
std::vector<std::int64_t> valuesFor(const schedule::State &before, const schedule::Step &step,
                                    const StepNumber &number);

/// A value, and the program at the end of the branch with it.
struct SweepPoint {
    std::int64_t value = 0;
    HistoryEdit edit;                         ///< makes it a variant
    std::optional<schedule::State> state{};   ///< nothing where a step is refused
    std::optional<support::Diagnostic> why{}; ///< it is refused
    std::optional<explore::Prediction> prediction{};
};

/// The branch from `variant` to `tip` with this value of the number in the variant's step.
SweepPoint sweepPoint(const VariantTree &tree, VariantId variant, const StepNumber &number,
                      std::int64_t value, VariantId tip, const explore::Machine &machine);

} // namespace nestwright::session
