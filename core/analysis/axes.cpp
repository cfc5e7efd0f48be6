// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/axes.h"

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

} // namespace

std::unordered_map<StmtId, LoopAxis> loopAxes(const FunctionIndex &index)
{
    std::unordered_map<StmtId, LoopAxis> result;
    for (StmtId id : index.all()) {
        const ir::For *loop = index.loop(id);
        if (!loop)
            continue;
        LoopAxis &axis = result[id];
        for (StmtId block : index.childBlocks(id)) {
            LoopAxis found = axisIn(*index.block(block), *loop);
            if (found.axes.empty())
                continue;
            axis = std::move(found);
            break;
        }
    }
    return result;
}

} // namespace nestwright::analysis
