// SPDX-License-Identifier: Apache-2.0
/// Where buffers can lie.
#pragma once

#include "core/schedule/edit.h"
#include "core/schedule/primitive.h"

#include <span>

namespace nestwright::schedule {

/// "global", "shared", "local", …
std::span<const std::string_view> storageScopes();
/// Throws "schedule.storage-scope" for anything else; `block` is named as the place.
void requireStorageScope(const std::string &scope, StmtId block);

/// The block that allocates the buffer around `block`; throws "schedule.not-allocated" when it is a parameter or matched.
StmtId allocatorOf(Edit &edit, const ir::Block &block, const ir::Buffer &buffer);

/// The buffer that the block reads or writes at position `index`; throws "schedule.buffer-index".
const ir::BufferRegion &accessAt(const ir::Block &block, BufferSide side, std::int64_t index);

} // namespace nestwright::schedule
