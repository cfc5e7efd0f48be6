// SPDX-License-Identifier: Apache-2.0
/// Devices of the OpenCL drivers that the system has.
#pragma once

#include "core/backend/artifact.h"
#include "core/backend/loaded_kernel.h"

#include <string>
#include <vector>

namespace nestwright::backend {

struct OpenClDevice {
    std::string name, platform,
        version; ///< "cpu-haswell-…", "Portable Computing Language", "OpenCL 3.0 PoCL …"
    bool isGpu = false;
    int computeUnits = 0;
    std::int64_t memoryBytes = 0, sharedBytes = 0; ///< sharedBytes: of a block
    std::int64_t mostThreads = 0;                  ///< in a block
};

/// Those that the drivers name, GPUs first.
std::vector<OpenClDevice> openClDevices();

/// Compiles the program for the first of them. Errors: "device.none" (what to install), "backend.compiler"
/// (the driver's messages), "backend.load".
support::Result<std::unique_ptr<LoadedKernel>> loadOnOpenCl(const Artifact &artifact);

} // namespace nestwright::backend
