// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/rules/storage_scope.h"

#include "core/ir/build/substitute.h"
#include "core/schedule/tree.h"
#include "core/support/text/near_names.h"

#include <algorithm>

namespace nestwright::schedule {

using support::diagnostic;

namespace {

constexpr std::string_view scopes[] = {
    "global",          "shared",          "shared.dyn",       "local",           "warp",
    "wmma.matrix_a",   "wmma.matrix_b",   "wmma.accumulator", "m16n8k8.matrixA", "m16n8k8.matrixB",
    "m16n8k8.matrixC", "texture",         "global.texture",   "global.vtcm",     "global.workspace",
    "amx.tmm",         "metal.simdgroup",
};

} // namespace

std::span<const std::string_view> storageScopes() { return scopes; }

void requireStorageScope(const std::string &scope, StmtId block)
{
    const bool known = std::ranges::any_of(scopes, [&](std::string_view name) {
        return scope.starts_with(name) && (scope.size() == name.size() || scope[name.size()] == '.');
    });
    if (!known && !scope.empty())
        refuse(diagnostic("schedule.storage-scope", "there is no storage scope \"" + scope + '"')
                   .at(block)
                   .withHint(support::didYouMean(scope, scopes)));
}

BufferOwner ownerOf(Edit &edit, const ir::Block &block, const ir::Buffer &buffer)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    for (StmtId at = block.id; at; at = index.parent(at)) {
        const ir::Block *around = index.block(at);
        if (around && std::ranges::contains(around->allocBuffers, buffer))
            return {at};
        if (around && std::ranges::contains(around->matchBuffers, buffer, &ir::MatchBuffer::buffer))
            refuse(diagnostic("schedule.matched-buffer", "'" + buffer.name()
                                                             + "' stands for a part of another "
                                                               "buffer in block "
                                                             + named(*around))
                       .at(at)
                       .withHint("change the buffer that it is a part of"));
    }
    if (!std::ranges::contains(index.function()->params, buffer, &ir::Param::buffer))
        refuse(diagnostic("schedule.matched-buffer",
                          "'" + buffer.name() + "' is neither allocated by a block nor a parameter")
                   .at(block.id));
    return {};
}

void replaceBuffer(Edit &edit, const BufferOwner &owner, const ir::Buffer &before, const ir::Buffer &after)
{
    const auto replaced = [&](const ir::Stmt &s) {
        const ir::Stmt touching = ir::substituteBuffers(s, {{before, after}});
        return after->data == before->data ? touching
                                           : ir::substitute(touching, {{before->data, after->data}});
    };
    if (owner.isParameter()) {
        edit.setBody(replaced(edit.body()));
        edit.replaceParameter(before, after);
    } else {
        edit.setBody(rewriteAt(edit.body(), {{owner.allocator, replaced}}));
    }
}

StmtId allocatorOf(Edit &edit, const ir::Block &block, const ir::Buffer &buffer)
{
    const BufferOwner owner = ownerOf(edit, block, buffer);
    if (!owner.isParameter())
        return owner.allocator;
    refuse(diagnostic("schedule.not-allocated",
                      "'" + buffer.name()
                          + "' is not allocated by the function but given to it, so how it lies in "
                            "memory is for callers to say")
               .at(block.id)
               .withHint("copy it first with cache_read or cache_write, and work on the copy"));
}

const ir::BufferRegion &accessAt(const ir::Block &block, BufferSide side, std::int64_t index)
{
    const bool reads = side == BufferSide::Read;
    const std::vector<ir::BufferRegion> &regions = reads ? block.reads : block.writes;
    if (index >= 0 && index < static_cast<std::int64_t>(regions.size()))
        return regions[static_cast<std::size_t>(index)];
    std::string names;
    for (std::size_t i = 0; i < regions.size(); ++i)
        names += (i ? ", " : "") + std::to_string(i) + " is '" + regions[i].buffer.name() + "'";
    refuse(diagnostic("schedule.buffer-index", "block " + named(block) + (reads ? " reads " : " writes ")
                                                   + std::to_string(regions.size())
                                                   + " buffers; there is no number " + std::to_string(index))
               .at(block.id)
               .withHint(names));
}

} // namespace nestwright::schedule
