// SPDX-License-Identifier: Apache-2.0
/// A schedule on the kernels of a model, for people and for machines.
#pragma once

#include "core/session/model/like_kernels.h"
#include "core/support/text/json_fwd.h"

namespace nestwright::session {

/// "faster", "slower", "not significant", "scheduled so already", "fits", "does not fit", "failed".
std::string verdictOf(const LikeKernel &kernel);
/// "8.06 µs (7.01 … 8.11)"; empty without one.
std::string timeText(const std::optional<measure::Measurement> &measurement);
/// "Fits 6 of 7 kernels: faster on 2, slower on 3, not significant on 1."
std::string summaryOf(const LikeKernels &found);

/// A row per kernel, those that do not fit at the end, reasons below. Those that are kept are marked.
std::string printedTable(const LikeKernels &found, Keep keep);
support::Json toJson(const LikeKernels &found, Keep keep);

} // namespace nestwright::session
