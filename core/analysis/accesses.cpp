// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/accesses.h"

#include "core/analysis/aliases.h"

#include <algorithm>
#include <iterator>

namespace nestwright::analysis {

bool isWrapper(const ir::Block &block)
{
    return block.iterVars.empty() && block.reads.empty() && block.writes.empty() && block.matchBuffers.empty()
           && !block.init;
}

StmtId scopeThrough(const FunctionIndex &index, StmtId id)
{
    StmtId scope = index.scopeRoot(id);
    while (scope && scope != index.root() && isWrapper(*index.block(scope)))
        scope = index.scopeRoot(scope);
    return scope;
}

std::vector<StmtId> loopsThrough(const FunctionIndex &index, StmtId id)
{
    const StmtId scope = scopeThrough(index, id);
    std::vector<StmtId> loops;
    for (StmtId at = index.parent(id); at && at != scope; at = index.parent(at)) {
        if (index.loop(at))
            loops.push_back(at);
    }
    std::ranges::reverse(loops);
    return loops;
}

std::vector<StmtId> blocksThrough(const FunctionIndex &index, StmtId id)
{
    std::vector<StmtId> blocks;
    for (const StmtId block : index.childBlocks(id)) {
        const std::vector<StmtId> inside =
            isWrapper(*index.block(block)) ? blocksThrough(index, block) : std::vector<StmtId>();
        if (inside.empty())
            blocks.push_back(block);
        else
            blocks.insert(blocks.end(), inside.begin(), inside.end());
    }
    return blocks;
}

Accesses accessesOf(const FunctionIndex &index, StmtId id)
{
    const ir::Block &block = *index.block(id);
    Accesses accesses;
    for (const ir::BufferRegion &read : block.reads)
        accesses.reads.push_back({id, &read});
    for (const ir::BufferRegion &write : block.writes)
        accesses.writes.push_back({id, &write});
    if (!isWrapper(block))
        return accesses;
    const auto isOutside = [&](const Access &access) {
        return !std::ranges::contains(block.allocBuffers, access.region->buffer);
    };
    for (const StmtId inside : index.childBlocks(id)) {
        const Accesses within = accessesOf(index, inside);
        std::ranges::copy_if(within.reads, std::back_inserter(accesses.reads), isOutside);
        std::ranges::copy_if(within.writes, std::back_inserter(accesses.writes), isOutside);
    }
    return accesses;
}

bool touches(const std::vector<Access> &accesses, const ir::Buffer &buffer)
{
    return std::ranges::any_of(accesses,
                               [&](const Access &a) { return sharesMemory(a.region->buffer, buffer); });
}

} // namespace nestwright::analysis
