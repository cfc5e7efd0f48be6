// SPDX-License-Identifier: Apache-2.0
/// Programs of a sweep as they were predicted and measured: as text, and as JSON.
#pragma once

#include "core/explore/judge/ranking.h"
#include "core/session/reuse/sweep.h"
#include "core/support/text/json.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::cli {

/// Of the programs of a sweep, in order; none of it is there where they were not measured.
struct SweepResults {
    std::vector<std::optional<measure::Measurement>> measured{}; ///< nothing for those that are refused
    std::optional<std::size_t> best{};
    std::vector<std::size_t> tied{}; ///< others that are not told apart from the best

    const measure::Measurement *at(std::size_t index) const
    {
        return index < measured.size() && measured[index] ? &*measured[index] : nullptr;
    }
};

/// A program of a sweep: a point, a cell, a place.
struct SweptProgram {
    const schedule::State *state = nullptr; ///< null: refused
    const std::optional<explore::Prediction> *prediction = nullptr;
};
std::vector<SweptProgram> programsOf(const std::vector<session::SweepPoint> &points);

/// Measures them in turns (explore::rank).
support::Result<SweepResults> measured(const ir::Module &reference, const target::Target &target,
                                       const std::vector<SweptProgram> &programs);

std::string milliseconds(double seconds);
/// "1.23 ms (1.20 ms .. 1.27 ms)", or why it was not measured.
std::string describe(const measure::Measurement &measurement);

/// The last lines: the fastest, those not told apart from it, and how well the prediction did. `nameOf`: of a
/// program, by its place.
std::string conclusion(const std::vector<SweptProgram> &programs, const SweepResults &results,
                       const std::function<std::string(std::size_t)> &nameOf);

/// Adds "predicted", "measured", "best" and "tied" to the entry of a program.
void addFigures(support::Json &entry, const std::optional<explore::Prediction> &prediction,
                const SweepResults &results, std::size_t index);
/// Adds "rank-correlation".
void addAgreement(support::Json &json, const std::vector<SweptProgram> &programs,
                  const SweepResults &results);

/// A table of the values down and across, with times in milliseconds, and a second one of those measured;
/// behind them why cells are refused.
std::string gridText(const session::VariantTree &tree, const session::SweepGrid &grid,
                     const SweepResults &results);
support::Json gridJson(const session::VariantTree &tree, const session::SweepGrid &grid,
                       const SweepResults &results);

} // namespace nestwright::cli
