// SPDX-License-Identifier: Apache-2.0
/// Programs of others that make or read machine code, as child processes.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::backend {

struct ToolOutput {
    int status = 0;   ///< as of a shell; 127: there is no such program
    std::string text; ///< what it printed, errors too
};

/// Runs `program`, a path or a name on the PATH. Nothing where it was ended, by `stop` or because `patience`
/// was over. Throws support::UserError where the temporary folder cannot be used.
std::optional<ToolOutput> runTool(const std::string &program, const std::vector<std::string> &arguments,
                                  const std::stop_token &stop = {},
                                  std::optional<std::chrono::milliseconds> patience = {});

} // namespace nestwright::backend
