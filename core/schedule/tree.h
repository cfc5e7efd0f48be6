// SPDX-License-Identifier: Apache-2.0
/// Moving statements about in a function's tree.
#pragma once

#include "core/analysis/kernel/index.h"

#include <functional>
#include <map>

namespace nestwright::schedule {

using support::StmtId;

/// Changes to loops and blocks: each gets the statement with its children changed already. An empty Stmt
/// removes it.
using Changes = std::map<StmtId, std::function<ir::Stmt(const ir::Stmt &)>>;

/// `root` with the changes made. Expressions are not looked into.
ir::Stmt rewriteAt(const ir::Stmt &root, const Changes &changes);

/// A change that edits a copy of the node: `editBlock([&](ir::Block &b) { … })`.
std::function<ir::Stmt(const ir::Stmt &)> editBlock(std::function<void(ir::Block &)> edit);
std::function<ir::Stmt(const ir::Stmt &)> editLoop(std::function<void(ir::For &)> edit);

/// The statements of a body: of a sequence its parts, else the body alone.
std::vector<ir::Stmt> partsOf(const ir::Stmt &body);

/// The outermost loop (or the block itself) that holds nothing but the block; it goes when the block goes.
/// Throws "schedule.only-block" when its scope would be left empty.
StmtId outermostSoleAncestor(const analysis::FunctionIndex &index, StmtId block);

/// The statement in `loop` (nothing else than it) when `body` is exactly one loop; else null.
const ir::For *onlyLoopIn(const ir::Stmt &body);

/// Whether a loop or block of that id is in `root`.
bool containsStmt(const ir::Stmt &root, StmtId id);
bool containsAnyStmt(const ir::Stmt &root, const std::vector<StmtId> &ids);

} // namespace nestwright::schedule
