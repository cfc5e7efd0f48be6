// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/axes.h"

#include "core/analysis/kernel/block_kind.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

namespace nestwright::analysis {

namespace {

/// Makes `axis` that of `loop` in `block`.
void setBlock(LoopAxis &axis, const ir::Block &block, const ir::For &loop)
{
    axis.block = block.id;
    axis.axes.clear();
    axis.names.clear();
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        if (!ir::uses(block.iterValues[i], loop.var))
            continue;
        axis.axes.push_back(static_cast<int>(i));
        axis.names.push_back(block.iterVars[i].var.name());
    }
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
            const LoopUse use = loopUse(*index.block(block), loop->var);
            axis.spatial = axis.spatial || use.spatial;
            axis.reduce = axis.reduce || use.reduce;
            axis.opaque = axis.opaque || use.opaque;
            const bool isUsed = use.spatial || use.reduce || use.opaque;
            if (const double runs = isUsed ? runsOf(index, block) : 0; runs > most) {
                most = runs;
                setBlock(axis, *index.block(block), *loop);
            }
        }
    }
    return result;
}

} // namespace nestwright::analysis
