// SPDX-License-Identifier: Apache-2.0
/// NVIDIA's GPUs through their driver.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"

namespace nestwright::backend {

/// The GPUs of this machine, one at least. This process then has their driver. Errors: those of cudaDriver.
support::Result<std::vector<DeviceFacts>> cudaDevices();

/// An artifact of Format::CudaDevice on the first GPU. Errors: those of cudaDriver; "backend.load";
/// "device.launch" (the machine code is for another GPU), "device.memory", "device.lost".
support::Result<std::unique_ptr<LoadedKernel>> loadOnCuda(const Artifact &artifact);

} // namespace nestwright::backend
