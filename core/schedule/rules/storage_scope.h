// SPDX-License-Identifier: Apache-2.0
/// Storage scopes of buffers, and the blocks or parameters that own them.
#pragma once

#include "core/schedule/edit.h"
#include "core/schedule/primitive.h"

#include <span>

namespace nestwright::schedule {

/// "global", "shared", "local", …
std::span<const std::string_view> storageScopes();
/// Throws "schedule.storage-scope" for anything but these, parts of them ("shared.tile") and "", which is
/// global memory; `block` is named as the place.
void requireStorageScope(const std::string &scope, StmtId block);

/// The block that allocates the buffer around `block`; throws "schedule.not-allocated" when it is a parameter
/// or matched.
StmtId allocatorOf(Edit &edit, const ir::Block &block, const ir::Buffer &buffer);

/// Who provides a buffer: a block that allocates it, or (none) the function's caller.
struct BufferOwner {
    StmtId allocator;
    bool isParameter() const { return !allocator; }
};
/// Throws "schedule.matched-buffer" for a buffer that stands for a part of another.
BufferOwner ownerOf(Edit &edit, const ir::Block &block, const ir::Buffer &buffer);

/// `body` with `before` replaced by `after` in each access, region and matched part; a buffer matched with a
/// part keeps its shape. The block that provides it, or the function, then provides `after`.
void replaceBuffer(Edit &edit, const BufferOwner &owner, const ir::Buffer &before, const ir::Buffer &after);

/// The buffer that the block reads or writes at position `index`; throws "schedule.buffer-index".
const ir::BufferRegion &accessAt(const ir::Block &block, BufferSide side, std::int64_t index);

} // namespace nestwright::schedule
