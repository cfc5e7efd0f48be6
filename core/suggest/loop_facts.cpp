// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/loop_facts.h"

#include "core/analysis/access/footprint.h"
#include "core/analysis/kernel/counts.h"

#include <algorithm>

namespace nestwright::suggest {

std::optional<double> LoopFacts::intensity() const
{
    if (!flops || !bytes || *bytes <= 0)
        return std::nullopt;
    return *flops / *bytes;
}

namespace {

/// Runs of `id`: the iterations of the loops around it.
std::optional<double> runsOf(const LoopNest &nest, StmtId id)
{
    double runs = 1;
    for (const StmtId outer : nest.loopsTo(id)) {
        const auto iterations = nest.iterations(outer);
        if (outer != id && !iterations)
            return std::nullopt;
        if (outer != id)
            runs *= static_cast<double>(*iterations);
    }
    return runs;
}

} // namespace

std::optional<double> flopsOf(const LoopNest &nest, StmtId loop)
{
    const auto runs = runsOf(nest, loop);
    if (!runs || !nest.indexOf(loop))
        return std::nullopt;
    double flops = 0;
    for (const StmtId id : nest.all()) {
        const ir::Block *block = nest.block(id);
        const std::vector<StmtId> outer = nest.loopsTo(id);
        if (!block || std::ranges::find(outer, loop) == outer.end())
            continue;
        const auto operations = analysis::operationsOf(*block);
        if (!operations)
            return std::nullopt;
        flops += (operations->flops + operations->transcendental) / *runs;
    }
    return flops;
}

LoopFacts loopFacts(const LoopNest &nest, StmtId loop)
{
    LoopFacts facts{loop, nest.iterations(loop), flopsOf(nest, loop), std::nullopt, std::nullopt};
    if (const analysis::FunctionIndex *index = nest.indexOf(loop)) {
        const std::vector<analysis::Footprint> footprints = analysis::footprintOfLoop(*index, loop);
        facts.bytes = analysis::totalBytes(footprints);
        facts.lineBytes = analysis::totalLineBytes(footprints);
    }
    return facts;
}

} // namespace nestwright::suggest
