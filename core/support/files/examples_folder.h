// SPDX-License-Identifier: Apache-2.0
/// The folders of examples and recipes that come with the programs, and of those that a person saved.
#pragma once

#include <filesystem>

namespace nestwright::support {

/// NESTWRIGHT_EXAMPLES, else beside the installed program, else in the source tree. Empty where it is at none
/// of these places.
std::filesystem::path examplesFolder();

/// $XDG_DATA_HOME/nestwright, or ~/.local/share/nestwright: what a person saved for all kernels. Empty where
/// there is neither.
std::filesystem::path userDataFolder();

} // namespace nestwright::support
