// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts a table of transfers for its map.
#pragma once

#include "core/session/reuse/transfer.h"
#include "widgets/charts/ratio_map.h"

namespace nestwright::app {

charts::RatioData ratiosOf(const session::TransferTable &table);

/// "Faster in 5 of 8 cells, slower in 1, not significant in 1; no ratio in 1."
QString transferSummary(const session::TransferTable &table);

} // namespace nestwright::app
