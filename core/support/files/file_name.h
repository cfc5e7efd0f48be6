// SPDX-License-Identifier: Apache-2.0
/// Names of nodes as names of files.
#pragma once

#include <algorithm>
#include <string>

namespace nestwright::support {

/// Slashes, which names in models hold, become underscores.
inline std::string fileNameOf(std::string name)
{
    std::ranges::replace(name, '/', '_');
    return name;
}

} // namespace nestwright::support
