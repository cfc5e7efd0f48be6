// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts the programs of a sweep for its curve and its map.
#pragma once

#include "core/session/reuse/sweep.h"
#include "widgets/charts/ratio_map.h"
#include "widgets/charts/sweep_curve.h"
#include "widgets/document/work/measuring.h"

#include <map>

namespace nestwright::app {

/// Variants of the programs of a sweep as they were made, and ranked; both may be missing.
struct SweepVariants {
    std::map<std::size_t, session::VariantId> made{}; ///< by the place of the point
    std::optional<document::RankedRun> ranked{};

    /// Its measurement, where it ran.
    const measure::Measurement *measured(const session::VariantTree &tree, std::size_t point) const;
    /// Why it did not run, where it was measured.
    const support::Diagnostic *failure(const session::VariantTree &tree, std::size_t point) const;
    bool isBest(std::size_t point) const;
    bool isTied(std::size_t point) const;
};

/// Curve of a grid of one row.
std::vector<charts::SweepItem> sweepCurveOf(const session::VariantTree &tree, const session::SweepGrid &grid,
                                            const SweepVariants &variants);

/// Coloured by how much faster a cell is than the branch as it is: both measured, or both predicted.
charts::RatioData sweepMapOf(const session::VariantTree &tree, const session::SweepGrid &grid,
                             const SweepVariants &variants);

/// "16 × 32": the values down and across; of one row the value alone.
QString sweepCellName(const session::SweepGrid &grid, std::size_t point);
/// "16 × 32: 0.87 ms predicted, limited by L2; 0.91 ms measured, the fastest"
QString sweepCellText(const session::VariantTree &tree, const session::SweepGrid &grid,
                      const SweepVariants &variants, std::size_t point);
/// "Fastest: 16 × 32. No significant difference: 8 × 32, 12 × 32."; empty before they are ranked.
QString sweepConclusion(const session::SweepGrid &grid, const SweepVariants &variants);

} // namespace nestwright::app
