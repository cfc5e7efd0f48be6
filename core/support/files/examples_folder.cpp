// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/examples_folder.h"

#include <cstdlib>

namespace nestwright::support {

namespace fs = std::filesystem;

fs::path examplesFolder()
{
    std::error_code error;
    const char *given = std::getenv("NESTWRIGHT_EXAMPLES");
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const fs::path &folder : {fs::path(given ? given : ""), program / "../share/nestwright/examples",
                                   program / "../../../examples", fs::path("examples")}) {
        if (!folder.empty() && fs::is_directory(folder, error))
            return fs::canonical(folder, error);
    }
    return {};
}

fs::path userDataFolder()
{
    if (const char *data = std::getenv("XDG_DATA_HOME"); data && *data)
        return fs::path(data) / "nestwright";
    const char *home = std::getenv("HOME");
    return home && *home ? fs::path(home) / ".local/share/nestwright" : fs::path();
}

} // namespace nestwright::support
