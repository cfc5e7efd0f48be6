// SPDX-License-Identifier: Apache-2.0
/// The loops and statements of a traced program, as the list that a replay walks through.
#pragma once

#include "core/explore/trace/replay.h"

namespace nestwright::explore {

/// Rows in the order of the program, one for each loop and each statement.
std::vector<ReplayRow> replayRows(const ir::PrimFunc &function, const TraceTables &tables);

} // namespace nestwright::explore
