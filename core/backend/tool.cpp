// SPDX-License-Identifier: Apache-2.0
#include "core/backend/tool.h"

#include "core/backend/link/compiler.h"
#include "core/process/child_process.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/system_reason.h"

#include <cerrno>
#include <fcntl.h>
#include <format>
#include <sys/wait.h>
#include <unistd.h>

namespace nestwright::backend {

std::optional<ToolOutput> runTool(const std::string &program, const std::vector<std::string> &arguments,
                                  const std::stop_token &stop,
                                  std::optional<std::chrono::milliseconds> patience)
{
    constexpr int noSuchProgram = 127, killed = 128;
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "output";
    const int output = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output < 0)
        return ToolOutput{noSuchProgram,
                          std::format("'{}' cannot be written: {}", file.string(), support::reasonOf(errno))};
    auto child = process::ChildProcess::start({.program = program,
                                               .arguments = arguments,
                                               .input = -1,
                                               .output = output,
                                               .errors = output,
                                               .environment = {},
                                               .isGuarded = true}); // it may start programs of its own
    close(output);
    if (!child) // without a text: there is no such program
        return ToolOutput{noSuchProgram, child.error().code == support::codes::noProgram
                                             ? std::string()
                                             : child.error().message};
    const std::optional<int> ended = child->wait(stop, patience);
    if (!ended)
        return std::nullopt;
    try {
        return ToolOutput{WIFEXITED(*ended) ? WEXITSTATUS(*ended) : killed, readFile(file)};
    } catch (const support::UserError &error) {
        return ToolOutput{noSuchProgram, error.diagnostic().message};
    }
}

} // namespace nestwright::backend
