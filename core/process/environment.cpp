// SPDX-License-Identifier: Apache-2.0
#include "core/process/environment.h"

#include <algorithm>
#include <array>

extern char **environ;

namespace nestwright::process {

bool isKept(std::string_view variable)
{
    constexpr auto names = std::to_array<std::string_view>(
        {"PATH", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "LD_PRELOAD", "XDG_CACHE_HOME", "NESTWRIGHT_CACHE",
         "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"});
    constexpr auto prefixes = std::to_array<std::string_view>({"LC_", "OMP_", "GOMP_", "NESTWRIGHT_"});
    const std::string_view name = variable.substr(0, variable.find('='));
    return std::ranges::contains(names, name)
           || std::ranges::any_of(prefixes, [&](std::string_view p) { return name.starts_with(p); });
}

std::vector<std::string> cleanEnvironment()
{
    std::vector<std::string> kept;
    for (char **each = environ; *each; ++each) {
        if (isKept(*each))
            kept.emplace_back(*each);
    }
    return kept;
}

} // namespace nestwright::process
