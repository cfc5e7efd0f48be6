// SPDX-License-Identifier: Apache-2.0
/// Programs of a sweep as they were predicted and measured, as text.
#pragma once

#include "core/workbench/answers/place_sweep.h"
#include "core/workbench/answers/sweep_results.h"

#include <functional>
#include <string>
#include <vector>

namespace nestwright::cli {

std::string milliseconds(double seconds);
/// "1.23 ms (1.20 ms .. 1.27 ms)", or why it was not measured.
std::string describe(const measure::Measurement &measurement);

/// The last lines: the fastest, those not told apart from it, and how well the prediction did. `nameOf`: of a
/// program, by its place.
std::string conclusion(const std::vector<workbench::SweptProgram> &programs,
                       const workbench::SweepResults &results,
                       const std::function<std::string(std::size_t)> &nameOf);

/// A table of the values down and across, with times in milliseconds, and a second one of those measured;
/// behind them why cells are refused.
std::string gridText(const session::VariantTree &tree, const session::SweepGrid &grid,
                     const workbench::SweepResults &results);

/// A line per place: the step, the prediction, what was measured.
std::string placesText(const workbench::PlaceSweep &sweep, const workbench::SweepResults &results);

} // namespace nestwright::cli
