// SPDX-License-Identifier: Apache-2.0
/// Places of a loop or a block, with the time that each is predicted to take.
#pragma once

#include "core/explore/predict/prediction.h"
#include "core/suggest/placements.h"

namespace nestwright::explore {

/// Places that are measured at once, at most: the best as predicted.
inline constexpr std::ptrdiff_t mostPlaces = 12;

struct PredictedPlace {
    suggest::Placement place;
    schedule::State state; ///< the program with it there
    std::optional<Prediction> prediction{};
};

/// The legal places of `moved`, the fastest as predicted first; those without prediction behind them. Throws
/// support::Stopped where the work is to stop.
std::vector<PredictedPlace> predictedPlaces(const suggest::LoopNest &nest, ir::StmtId moved,
                                            const target::Machine &machine);

/// Predicted speedups over `state` of the programs that the placements make of it;
/// 0 where that is not known. Throws as above.
std::vector<double> predictedGains(const schedule::State &state,
                                   const std::vector<suggest::Placement> &placements,
                                   const target::Machine &machine);

} // namespace nestwright::explore
