// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/dependence.h"

#include <algorithm>

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

} // namespace

Scope scopeOf(const FunctionIndex &index, StmtId root)
{
    Scope scope{
        .root = root, .blocks = index.childBlocks(root), .writers = {}, .readers = {}, .dependences = {}};
    for (StmtId id : scope.blocks) {
        const ir::Block &block = *index.block(id);
        for (const ir::BufferRegion &read : block.reads)
            depend(scope, scope.writers, read.buffer, id, DependenceKind::Raw);
        for (const ir::BufferRegion &write : block.writes) {
            depend(scope, scope.writers, write.buffer, id, DependenceKind::Waw);
            depend(scope, scope.readers, write.buffer, id, DependenceKind::War);
        }
        for (const ir::BufferRegion &write : block.writes)
            add(scope.writers, write.buffer, id);
        for (const ir::BufferRegion &read : block.reads)
            add(scope.readers, read.buffer, id);
    }
    return scope;
}

} // namespace nestwright::analysis
