// SPDX-License-Identifier: Apache-2.0
/// Location of NVIDIA's compiler and tools: a toolkit, or the Python wheels that have parts of one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::backend {

/// The folders `ofToolkit` of toolkits ("lib64", "bin") and `ofWheel` of wheels ("lib", "bin"), the one that
/// is looked in first at the front: what CUDA_HOME and CUDA_PATH name, the cache ("cuda" in
/// support::cacheFolder), the virtual environment, /usr/local/cuda. Those of variables need not be there.
std::vector<std::filesystem::path> cudaFolders(std::string_view ofToolkit, std::string_view ofWheel);

/// The command that puts a wheel of Python's package index where cudaFolders looks.
std::string installCommand(std::string_view wheel);

} // namespace nestwright::backend
