// SPDX-License-Identifier: Apache-2.0
/// Programs of a sweep as they were predicted and measured: `nestc sweep`.
#pragma once

#include "core/explore/judge/ranking.h"
#include "core/session/reuse/sweep.h"
#include "core/support/text/json_fwd.h"

#include <optional>
#include <vector>

namespace nestwright::workbench {

/// Figures of the programs of a sweep, in order; none of it is there where they were not measured.
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

/// Correlation of the orders of the programs that were both predicted and measured
/// (measure::rankCorrelation); nothing of fewer than three.
std::optional<double> agreement(const std::vector<SweptProgram> &programs, const SweepResults &results);

/// Adds "predicted", "measured", "best" and "tied" to the entry of a program.
void addFigures(support::Json &entry, const std::optional<explore::Prediction> &prediction,
                const SweepResults &results, std::size_t index);
/// Adds "rank-correlation".
void addAgreement(support::Json &json, const std::vector<SweptProgram> &programs,
                  const SweepResults &results);

/// {"number", "points": [FIGURES with "value" and perhaps "refused"], "rank-correlation"}; FIGURES are
/// {"predicted": {"seconds", "limit"}, "measured": measure::toJson, "best", "tied"}, as far as they are
/// known.
support::Json toJson(const explore::StepNumber &number, const std::vector<session::SweepPoint> &points,
                     const SweepResults &results);

/// {"down": AXIS, "across": AXIS, "cells": [FIGURES with "down", "across" and perhaps "refused"],
/// "rank-correlation"}; an AXIS is {"number", "step", "values"}.
support::Json toJson(const session::VariantTree &tree, const session::SweepGrid &grid,
                     const SweepResults &results);

} // namespace nestwright::workbench
