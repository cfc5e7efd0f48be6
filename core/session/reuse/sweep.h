// SPDX-License-Identifier: Apache-2.0
/// Sweeps: one number of a step, or two numbers of a branch, given other values, with the steps after them
/// replayed.
#pragma once

#include "core/explore/predict/prediction.h"
#include "core/explore/step_numbers.h"
#include "core/session/history/history_edit.h"

#include <functional>

namespace nestwright::session {

/// A number of the step that made a variant.
struct SweptNumber {
    VariantId variant;
    explore::StepNumber number;
    bool operator==(const SweptNumber &) const = default;
};

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
                      std::int64_t value, VariantId tip, const target::Machine &machine);

/// The numbers of all steps to `tip`, in their order.
std::vector<SweptNumber> sweptNumbers(const VariantTree &tree, VariantId tip);
/// "factors[1] of split(i, [None, 16])"
std::string describe(const VariantTree &tree, const SweptNumber &swept);

/// Values of two numbers of one branch, which are not the same.
struct SweepAxes {
    SweptNumber down, across;
    std::vector<std::int64_t> rows, columns; ///< values of `down`, of `across`
};

/// Programs that one sweep over two numbers works out at most.
inline constexpr std::size_t mostCells = 256;

/// Values worth trying of both (explore::valuesFor); where that are too many, only powers of two and what
/// divides a loop beside the numbers themselves, or powers of two alone.
SweepAxes sweepAxes(const VariantTree &tree, SweptNumber down, SweptNumber across);

/// Every pair of values, row by row.
struct SweepGrid {
    SweepAxes axes;
    std::vector<SweepPoint> points; ///< each with the value of its column

    std::size_t index(std::size_t row, std::size_t column) const
    {
        return row * axes.columns.size() + column;
    }
    const SweepPoint &at(std::size_t row, std::size_t column) const { return points[index(row, column)]; }
};

/// The grid of the branch to `tip`; steps before the later of the two are replayed once for a value of the
/// earlier. `told`: the part that is done. Throws support::Stopped where the work is to stop.
SweepGrid sweepGrid(const VariantTree &tree, const SweepAxes &axes, VariantId tip,
                    const target::Machine &machine, const std::function<void(double)> &told = {});

} // namespace nestwright::session
