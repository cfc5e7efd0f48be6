// SPDX-License-Identifier: Apache-2.0
/// Writers and readers of a buffer that is to be copied, and conditions for a copy to replace it.
#pragma once

#include "core/arith/analyzer.h"
#include "core/schedule/edit.h"

namespace nestwright::schedule {

/// The only block of the scope that writes the buffer, none when nothing does. Throws
/// "schedule.several-writers".
StmtId onlyWriter(Edit &edit, StmtId scope, const ir::Buffer &buffer);
/// Blocks of the scope that read `buffer` after `writer` wrote it.
std::vector<StmtId> readersAfter(const analysis::Scope &scope, StmtId writer, const ir::Buffer &buffer);
/// The block's own results do not depend on earlier elements of `buffer`: throws
/// "schedule.reads-what-it-writes".
void requireNotAccumulated(Edit &edit, const ir::Block &block, const ir::Buffer &buffer);
/// `indices`, in terms of the block's variables, stay within the buffer for the whole domain (known to
/// `analyzer`), so that a copy can run over all of it. Throws "schedule.out-of-bounds".
void requireWithin(const ir::Block &block, const ir::Buffer &buffer, const std::vector<ir::Expr> &indices,
                   arith::Analyzer &analyzer);
/// All that blocks of the scope read of a buffer that the scope writes was written before: throws
/// "analysis.region-cover".
void requireCover(Edit &edit, StmtId scope, const ir::Buffer &buffer);

} // namespace nestwright::schedule
