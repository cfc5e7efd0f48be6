// SPDX-License-Identifier: Apache-2.0
/// A buffer among the regions that a block reads or writes.
#pragma once

#include "core/ir/node/buffer.h"

#include <algorithm>
#include <vector>

namespace nestwright::ir {

/// Null where `regions` have none of the buffer.
inline const BufferRegion *findRegion(const std::vector<BufferRegion> &regions, const Buffer &buffer)
{
    const auto found = std::ranges::find(regions, buffer, &BufferRegion::buffer);
    return found == regions.end() ? nullptr : &*found;
}
inline BufferRegion *findRegion(std::vector<BufferRegion> &regions, const Buffer &buffer)
{
    const auto found = std::ranges::find(regions, buffer, &BufferRegion::buffer);
    return found == regions.end() ? nullptr : &*found;
}

inline bool hasRegion(const std::vector<BufferRegion> &regions, const Buffer &buffer)
{
    return findRegion(regions, buffer) != nullptr;
}

} // namespace nestwright::ir
