// SPDX-License-Identifier: Apache-2.0
#include "core/backend/compiler.h"

#include "core/support/errors.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace nestwright::backend {

using support::fail;
using support::Result;

TemporaryFolder::TemporaryFolder()
{
    // Not temp_directory_path(), which throws where TMPDIR names no folder.
    const char *chosen = std::getenv("TMPDIR");
    const std::filesystem::path folder = chosen && *chosen ? chosen : "/tmp";
    std::string name = (folder / "nestwright-XXXXXX").string();
    if (!mkdtemp(name.data()))
        throw support::ScheduleError(
            support::diagnostic("backend.files", "no temporary folder can be made in '" + folder.string()
                                                     + "': " + std::strerror(errno))
                .withHint("set TMPDIR to a folder that is there, may be written to and has some space"));
    m_path = name;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

std::string readFile(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void writeFile(const std::filesystem::path &path, std::string_view bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

namespace {

/// Starts `compiler`, its output going to `log`. Gives 0 where there is no such program.
pid_t start(const std::string &compiler, const std::vector<std::string> &arguments,
            const std::filesystem::path &log)
{
    std::vector<char *> argv{const_cast<char *>(compiler.c_str())};
    for (const std::string &argument : arguments)
        argv.push_back(const_cast<char *>(argument.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    const int error = posix_spawnp(&child, compiler.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? child : 0;
}

/// The exit status; −1 when `stop` was requested, and the child is then gone.
int waitFor(pid_t child, const std::stop_token &stop)
{
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (stop.stop_requested()) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

} // namespace

Result<void> runCompiler(const std::vector<std::string> &arguments, const std::stop_token &stop)
{
    const char *chosen = std::getenv("CC");
    std::vector<std::string> compilers{"cc", "gcc", "clang"};
    if (chosen && *chosen)
        compilers = {chosen};
    const TemporaryFolder folder;
    const std::filesystem::path log = folder.path() / "log";
    for (const std::string &compiler : compilers) {
        const pid_t child = start(compiler, arguments, log);
        if (child == 0)
            continue;
        const int status = waitFor(child, stop);
        if (status < 0)
            return fail("cancelled", "compiling was cancelled");
        if (status == 127 && readFile(log).empty())
            continue;
        if (status != 0)
            return fail("backend.compiler", "the C compiler '" + compiler + "' failed:\n" + readFile(log));
        return {};
    }
    return fail(support::diagnostic(
                    "backend.no-compiler",
                    chosen && *chosen ? "there is no C compiler '" + std::string(chosen) + "', which CC names"
                                      : std::string("there is no C compiler here: 'cc', 'gcc' and 'clang' "
                                                    "were not found"))
                    .withHint("install gcc or clang, set CC, or use the target llvm, which needs none"));
}

} // namespace nestwright::backend
