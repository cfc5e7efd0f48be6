// SPDX-License-Identifier: Apache-2.0
/// Which threads share which memory.
#pragma once

#include "core/ir/stmt.h"

#include <string_view>

namespace nestwright::schedule {

/// Memory that threads share is filled by all of them together, so their loops count as varying even if they are outside: for
/// global memory those of all threads and blocks, for shared memory those of a block's threads, for a warp's those along x.
inline bool variesForScope(std::string_view storage, const ir::For &loop)
{
    if (loop.forKind != ir::ForKind::ThreadBinding)
        return false;
    if (storage.empty() || storage.starts_with("global"))
        return true;
    if (storage.starts_with("shared"))
        return loop.thread.starts_with("threadIdx") || loop.thread.starts_with("vthread");
    return storage.starts_with("warp") && loop.thread == "threadIdx.x";
}

} // namespace nestwright::schedule
