// SPDX-License-Identifier: Apache-2.0
/// How many elements a buffer has, and whether it lies in memory by strides of its own.
#pragma once

#include "core/ir/node/buffer.h"

#include <cstdint>
#include <optional>

namespace nestwright::ir {

/// A list of strides of another length than the shape says nothing, as that of the buffers which cache_index
/// makes: such a buffer is compact and row-major.
inline bool isStrided(const Buffer &buffer)
{
    return !buffer->strides.empty() && buffer->strides.size() == buffer.shape().size();
}

/// Number of elements of a buffer. Extents that are known late count as `late`; nothing where that is not
/// given, an extent is negative, or there are more than can be counted.
std::optional<std::int64_t> elementsOf(const Buffer &buffer, std::optional<std::int64_t> late = {});

} // namespace nestwright::ir
