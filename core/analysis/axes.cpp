// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/axes.h"

#include "core/ir/builder.h"
#include "core/ir/walk.h"

namespace nestwright::analysis {

namespace {

/// The axis of `block` that `loop` drives; no axes where it drives none.
LoopAxis axisIn(const ir::Block &block, const ir::For &loop)
{
    LoopAxis result{.block = block.id, .axes = {}, .names = {}};
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        if (!ir::uses(block.iterValues[i], loop.var))
            continue;
        result.axes.push_back(static_cast<int>(i));
        result.names.push_back(block.iterVars[i].var.name());
        switch (block.iterVars[i].kind) {
        case ir::IterKind::Spatial: result.spatial = true; break;
        case ir::IterKind::Reduce: result.reduce = true; break;
        case ir::IterKind::Scan:
        case ir::IterKind::Opaque: result.opaque = true; break;
        }
    }
    return result;
}

/// How often a block runs; a loop of a number of iterations that is not known counts as one.
double runsOf(const FunctionIndex &index, StmtId block)
{
    double runs = 1;
    for (const StmtId loop : index.loopsOf(block)) {
        const std::int64_t *extent = ir::asInt(index.loop(loop)->extent);
        runs *= extent ? static_cast<double>(*extent) : 1;
    }
    return runs;
}

} // namespace

std::unordered_map<StmtId, LoopAxis> loopAxes(const FunctionIndex &index)
{
    std::unordered_map<StmtId, LoopAxis> result;
    for (StmtId id : index.all()) {
        const ir::For *loop = index.loop(id);
        if (!loop)
            continue;
        LoopAxis &axis = result[id];
        double most = 0;
        for (StmtId block : index.childBlocks(id)) {
            LoopAxis found = axisIn(*index.block(block), *loop);
            const double runs = runsOf(index, block);
            found.spatial = found.spatial || axis.spatial;
            found.reduce = found.reduce || axis.reduce;
            found.opaque = found.opaque || axis.opaque;
            if (!found.axes.empty() && runs > most) {
                most = runs;
                axis = std::move(found);
            } else {
                axis.spatial = found.spatial;
                axis.reduce = found.reduce;
                axis.opaque = found.opaque;
            }
        }
    }
    return result;
}

} // namespace nestwright::analysis
