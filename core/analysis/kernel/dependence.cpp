// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/dependence.h"

#include "core/analysis/access/accesses.h"
#include "core/analysis/access/aliases.h"

#include <algorithm>
#include <iterator>

namespace nestwright::analysis {

namespace {

using Touching = ir::BufferMap<std::vector<StmtId>>;

/// `to` depends on all that touched `buffer` before it.
void depend(Scope &scope, const Touching &before, const ir::Buffer &buffer, StmtId to, DependenceKind kind)
{
    for (const auto &[touched, ids] : before) {
        if (!sharesMemory(touched, buffer))
            continue;
        for (StmtId from : ids)
            scope.dependences.push_back({.from = from, .to = to, .kind = kind, .buffer = buffer});
    }
}

/// A block may name a buffer twice.
void add(Touching &touching, const ir::Buffer &buffer, StmtId id)
{
    std::vector<StmtId> &ids = touching[buffer];
    if (ids.empty() || ids.back() != id)
        ids.push_back(id);
}

/// The buffers of the accesses, each once.
std::vector<ir::Buffer> buffersOf(const std::vector<Access> &accesses)
{
    std::vector<ir::Buffer> buffers;
    for (const Access &access : accesses) {
        if (!std::ranges::contains(buffers, access.region->buffer))
            buffers.push_back(access.region->buffer);
    }
    return buffers;
}

/// The buffers that some block of the scope says it writes.
std::vector<ir::Buffer> writtenIn(const FunctionIndex &index, const std::vector<StmtId> &blocks)
{
    std::vector<ir::Buffer> written;
    for (const StmtId id : blocks) {
        for (const ir::Buffer &buffer : buffersOf(accessesOf(index, id).writes))
            written.push_back(buffer);
    }
    return written;
}

} // namespace

Scope scopeOf(const FunctionIndex &index, StmtId root)
{
    Scope scope{
        .root = root, .blocks = index.childBlocks(root), .writers = {}, .readers = {}, .dependences = {}};
    const std::vector<ir::Buffer> written = writtenIn(index, scope.blocks);
    for (StmtId id : scope.blocks) {
        const Accesses accesses = accessesOf(index, id);
        std::vector<ir::Buffer> reads = buffersOf(accesses.reads);
        const std::vector<ir::Buffer> writes = buffersOf(accesses.writes);
        if (!written.empty()) {
            const std::vector<ir::Buffer> hidden = hiddenAccesses(index, id).reads;
            std::ranges::copy_if(hidden, std::back_inserter(reads), [&](const ir::Buffer &buffer) {
                return std::ranges::any_of(
                    written, [&](const ir::Buffer &other) { return sharesMemory(other, buffer); });
            });
        }
        for (const ir::Buffer &buffer : reads)
            depend(scope, scope.writers, buffer, id, DependenceKind::Raw);
        for (const ir::Buffer &buffer : writes) {
            depend(scope, scope.writers, buffer, id, DependenceKind::Waw);
            depend(scope, scope.readers, buffer, id, DependenceKind::War);
        }
        for (const ir::Buffer &buffer : writes)
            add(scope.writers, buffer, id);
        for (const ir::Buffer &buffer : reads)
            add(scope.readers, buffer, id);
    }
    return scope;
}

} // namespace nestwright::analysis
