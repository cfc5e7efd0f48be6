// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker_client.h"

#include "core/measure/silence.h"
#include "core/measure/worker_protocol.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace nestwright::measure {

using nlohmann::json;
using support::Diagnostic;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

constexpr int pollMilliseconds = 20;
constexpr std::size_t keptErrorText = 4096;

void closeFd(int &fd)
{
    if (fd >= 0)
        close(fd);
    fd = -1;
}

std::string describeSignal(int signal)
{
    switch (signal) {
    case SIGSEGV:
    case SIGBUS: return "the kernel read or wrote outside its buffers (signal SIGSEGV)";
    case SIGFPE: return "the kernel divided an integer by zero (signal SIGFPE)";
    case SIGILL: return "the kernel used an instruction this processor does not have (signal SIGILL)";
    case SIGABRT: return "the kernel or its compiler gave up (signal SIGABRT)";
    case SIGKILL: return "the system stopped the worker, probably for want of memory (signal SIGKILL)";
    case SIGTRAP: return "the kernel ran into a trap (signal SIGTRAP)";
    default: return "the worker died of signal " + std::to_string(signal);
    }
}

} // namespace

std::string findWorkerProgram()
{
    if (const char *given = std::getenv("NESTWRIGHT_NESTC"); given && *given)
        return given;
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        if (self.filename() == "nestc")
            return self.string();
        const std::filesystem::path beside = self.parent_path() / "nestc";
        if (std::filesystem::exists(beside, error))
            return beside.string();
    }
    return "nestc";
}

support::Diagnostic doesNotStart(const std::string &program, const std::string &reason)
{
    return diagnostic("worker.start", "the program '" + program
                                          + "', which runs kernels and models, does not start: " + reason)
        .withHint("nestc must be beside this program, on the PATH or named by NESTWRIGHT_NESTC");
}

Result<void> WorkerClient::start()
{
    if (m_process > 0)
        return {};
    std::array<int, 2> in{}, out{}, err{};
    // A socket on the way in: sending to a worker that has died must not raise SIGPIPE here.
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in.data()) != 0
        || pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0)
        return fail("worker.start", std::string("no pipe to the worker: ") + std::strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    std::string program = m_options.program.empty() ? findWorkerProgram() : m_options.program;
    std::string command = "worker", flag = "--memory", bytes = std::to_string(m_options.memoryBytes);
    std::array<char *, 5> arguments{program.data(), command.data(), flag.data(), bytes.data(), nullptr};
    const int error = posix_spawnp(&m_process, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    close(err[1]);
    m_toWorker = in[1];
    m_fromWorker = out[0];
    m_errors = err[0];
    m_received.clear();
    m_errorText.clear();
    fcntl(m_fromWorker, F_SETFL, O_NONBLOCK);
    fcntl(m_errors, F_SETFL, O_NONBLOCK);
    if (error != 0) {
        m_process = -1;
        stop();
        return fail(doesNotStart(program, std::strerror(error)));
    }
    return {};
}

void WorkerClient::stop()
{
    closeFd(m_toWorker);
    closeFd(m_fromWorker);
    closeFd(m_errors);
    if (m_process > 0) {
        kill(m_process, SIGKILL);
        waitpid(m_process, nullptr, 0);
    }
    m_process = -1;
}

bool WorkerClient::receive()
{
    std::array<char, 65536> chunk{};
    for (ssize_t count = 0; (count = read(m_errors, chunk.data(), chunk.size())) > 0;) {
        m_errorText.append(chunk.data(), static_cast<std::size_t>(count));
        if (m_errorText.size() > keptErrorText)
            m_errorText.erase(0, m_errorText.size() - keptErrorText);
    }
    ssize_t count = 0;
    while ((count = read(m_fromWorker, chunk.data(), chunk.size())) > 0)
        m_received.append(chunk.data(), static_cast<std::size_t>(count));
    return count != 0;
}

Diagnostic WorkerClient::howItDied()
{
    int status = 0;
    waitpid(m_process, &status, 0);
    m_process = -1;
    stop();
    std::string message = WIFSIGNALED(status)
                              ? describeSignal(WTERMSIG(status))
                              : "the worker ended with status " + std::to_string(WEXITSTATUS(status));
    Diagnostic died = diagnostic("worker.crash", std::move(message));
    const auto lastLine = m_errorText.find_last_of('\n', m_errorText.empty() ? 0 : m_errorText.size() - 2);
    const std::string said = m_errorText.substr(lastLine == std::string::npos ? 0 : lastLine + 1);
    if (!said.empty())
        died.hint = "its last words: " + said;
    return died;
}

Result<json> WorkerClient::ask(json request, const std::function<void(const json &)> &onProgress,
                               std::stop_token stop)
{
    if (auto started = start(); !started)
        return std::unexpected(started.error());
    request["id"] = ++m_lastId;
    const std::string line = request.dump() + '\n';
    std::size_t sent = 0;
    while (sent < line.size()) {
        const ssize_t count = send(m_toWorker, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
        if (count <= 0)
            break;
        sent += static_cast<std::size_t>(count);
    }
    return waitForAnswer(m_lastId, onProgress, stop);
}

Result<json> WorkerClient::waitForAnswer(std::uint64_t id,
                                         const std::function<void(const json &)> &onProgress,
                                         const std::stop_token &stopToken)
{
    Silence silence(m_process);
    while (true) {
        if (stopToken.stop_requested()) {
            stop();
            return fail("cancelled", "measuring was cancelled");
        }
        std::array<pollfd, 2> ready{{{m_fromWorker, POLLIN, 0}, {m_errors, POLLIN, 0}}};
        poll(ready.data(), ready.size(), pollMilliseconds);
        const bool alive = receive();
        for (std::size_t end = 0; (end = m_received.find('\n')) != std::string::npos;) {
            json answer = json::parse(m_received.substr(0, end), nullptr, false);
            m_received.erase(0, end + 1);
            silence = Silence(m_process);
            if (!answer.is_object() || answer.value("id", json()) != json(id))
                continue;
            if (answer.contains("error"))
                return std::unexpected(diagnosticFromJson(answer.at("error")));
            if (!answer.contains("progress"))
                return answer;
            onProgress(answer);
        }
        if (!alive)
            return std::unexpected(howItDied());
        if (silence.isLongerThan(m_options.silence)) {
            stop();
            return fail(diagnostic("worker.time-out", "the kernel did not finish within "
                                                          + std::to_string(m_options.silence.count()) + " s")
                            .withHint("it may loop for ever; raise the time limit if it is only slow"));
        }
    }
}

} // namespace nestwright::measure
