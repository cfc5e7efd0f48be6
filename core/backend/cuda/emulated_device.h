// SPDX-License-Identifier: Apache-2.0
/// CUDA kernels on this processor: to check their text, not to be quick.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"

namespace nestwright::backend {

/// An artifact of Format::EmulatedDevice: the CUDA text, compiled by the system's compiler as C++. Errors:
/// "backend.unsupported", "backend.no-compiler", "backend.compiler", "cancelled".
support::Result<Artifact> compileEmulated(const Unit &unit, const target::Target &target,
                                          std::stop_token stop);

/// Errors: "backend.load". Kernels of it may throw, besides what Device says, "device.divergent-barrier",
/// "device.stuck" (threads wait for others that do not come), "device.launch" (too many threads).
support::Result<std::unique_ptr<LoadedKernel>> loadEmulated(const Artifact &artifact);

} // namespace nestwright::backend
