// SPDX-License-Identifier: Apache-2.0
/// Kernels of GPUs as PTX by LLVM alone, where NVIDIA's compiler is not there.
#pragma once

#include "core/backend/backend.h"

namespace nestwright::backend {

/// The kernels of `unit`, with the lines of each statement; of the architecture that CUDA's target names.
/// Errors: "target.option" (LLVM does not know it), "backend.unsupported", "cancelled".
support::Result<Source> llvmPtx(const Unit &unit, const target::Target &cuda, std::stop_token stop);

} // namespace nestwright::backend
