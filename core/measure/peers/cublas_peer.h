// SPDX-License-Identifier: Apache-2.0
/// The time that NVIDIA's cuBLAS takes for a product of matrices, to compare with.
#pragma once

#include "core/measure/peers/peer.h"

namespace nestwright::measure {

/// Times its gemm on the first GPU, without tensor cores' shorter numbers, on random numbers. The library is
/// that which NESTWRIGHT_CUBLAS names, or the system's; it needs not be there. This process then has NVIDIA's
/// driver. Errors: those of backend::cudaDriver; "peer.none", "peer.size", "device.memory", "device.launch",
/// "device.lost".
support::Result<PeerTime> timeCublas(const analysis::MatrixProduct &product);

} // namespace nestwright::measure
