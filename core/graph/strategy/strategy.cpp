// SPDX-License-Identifier: Apache-2.0
#include "core/graph/strategy/strategy.h"

#include "core/graph/strategy/rules.h"
#include "core/schedule/state.h"

#include <algorithm>

namespace nestwright::graph {

support::Result<DefaultSchedule> defaultSchedule(const ir::Module &kernel, const target::Machine &machine)
{
    auto state = schedule::makeState(kernel);
    if (!state)
        return support::fail(state.error());
    Scheduler scheduler(std::move(*state), machine);
    if (nestRows(scheduler))
        return DefaultSchedule{scheduler.state(), scheduler.steps()};
    const std::vector<StmtId> filtered = nestWinograd(scheduler);
    if (filtered.empty()) {
        inlineStages(scheduler);
        if (nestRowReductions(scheduler))
            return DefaultSchedule{scheduler.state(), scheduler.steps()};
        for (const StmtId block : scheduler.blocks()) // before the stages that pad for them
            nestWindow(scheduler, block);
    }
    for (const StmtId block : scheduler.blocks()) {
        const Scheduler::Checkpoint before = scheduler.checkpoint();
        if (std::ranges::contains(filtered, block) || isPlaced(scheduler, block) || nestSum(scheduler, block))
            continue;
        if (reducesRows(scheduler, block)) {
            parallelizeRows(scheduler, block);
        } else if (isReduction(scheduler, block)) {
            bool done = sumInChunks(scheduler, block) || nestUnevenRows(scheduler, block)
                        || (padContraction(scheduler, block) && tileReduction(scheduler, block));
            if (!done) {
                scheduler.restore(before);
                done = tileReduction(scheduler, block);
            }
            if (!done) {
                scheduler.restore(before);
                parallelizeReduction(scheduler, block);
            }
        } else if (!tileTransposed(scheduler, block)) {
            parallelizeStage(scheduler, block);
        }
    }
    return DefaultSchedule{scheduler.state(), scheduler.steps()};
}

} // namespace nestwright::graph
