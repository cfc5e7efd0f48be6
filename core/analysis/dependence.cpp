// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/dependence.h"

#include "core/analysis/accesses.h"
#include "core/analysis/aliases.h"
#include "core/ir/walk.h"

#include <algorithm>

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

/// What the block reads of buffers that earlier blocks write without saying so, as blocks after cache_index do.
std::vector<ir::Buffer> hiddenReads(const ir::Block &block, const Accesses &declared, const Touching &written)
{
    std::vector<ir::Buffer> buffers;
    const auto look = [&](const ir::Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        const auto isWritten = [&] {
            return std::ranges::any_of(
                written, [&](const auto &entry) { return sharesMemory(entry.first, load->buffer); });
        };
        if (load && isWritten() && !touches(declared.reads, load->buffer)
            && !touches(declared.writes, load->buffer) && !std::ranges::contains(buffers, load->buffer))
            buffers.push_back(load->buffer);
        return true;
    };
    if (!written.empty())
        ir::forEachExpr(block.body, look);
    if (!written.empty() && block.init)
        ir::forEachExpr(block.init, look);
    return buffers;
}

} // namespace

Scope scopeOf(const FunctionIndex &index, StmtId root)
{
    Scope scope{
        .root = root, .blocks = index.childBlocks(root), .writers = {}, .readers = {}, .dependences = {}};
    for (StmtId id : scope.blocks) {
        const Accesses accesses = accessesOf(index, id);
        std::vector<ir::Buffer> reads = buffersOf(accesses.reads);
        const std::vector<ir::Buffer> writes = buffersOf(accesses.writes);
        const std::vector<ir::Buffer> hidden = hiddenReads(*index.block(id), accesses, scope.writers);
        reads.insert(reads.end(), hidden.begin(), hidden.end());
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
