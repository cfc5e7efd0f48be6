// SPDX-License-Identifier: Apache-2.0
/// Loading kernels in the process that will run them.
#pragma once

#include "core/backend/link/loaded_kernel.h"
#include "core/graph/run/executor.h"

#include <filesystem>
#include <span>
#include <vector>

namespace nestwright::measure {

/// As backend::load. Before a device's driver compiles a kernel, and loads code that only it knows, this
/// process loses its files but for the system's, and `folder`, where the driver keeps what it compiled. Call
/// enterSandbox next, with `hasDriver` for an artifact that has one.
support::Result<std::unique_ptr<backend::LoadedKernel>> loadEnclosed(const backend::Artifact &artifact,
                                                                     const std::filesystem::path &folder);

struct ModelCode {
    const graph::Program &program;
    const std::vector<backend::Artifact> &artifacts;
};

/// As graph::Executor::load for each, within confineLoading: kernels may come from the cache, and what a
/// library runs as it is loaded is bounded as what it runs later. `folder`, which must outlive this process,
/// takes the files of kernels. Call enterSandbox next. Errors: also "edited.sandbox".
support::Result<std::vector<graph::Executor>> loadEnclosedModels(std::span<const ModelCode> models,
                                                                 const std::filesystem::path &folder);

} // namespace nestwright::measure
