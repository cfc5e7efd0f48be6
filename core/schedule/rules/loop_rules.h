// SPDX-License-Identifier: Apache-2.0
/// Rules about loops that several primitives share. Each throws a UserError that says which rule is
/// broken.
#pragma once

#include "core/schedule/edit.h"

#include <span>

namespace nestwright::schedule {

/// The loop carries neither annotations nor a thread ("schedule.loop-annotated",
/// "schedule.loop-thread-bound").
void requireBareLoop(const ir::For &loop);

/// Splitting and fusing make new loops, so the old ones may carry neither annotations nor a thread
/// ("schedule.loop-annotated", "schedule.loop-thread-bound") and must start at 0 ("schedule.loop-start").
void requirePlainLoop(const ir::For &loop);

/// The numbers among the extents of `loop` and of those that stand for it multiply to no more than its type
/// counts ("schedule.too-many-iterations").
void requireCountable(const ir::For &loop, std::span<const ir::Expr> extents, std::string_view hint);

/// The blocks below the loop; there must be at least one ("schedule.no-block").
std::vector<StmtId> requireBlocksIn(const analysis::FunctionIndex &index, const ir::For &loop);

/// No loop twice ("schedule.duplicate-loop").
void requireDistinct(Edit &edit, const std::vector<StmtId> &loops);

} // namespace nestwright::schedule
