// SPDX-License-Identifier: Apache-2.0
/// Whether iterations of a loop may run at the same time: no two of them touch an element that one writes.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/diagnostic.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright::analysis {

/// Why two iterations of `loop` (of `function`) are not known to keep apart, with the two accesses; nothing
/// where they are. Code "analysis.parallel-conflict".
///
/// In every dimension an index is a part that the loop's variable moves and a window that other loops move
/// below it. Where the windows of both accesses are narrower than the steps of the first part, an element
/// tells that part; two iterations keep apart where the parts that are told so tell the iteration (it is
/// linear in one of them, their map is one to one, or all iterations are tried). Else the conditions around
/// the accesses may part them, or all elements of small loops are compared (thread_conflicts.h). Indices
/// that are read from memory tell nothing. A statement may write an element in several iterations where the
/// element tells the value, which is then the same each time.
std::optional<support::Diagnostic> whyNotParallel(const ir::PrimFunc &function, const ir::For &loop);

/// The accesses, of those that `blocks` make, with which two iterations of `loop` may touch one element:
/// "block 'C' writes C[vk] in one, block 'C' reads C[vk - 1] in the other"; nothing where they keep apart, as
/// above.
std::optional<std::string> meetingAccesses(const ir::PrimFunc &function, const ir::For &loop,
                                           const std::vector<support::StmtId> &blocks);

/// The first such reason of the function's T.parallel loops.
std::optional<support::Diagnostic> parallelConflict(const ir::PrimFunc &function);

} // namespace nestwright::analysis
