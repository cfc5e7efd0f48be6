// SPDX-License-Identifier: Apache-2.0
/// Devices of the OpenCL drivers that the system has.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"

#include <vector>

namespace nestwright::backend {

/// Those that the drivers name, GPUs first.
support::Result<std::vector<DeviceFacts>> openClDevices();

/// Compiles the program for the first of them. Errors: "device.none" (what to install), "backend.compiler"
/// (the driver's messages), "backend.load".
support::Result<std::unique_ptr<LoadedKernel>> loadOnOpenCl(const Artifact &artifact);

} // namespace nestwright::backend
