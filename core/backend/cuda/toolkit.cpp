// SPDX-License-Identifier: Apache-2.0
#include "core/backend/cuda/toolkit.h"

#include "core/support/host.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace nestwright::backend {

namespace fs = std::filesystem;

namespace {

constexpr const char *wheelsOfCache = "cuda"; ///< below the cache folder

std::vector<fs::path> foldersIn(const fs::path &folder)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code none;
        if (it->is_directory(none))
            found.push_back(it->path());
    }
    std::ranges::sort(found, std::greater());
    return found;
}

} // namespace

std::vector<fs::path> cudaFolders(std::string_view ofToolkit, std::string_view ofWheel)
{
    std::vector<fs::path> folders;
    // A wheel's files lie below "nvidia/cu13", or "nvidia/" and a part's name.
    const auto addWheels = [&](const fs::path &packages) {
        for (const fs::path &each : foldersIn(packages / "nvidia"))
            folders.push_back(each / ofWheel);
    };
    for (const char *variable : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char *toolkit = std::getenv(variable); toolkit && *toolkit)
            folders.push_back(fs::path(toolkit) / ofToolkit);
    }
    addWheels(support::cacheFolder() / wheelsOfCache);
    if (const char *python = std::getenv("VIRTUAL_ENV"); python && *python) {
        for (const fs::path &library : foldersIn(fs::path(python) / "lib"))
            addWheels(library / "site-packages");
    }
    folders.push_back(fs::path("/usr/local/cuda") / ofToolkit);
    return folders;
}

std::string installCommand(std::string_view wheel)
{
    return "pip install --target " + (support::cacheFolder() / wheelsOfCache).string() + ' '
           + std::string(wheel);
}

} // namespace nestwright::backend
