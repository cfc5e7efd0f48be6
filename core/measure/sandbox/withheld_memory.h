// SPDX-License-Identifier: Apache-2.0
/// Arrays that no copy of this process has: kernels run in such copies, and must not find the answers there.
#pragma once

#include "core/ir/ndarray.h"

namespace nestwright::measure {

/// Zeros, in pages that are left out when the process is copied (MADV_DONTFORK). Throws std::bad_alloc.
ir::NdArray withheldArray(ir::DataType dtype, const std::vector<std::int64_t> &shape);

} // namespace nestwright::measure
