// SPDX-License-Identifier: Apache-2.0
/// Loading kernels in the process that will run them.
#pragma once

#include "core/backend/loaded_kernel.h"

#include <filesystem>

namespace nestwright::measure {

/// As backend::load. Before a device's driver compiles a kernel, and loads code that only it knows, this
/// process loses its files but for the system's, and `folder`, where the driver keeps what it compiled. Call
/// enterSandbox next, with `hasDriver` for an artifact that has one.
support::Result<std::unique_ptr<backend::LoadedKernel>> loadEnclosed(const backend::Artifact &artifact,
                                                                     const std::filesystem::path &folder);

} // namespace nestwright::measure
