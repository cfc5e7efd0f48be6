// SPDX-License-Identifier: Apache-2.0
#include "core/measure/peers/openmp_threads.h"

#include <array>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>

namespace nestwright::measure {

namespace {

constexpr std::array libraries{"libgomp.so.1", "libomp.so.5"};

/// Runs a parallel region without work. Both libraries have GCC's entry for it.
void runRegion(void *library)
{
    using Region = void (*)(void (*body)(void *), void *data, unsigned threads, unsigned flags);
    const auto region = reinterpret_cast<Region>(dlsym(library, "GOMP_parallel"));
    if (region)
        region([](void *) {}, nullptr, 0, 0);
}

} // namespace

void startOpenMpThreads(const std::filesystem::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    for (const char *name : libraries) {
        if (!bytes.contains(std::string_view(name, std::char_traits<char>::length(name) + 1))) // ends with 0
            continue;
        if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
            runRegion(library);
    }
}

void keepOpenMpThreads()
{
    for (const char *name : libraries) {
        if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD))
            runRegion(library);
    }
}

} // namespace nestwright::measure
