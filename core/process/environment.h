// SPDX-License-Identifier: Apache-2.0
/// Environment of processes that work on what strangers wrote: no keys, no addresses of services.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::process {

/// Whether a process that runs generated code keeps the variable ("NAME=VALUE").
bool isKept(std::string_view variable);
/// The variables that it keeps, with their values.
std::vector<std::string> cleanEnvironment();

} // namespace nestwright::process
