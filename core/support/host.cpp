// SPDX-License-Identifier: Apache-2.0
#include "core/support/host.h"

#include <cstdlib>
#include <fstream>
#include <limits>

namespace nestwright::support {

std::string processorName()
{
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return "unknown CPU";
}

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

std::filesystem::path cacheFolder()
{
    namespace fs = std::filesystem;
    if (const char *xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg)
        return fs::path(xdg) / "nestwright";
    if (const char *home = std::getenv("HOME"); home && *home)
        return fs::path(home) / ".cache" / "nestwright";
    return {};
}

} // namespace nestwright::support
