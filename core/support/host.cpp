// SPDX-License-Identifier: Apache-2.0
#include "core/support/host.h"

#include <cstdlib>
#include <fstream>
#include <limits>
#include <string_view>
#include <utility>

namespace nestwright::support {

namespace {

/// The first line of /proc/cpuinfo of that name.
std::string processorFact(std::string_view name, std::string otherwise)
{
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with(name) && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return otherwise;
}

} // namespace

std::string processorName() { return processorFact("model name", "unknown CPU"); }

std::string processorFeatures() { return processorFact("flags", processorFact("Features", {})); }

ResidentMemory residentMemory()
{
    ResidentMemory memory;
    std::ifstream status("/proc/self/status");
    std::string field;
    while (status >> field) {
        std::int64_t kilobytes = 0;
        if (field == "VmRSS:" && status >> kilobytes)
            memory.now = kilobytes * 1024;
        else if (field == "VmHWM:" && status >> kilobytes)
            memory.most = kilobytes * 1024;
        status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return memory;
}

namespace {

/// Ours in the folder that a variable names, or else in one of the user's own.
std::filesystem::path ownFolder(const char *variable, const char *belowHome)
{
    namespace fs = std::filesystem;
    if (const char *xdg = std::getenv(variable); xdg && *xdg)
        return fs::path(xdg) / "nestwright";
    if (const char *home = std::getenv("HOME"); home && *home)
        return fs::path(home) / belowHome / "nestwright";
    return {};
}

} // namespace

std::filesystem::path cacheFolder() { return ownFolder("XDG_CACHE_HOME", ".cache"); }

std::filesystem::path stateFolder() { return ownFolder("XDG_STATE_HOME", ".local/state"); }

} // namespace nestwright::support
