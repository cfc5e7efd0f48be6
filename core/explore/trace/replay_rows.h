// SPDX-License-Identifier: Apache-2.0
/// The loops and statements of a traced program, as the list that a replay walks through.
#pragma once

#include "core/explore/trace/replay.h"

namespace nestwright::explore {

/// In the order of the program, one row a loop and a statement.
std::vector<ReplayRow> replayRows(const ir::PrimFunc &function, const TraceTables &tables);

} // namespace nestwright::explore
