// SPDX-License-Identifier: Apache-2.0
#include "core/process/nestc_program.h"

#include <cstdlib>
#include <filesystem>

namespace nestwright::process {

std::string findNestc()
{
    if (const char *given = std::getenv("NESTWRIGHT_NESTC"); given && *given)
        return given;
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        if (self.filename() == "nestc")
            return self.string();
        const std::filesystem::path beside = self.parent_path() / "nestc";
        if (std::filesystem::exists(beside, error))
            return beside.string();
    }
    return "nestc";
}

} // namespace nestwright::process
