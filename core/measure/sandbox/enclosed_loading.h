// SPDX-License-Identifier: Apache-2.0
/// Loading kernels in the process that will run them.
#pragma once

#include "core/backend/link/loaded_kernel.h"
#include "core/graph/run/executor.h"

#include <filesystem>
#include <span>
#include <vector>

namespace nestwright::measure {

/// Loads like backend::load. Before a device's driver compiles a kernel, and loads code that only it knows,
/// this process loses access to all files except the system's and `folder`, where the driver keeps what it
/// compiled. Call enterSandbox next, with `hasDriver` for an artifact that has one.
support::Result<std::unique_ptr<backend::LoadedKernel>> loadEnclosed(const backend::Artifact &artifact,
                                                                     const std::filesystem::path &folder);

struct ModelCode {
    const graph::Program &program;
    const std::vector<backend::Artifact> &artifacts;
};

/// Loads each model like graph::Executor::load, within confineLoading: kernels may come from the cache, and
/// code that a library runs while it is loaded is confined like what it runs later. `folder`, which must
/// outlive this process, takes the files of kernels. Call enterSandbox next. Errors: also "edited.sandbox".
support::Result<std::vector<graph::Executor>> loadEnclosedModels(std::span<const ModelCode> models,
                                                                 const std::filesystem::path &folder);

} // namespace nestwright::measure
