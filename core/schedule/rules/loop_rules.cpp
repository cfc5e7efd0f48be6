// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/rules/loop_rules.h"

#include "core/ir/builder.h"
#include "core/script/printer.h"

#include <algorithm>

namespace nestwright::schedule {

using support::diagnostic;

void requireBareLoop(const ir::For &loop)
{
    if (!loop.annotations.empty())
        refuse(diagnostic("schedule.loop-annotated", "loop " + named(loop) + " carries the annotation \""
                                                         + loop.annotations.begin()->first
                                                         + "\", which would be lost")
                   .at(loop.id)
                   .withHint("remove it with unannotate first"));
    if (loop.forKind == ir::ForKind::ThreadBinding)
        refuse(diagnostic("schedule.loop-thread-bound",
                          "loop " + named(loop) + " is bound to \"" + loop.thread + "\" already")
                   .at(loop.id)
                   .withHint("split or fuse it before binding it"));
}

void requirePlainLoop(const ir::For &loop)
{
    requireBareLoop(loop);
    if (!ir::isConstInt(loop.min, 0))
        refuse(diagnostic("schedule.loop-start", "loop " + named(loop) + " begins at "
                                                     + script::printExpr(loop.min)
                                                     + "; only loops that begin at 0 can be changed")
                   .at(loop.id));
}

std::vector<StmtId> requireBlocksIn(const analysis::FunctionIndex &index, const ir::For &loop)
{
    std::vector<StmtId> blocks = index.childBlocks(loop.id);
    if (blocks.empty())
        refuse(diagnostic("schedule.no-block", "loop " + named(loop) + " holds no block")
                   .at(loop.id)
                   .withHint("choose a loop around a block"));
    return blocks;
}

void requireDistinct(Edit &edit, const std::vector<StmtId> &loops)
{
    for (std::size_t i = 0; i < loops.size(); ++i) {
        if (std::find(loops.begin(), loops.begin() + i, loops[i]) != loops.begin() + i)
            refuse(diagnostic("schedule.duplicate-loop",
                              "loop " + named(edit.loop(loops[i])) + " is given twice")
                       .at(loops[i]));
    }
}

} // namespace nestwright::schedule
