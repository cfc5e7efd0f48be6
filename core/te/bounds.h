// SPDX-License-Identifier: Apache-2.0
/// Finding elements that a compute certainly reads outside their tensor.
#pragma once

#include "core/support/result.h"
#include "core/te/tensor.h"

namespace nestwright::te {

/// "te.out-of-bounds" when an index that nothing guards is affine in the axes with constant bounds and leaves its dimension.
support::Result<void> checkBounds(const Operation &operation);

} // namespace nestwright::te
