// SPDX-License-Identifier: Apache-2.0
/// The machine that the program runs on, and where it keeps what can be made again.
#pragma once

#include <filesystem>
#include <string>

namespace nestwright::support {

/// As the system calls it: "AMD EPYC 9B14". "unknown CPU" where it does not say.
std::string processorName();

/// $XDG_CACHE_HOME/nestwright, or ~/.cache/nestwright; empty (nothing is kept) where there is neither.
std::filesystem::path cacheFolder();

} // namespace nestwright::support
