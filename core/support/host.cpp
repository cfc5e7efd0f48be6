// SPDX-License-Identifier: Apache-2.0
#include "core/support/host.h"

#include <cstdlib>
#include <fstream>

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
