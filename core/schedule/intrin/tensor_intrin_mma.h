// SPDX-License-Identifier: Apache-2.0
/// Tensor intrinsics of PTX's mma.
#pragma once

#include "core/schedule/intrin/tensor_intrin.h"

namespace nestwright::schedule {

/// Tiles of matrices in the registers of a warp: ldmatrix, multiply, fill, store.
std::vector<IntrinText> mmaIntrins();

} // namespace nestwright::schedule
