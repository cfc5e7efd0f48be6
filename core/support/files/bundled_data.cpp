// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/bundled_data.h"

#include <cstdlib>
#include <filesystem>

namespace nestwright::support {

namespace fs = std::filesystem;

void useBundledData()
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    const fs::path data = program.parent_path().parent_path() / "share" / "nestwright" / "bundle";
    if (error || !fs::is_directory(data, error))
        return;
    constexpr int keep = 0;
    setenv("FONTCONFIG_FILE", (data / "fonts.conf").c_str(), keep); // which takes in the system's own
    if (!fs::exists("/usr/share/X11/xkb", error))
        setenv("XKB_CONFIG_ROOT", (data / "xkb").c_str(), keep);
    if (!fs::exists("/usr/share/X11/locale", error))
        setenv("XLOCALEDIR", (data / "locale").c_str(), keep);
}

} // namespace nestwright::support
