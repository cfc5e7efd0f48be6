// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/compute_locations.h"

#include "core/analysis/kernel/block_kind.h"
#include "core/ir/build/builder.h"
#include "core/schedule/apply.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

bool isLegal(const State &state, std::string_view primitive,
             const std::vector<std::pair<std::string_view, ArgValue>> &args)
{
    const Result<Step> step = makeStep(primitive, args);
    return step && check(state, *step);
}

/// Whether the blocks below the loop use it in data-parallel variables only.
bool isDataParallel(const analysis::FunctionIndex &index, StmtId loop)
{
    return std::ranges::none_of(index.childBlocks(loop), [&](StmtId id) {
        const analysis::LoopUse use = analysis::loopUse(*index.block(id), index.loop(loop)->var);
        return use.reduce || use.opaque;
    });
}

/// The loops around all consumers, outermost first.
std::vector<StmtId> loopsAround(const analysis::FunctionIndex &index, const std::vector<StmtId> &consumers)
{
    StmtId innermost = index.parent(consumers.front());
    for (const StmtId consumer : consumers) {
        if (consumers.size() > 1)
            innermost = index.lowestCommonAncestor(innermost, consumer);
    }
    std::vector<StmtId> loops = index.loopsOf(consumers.front());
    const auto end = std::ranges::find(loops, innermost);
    loops.erase(end == loops.end() ? loops.begin() : end + 1, loops.end());
    return loops;
}

} // namespace

std::vector<ComputeLocation> computeLocations(Edit &edit, StmtId block)
{
    const State &state = edit.before();
    const analysis::FunctionIndex &index = edit.index(block);
    std::vector<ComputeLocation> locations;
    if (isLegal(state, "compute_inline", {{"block", block}}))
        locations.push_back({inlineMark, -2});
    locations.push_back({rootMark, -1});
    const std::vector<StmtId> consumers = index.consumers(block);
    if (consumers.empty())
        return locations;
    const std::vector<StmtId> loops = loopsAround(index, consumers);
    std::vector<bool> parallel;
    for (const StmtId loop : loops)
        parallel.push_back(isDataParallel(index, loop));
    const auto lastParallel = std::find(parallel.rbegin(), parallel.rend(), true).base() - parallel.begin();
    bool belowReduction = false;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        if (ir::isConstInt(index.loop(loops[i])->extent, 1))
            continue;
        if (parallel[i] ? belowReduction : static_cast<std::ptrdiff_t>(i) >= lastParallel)
            break;
        belowReduction = belowReduction || !parallel[i];
        if (isLegal(state, "compute_at",
                    {{"block", block}, {"loop", loops[i]}, {"preserve_unit_loops", true}}))
            locations.push_back({loops[i], static_cast<std::int64_t>(i)});
    }
    return locations;
}

} // namespace nestwright::schedule
