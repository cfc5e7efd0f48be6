// SPDX-License-Identifier: Apache-2.0
/// The machine that the program runs on, and the folder for files that can be made again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace nestwright::support {

/// The system's name of the processor: "AMD EPYC 9B14". "unknown CPU" where it does not say.
std::string processorName();

/// Features beyond its name, which virtual machines may cut: "fpu vme avx2 …". Empty where the system does
/// not say.
std::string processorFeatures();

/// The machine's memory that this process holds, in bytes; 0 where the system does not say.
struct ResidentMemory {
    std::int64_t now = 0;
    std::int64_t most = 0; ///< ever held; a forked process begins with the memory held then
};
ResidentMemory residentMemory();

/// $XDG_CACHE_HOME/nestwright, or ~/.cache/nestwright; empty (nothing is kept) where there is neither.
std::filesystem::path cacheFolder();

/// $XDG_STATE_HOME/nestwright, or ~/.local/state/nestwright; empty (nothing is kept) where there is neither.
std::filesystem::path stateFolder();

} // namespace nestwright::support
