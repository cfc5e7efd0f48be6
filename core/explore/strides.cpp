// SPDX-License-Identifier: Apache-2.0
#include "core/explore/strides.h"

#include "core/arith/analyzer.h"
#include "core/ir/builder.h"
#include "core/ir/calls.h"
#include "core/ir/strides.h"
#include "core/ir/substitute.h"

namespace nestwright::explore {

namespace {

/// Elements from the first one of `buffer` to where the region begins.
ir::Expr offsetOf(const ir::BufferRegion &region)
{
    const ir::Buffer &buffer = region.buffer;
    ir::Expr offset;
    for (std::size_t d = 0; d < region.region.size(); ++d) {
        const ir::Expr at = region.region[d].min;
        if (!offset)
            offset = ir::isStrided(buffer) ? at * buffer->strides[d] : at;
        else if (ir::isStrided(buffer))
            offset = offset + at * buffer->strides[d];
        else
            offset = offset * buffer.shape()[d] + at;
    }
    return offset;
}

std::optional<std::int64_t> strideOf(const ir::BufferRegion &region, const ir::VarMap<ir::Expr> &now,
                                     const ir::For &loop, arith::Analyzer &analyzer)
{
    const ir::Expr offset = offsetOf(region);
    if (!offset)
        return 0; // a scalar
    const ir::Expr here = ir::substitute(offset, now);
    const ir::VarMap<ir::Expr> next{{loop.var, loop.var + ir::intImm(1, loop.var->dtype)}};
    const ir::Expr step = analyzer.simplify(ir::substitute(here, next) - here);
    const std::int64_t *elements = ir::asInt(step);
    return elements ? std::optional(*elements * region.buffer.dtype().bytes()) : std::nullopt;
}

} // namespace

std::vector<Access> accessesIn(const suggest::LoopNest &nest, StmtId id, StmtId loopId)
{
    const ir::Block &block = *nest.block(id);
    const ir::For &loop = *nest.loop(loopId);
    ir::VarMap<ir::Expr> now;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i)
        now.emplace(block.iterVars[i].var, block.iterValues[i]);
    arith::Analyzer analyzer;
    std::vector<Access> accesses;
    const auto add = [&](const std::vector<ir::BufferRegion> &regions, bool isWrite) {
        for (const ir::BufferRegion &region : regions)
            accesses.push_back({region.buffer.name(), isWrite, strideOf(region, now, loop, analyzer),
                                region.buffer.dtype().bytes(), 0});
    };
    add(block.reads, false);
    add(block.writes, true);
    return accesses;
}

} // namespace nestwright::explore
