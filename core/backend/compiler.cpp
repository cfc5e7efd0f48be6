// SPDX-License-Identifier: Apache-2.0
#include "core/backend/compiler.h"

#include "core/backend/codes.h"
#include "core/support/atomic_file.h"
#include "core/support/child_process.h"
#include "core/support/codes.h"
#include "core/support/errors.h"

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace nestwright::backend {

using support::fail;
using support::Result;

std::string readFile(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void writeFile(const std::filesystem::path &path, std::string_view bytes)
{
    if (const auto written = support::writeAtomically(path, bytes, {.durable = false}); !written)
        throw support::UserError(written.error());
}

namespace {

/// By name, in the order in which they are tried.
std::vector<std::string> compilers()
{
    const char *chosen = std::getenv("CC");
    return chosen && *chosen ? std::vector<std::string>{chosen}
                             : std::vector<std::string>{"cc", "gcc", "clang"};
}

/// Starts `compiler`, its output going to `log`. None where there is no such program.
std::optional<support::ChildProcess> start(const std::string &compiler,
                                           const std::vector<std::string> &arguments,
                                           const std::filesystem::path &log)
{
    const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    auto started = support::ChildProcess::start({.program = compiler,
                                                 .arguments = arguments,
                                                 .input = -1,
                                                 .output = output,
                                                 .errors = output,
                                                 .environment = {},
                                                 .isGuarded = true}); // it starts programs of its own
    if (output >= 0)
        close(output);
    if (!started)
        return {};
    return std::move(*started);
}

/// Shortens the output of a compiler that runs away.
std::string shortened(std::string text)
{
    constexpr std::size_t most = 20'000;
    if (text.size() > most)
        text = text.substr(0, most) + "\n…";
    return text;
}

} // namespace

Result<void> runCompiler(const std::vector<std::string> &arguments, const std::stop_token &stop)
{
    const char *chosen = std::getenv("CC");
    const TemporaryFolder folder;
    const std::filesystem::path log = folder.path() / "log";
    for (const std::string &compiler : compilers()) {
        auto child = start(compiler, arguments, log);
        if (!child)
            continue;
        const std::optional<int> ended = child->wait(stop);
        if (!ended)
            return fail(support::codes::cancelled, "compiling was cancelled");
        const int status = WIFEXITED(*ended) ? WEXITSTATUS(*ended) : 128;
        if (status == 127 && readFile(log).empty())
            continue;
        if (status != 0)
            return fail(codes::compilerFailed,
                        "the C compiler '" + compiler + "' failed:\n" + shortened(readFile(log)));
        return {};
    }
    return fail(support::diagnostic(
                    "backend.no-compiler",
                    chosen && *chosen ? "there is no C compiler '" + std::string(chosen) + "', which CC names"
                                      : std::string("there is no C compiler here: 'cc', 'gcc' and 'clang' "
                                                    "were not found"))
                    .withHint("install gcc or clang, set CC, or use the target llvm, which needs none"));
}

std::string compilerVersion()
{
    const TemporaryFolder folder;
    const std::filesystem::path log = folder.path() / "log";
    for (const std::string &compiler : compilers()) {
        auto child = start(compiler, {"--version"}, log);
        if (child && child->wait() == 0)
            return readFile(log);
    }
    return {};
}

} // namespace nestwright::backend
