// SPDX-License-Identifier: Apache-2.0
/// Threads that share a memory.
#pragma once

#include "core/ir/node/stmt.h"

#include <string_view>

namespace nestwright::analysis {

/// Memory that threads share is filled by all of them together, so their loops count as varying even if they
/// are outside: for shared memory those of a block's threads, for a warp's those along x. Global memory is
/// not thought to be handed over so.
inline bool variesForScope(std::string_view storage, const ir::For &loop)
{
    if (loop.forKind != ir::ForKind::ThreadBinding)
        return false;
    if (storage.starts_with("shared"))
        return loop.thread.starts_with("threadIdx") || loop.thread.starts_with("vthread");
    return storage.starts_with("warp") && loop.thread == "threadIdx.x";
}

} // namespace nestwright::analysis
