// SPDX-License-Identifier: Apache-2.0
/// The folder of examples and recipes that come with the programs.
#pragma once

#include <filesystem>

namespace nestwright::support {

/// NESTWRIGHT_EXAMPLES, else beside the installed program, else in the source tree. Empty where it is at none
/// of these places.
std::filesystem::path examplesFolder();

} // namespace nestwright::support
