// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/dependence.h"

#include <algorithm>
#include <iterator>

namespace nestwright::analysis {

namespace {

using Touching = ir::BufferMap<std::vector<StmtId>>;

/// `to` depends on all that touched `buffer` before it.
void depend(Scope &scope, const Touching &before, const ir::Buffer &buffer, StmtId to, DependenceKind kind)
{
    const auto found = before.find(buffer);
    if (found == before.end())
        return;
    for (StmtId from : found->second)
        scope.dependences.push_back({.from = from, .to = to, .kind = kind, .buffer = buffer});
}

/// A block may name a buffer twice.
void add(Touching &touching, const ir::Buffer &buffer, StmtId id)
{
    std::vector<StmtId> &ids = touching[buffer];
    if (ids.empty() || ids.back() != id)
        ids.push_back(id);
}

/// What a block touches: what it declares; what the blocks in it touch where it declares nothing, as those made by partitioning.
struct Touched {
    std::vector<ir::Buffer> reads, writes;
};

Touched touchedBy(const FunctionIndex &index, StmtId id)
{
    const ir::Block &block = *index.block(id);
    Touched touched;
    for (const ir::BufferRegion &read : block.reads)
        touched.reads.push_back(read.buffer);
    for (const ir::BufferRegion &write : block.writes)
        touched.writes.push_back(write.buffer);
    if (!block.iterVars.empty() || !block.reads.empty() || !block.writes.empty())
        return touched;
    for (const StmtId inner : index.childBlocks(id)) {
        const Touched within = touchedBy(index, inner);
        const auto outside = [&](const ir::Buffer &buffer) {
            return std::ranges::find(block.allocBuffers, buffer) == block.allocBuffers.end();
        };
        std::ranges::copy_if(within.reads, std::back_inserter(touched.reads), outside);
        std::ranges::copy_if(within.writes, std::back_inserter(touched.writes), outside);
    }
    return touched;
}

} // namespace

Scope scopeOf(const FunctionIndex &index, StmtId root)
{
    Scope scope{
        .root = root, .blocks = index.childBlocks(root), .writers = {}, .readers = {}, .dependences = {}};
    for (StmtId id : scope.blocks) {
        const Touched touched = touchedBy(index, id);
        for (const ir::Buffer &buffer : touched.reads)
            depend(scope, scope.writers, buffer, id, DependenceKind::Raw);
        for (const ir::Buffer &buffer : touched.writes) {
            depend(scope, scope.writers, buffer, id, DependenceKind::Waw);
            depend(scope, scope.readers, buffer, id, DependenceKind::War);
        }
        for (const ir::Buffer &buffer : touched.writes)
            add(scope.writers, buffer, id);
        for (const ir::Buffer &buffer : touched.reads)
            add(scope.readers, buffer, id);
    }
    return scope;
}

} // namespace nestwright::analysis
