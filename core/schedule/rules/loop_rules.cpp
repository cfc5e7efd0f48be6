// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/rules/loop_rules.h"

#include "core/ir/build/builder.h"
#include "core/script/print/printer.h"

#include <algorithm>
#include <format>

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

void requireCountable(const ir::For &loop, std::span<const ir::Expr> extents, std::string_view hint)
{
    const std::int64_t most = *ir::asInt(ir::maxValue(loop.var->dtype));
    double count = 1; // approximately
    std::int64_t product = 1;
    bool isHeld = true;
    for (const ir::Expr &extent : extents) {
        const std::int64_t *number = ir::asInt(extent);
        if (!number)
            continue;
        if (*number == 0)
            return;
        count *= static_cast<double>(*number);
        isHeld = isHeld && !__builtin_mul_overflow(product, *number, &product) && product <= most;
    }
    if (isHeld)
        return;
    refuse(diagnostic("schedule.too-many-iterations",
                      std::format("loop {} would run {:.0f} times, more than its type {} counts ({})",
                                  named(loop), count, loop.var->dtype.str(), most))
               .at(loop.id)
               .withHint(std::string(hint)));
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
