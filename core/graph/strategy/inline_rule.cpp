// SPDX-License-Identifier: Apache-2.0
#include "core/graph/strategy/rules.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <ranges>

namespace nestwright::graph {

namespace {

/// The cost of computing an element again.
struct Cost : ir::Visitor {
    void expr(const ir::Expr &e) override
    {
        if (const auto *call = e.as<ir::Call>()) {
            const ir::Intrinsic *intrinsic = call->callee.intrinsic();
            transcendental = transcendental || (intrinsic && intrinsic->transcendental);
            conditional = conditional || call->callee == ir::intrinsics::ifThenElse;
        }
        if (const auto *binary = e.as<ir::Binary>())
            divides = divides || (binary->op == ir::BinaryOp::Div && binary->dtype.isFloating());
        children(e);
    }
    bool transcendental = false, conditional = false, divides = false;
};

Cost costOf(const ir::Block &block)
{
    Cost cost;
    cost.stmt(block.body);
    return cost;
}

/// The elements that the block computes; 0 where that is symbolic.
std::int64_t elementsOf(const ir::Block &block)
{
    std::int64_t count = 1;
    for (const ir::IterVar &var : block.iterVars) {
        const std::int64_t *extent = ir::asInt(var.domain.extent);
        count *= extent ? *extent : 0;
    }
    return count;
}

/// Whether `block` should be computed anew wherever it is read.
bool isCheapThere(const Scheduler &scheduler, StmtId block, const std::vector<StmtId> &readers)
{
    const Cost cost = costOf(scheduler.block(block));
    const bool reduced =
        std::ranges::any_of(readers, [&](StmtId reader) { return isReduction(scheduler, reader); });
    if (reduced) // read many times, in the innermost loop
        return !cost.transcendental && !cost.conditional && !cost.divides;
    if (!cost.transcendental && !cost.conditional && !cost.divides)
        return true;
    // A stage of rows would be computed for each element of them.
    return readers.size() == 1
           && elementsOf(scheduler.block(block)) >= elementsOf(scheduler.block(readers[0]));
}

} // namespace

bool isReduction(const Scheduler &scheduler, StmtId block)
{
    return std::ranges::any_of(scheduler.block(block).iterVars,
                               [](const ir::IterVar &var) { return var.kind == ir::IterKind::Reduce; });
}

bool isPlaced(const Scheduler &scheduler, StmtId block)
{
    const std::vector<StmtId> loops = scheduler.index().loopsOf(block);
    return !loops.empty() && scheduler.index().childBlocks(loops.front()).size() > 1;
}

bool computeAt(Scheduler &scheduler, const std::vector<StmtId> &stages, StmtId loop)
{
    return std::ranges::all_of(std::views::reverse(stages), [&](StmtId stage) {
        return scheduler
            .attempt("compute_at", {{"block", stage}, {"loop", loop}, {"preserve_unit_loops", false}})
            .has_value();
    });
}

void inlineStages(Scheduler &scheduler)
{
    for (const StmtId block : scheduler.blocks()) {
        if (isReduction(scheduler, block))
            continue;
        const std::vector<StmtId> readers = scheduler.index().consumers(block);
        if (!readers.empty() && isCheapThere(scheduler, block, readers))
            scheduler.attempt("compute_inline", {{"block", block}});
    }
}

} // namespace nestwright::graph
