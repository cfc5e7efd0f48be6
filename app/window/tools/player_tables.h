// SPDX-License-Identifier: GPL-3.0-or-later
/// The loops of a replay with the values of their variables, and the counts of its accesses.
#pragma once

#include "core/explore/trace/replay.h"

class QTreeWidget;

namespace nestwright::app {

/// One row a loop or statement.
void setUpLoopList(QTreeWidget &list);
void fillLoopList(QTreeWidget &list, const explore::Replay &replay);
/// The values at the last step that was made; its statement and the loops around it are emphasized.
void showLoopValues(QTreeWidget &list, const explore::ReplayCursor &cursor);
/// The loop (of TraceTables::loops) of the current row, or the innermost one around it; -1 where there is
/// none.
int chosenLoop(const QTreeWidget &list, const explore::Replay &replay);

/// One row a statement and buffer, and one for all.
void setUpCountTable(QTreeWidget &table);
void fillCountTable(QTreeWidget &table, const explore::Replay &replay);
void showCounts(QTreeWidget &table, const explore::ReplayCursor &cursor);

} // namespace nestwright::app
