// SPDX-License-Identifier: Apache-2.0
/// Files that are read and written at once, such as those of a temporary folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace nestwright::support {

/// Throws UserError "file.read".
std::string readFile(const std::filesystem::path &path);
/// Throws UserError "file.write".
void writeFile(const std::filesystem::path &path, std::string_view bytes);

} // namespace nestwright::support
