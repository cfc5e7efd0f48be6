// SPDX-License-Identifier: Apache-2.0
/// Whether a buffer lies in memory by strides of its own.
#pragma once

#include "core/ir/node/buffer.h"

namespace nestwright::ir {

/// A list of strides of another length than the shape says nothing, as that of the buffers which cache_index
/// makes: such a buffer is compact and row-major.
inline bool isStrided(const Buffer &buffer)
{
    return !buffer->strides.empty() && buffer->strides.size() == buffer.shape().size();
}

} // namespace nestwright::ir
