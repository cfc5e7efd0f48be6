// SPDX-License-Identifier: Apache-2.0
#include "core/measure/run/worker_client.h"

#include "core/measure/codes.h"
#include "core/measure/sandbox/enclosure.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/measure/worker/silence.h"
#include "core/measure/worker/worker_protocol.h"
#include "core/process/environment.h"
#include "core/process/error_json.h"
#include "core/process/nestc_program.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/system_reason.h"
#include "core/support/text/json_nesting.h"
#include "core/support/text/json_output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nestwright::measure {

using json = support::Json;
using support::Diagnostic;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

constexpr int workerPollMilliseconds = 20;
constexpr std::size_t keptErrorText = 4096;
constexpr int patienceWithTheDying = 100; ///< milliseconds from the end of the pipe to the end of the process

/// The text without characters that could mislead a terminal.
std::string printable(std::string text)
{
    std::ranges::replace_if(
        text, [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\n') || c == 127; }, ' ');
    return text;
}

void closeFd(int &fd)
{
    if (fd >= 0)
        close(fd);
    fd = -1;
}

/// The longest answer of the worker to one request.
constexpr std::size_t longestLine = std::size_t{16} << 20;
constexpr std::size_t mostAnswerBytes = std::size_t{256} << 20;
constexpr int mostLines = 200'000;
constexpr std::size_t mostErrorBytes = std::size_t{64} << 20;
constexpr std::size_t readAtOnce = std::size_t{4} << 20; ///< of each pipe, before anything else is looked at
constexpr std::chrono::seconds leastPatience{5};

} // namespace

support::Diagnostic doesNotStart(const std::string &program, const std::string &reason)
{
    return diagnostic("worker.start", "the program '" + program
                                          + "', which runs kernels and models, does not start: " + reason)
        .withHint("nestc must be beside this program, on the PATH or named by NESTWRIGHT_NESTC");
}

Result<void> WorkerClient::start()
{
    if (m_process.isRunning())
        return {};
    std::array<int, 2> in{-1, -1}, out{-1, -1}, err{-1, -1};
    // A socket on the way in: sending to a worker that has died must not raise SIGPIPE here.
    const bool made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in.data()) == 0
                      && pipe2(out.data(), O_CLOEXEC) == 0 && pipe2(err.data(), O_CLOEXEC) == 0;
    const int error = errno;
    m_toWorker = in[1];
    m_fromWorker = out[0];
    m_errors = err[0];
    m_received.clear();
    m_searched = 0;
    m_errorText.clear();
    m_errorBytes = 0;
    Result<process::ChildProcess> process;
    const std::string program = m_options.program.empty() ? process::findNestc() : m_options.program;
    if (made)
        process = process::ChildProcess::start({.program = program,
                                                .arguments = {"worker"},
                                                .input = in[0],
                                                .output = out[1],
                                                .errors = err[1],
                                                .environment = process::cleanEnvironment(),
                                                .isGuarded = false});
    for (int *end : {&in[0], &out[1], &err[1]})
        closeFd(*end);
    if (!made || !process) {
        stop();
        return made ? Result<void>(fail(doesNotStart(program, process.error().message)))
                    : fail("worker.start", "no pipe to the worker: " + support::reasonOf(error));
    }
    m_process = std::move(*process);
    for (const int end : {m_toWorker, m_fromWorker, m_errors})
        fcntl(end, F_SETFL, O_NONBLOCK);
    return {};
}

void WorkerClient::stop()
{
    closeFd(m_toWorker);
    closeFd(m_fromWorker);
    closeFd(m_errors);
    m_process.kill();
}

bool WorkerClient::receive()
{
    std::array<char, 65536> chunk{};
    ssize_t count = 0;
    for (std::size_t all = 0; all < readAtOnce && (count = read(m_errors, chunk.data(), chunk.size())) > 0;) {
        all += static_cast<std::size_t>(count);
        m_errorBytes += static_cast<std::size_t>(count);
        m_errorText.append(chunk.data(), static_cast<std::size_t>(count));
        if (m_errorText.size() > keptErrorText)
            m_errorText.erase(0, m_errorText.size() - keptErrorText);
    }
    count = 1;
    for (std::size_t all = 0;
         all < readAtOnce && (count = read(m_fromWorker, chunk.data(), chunk.size())) > 0;) {
        all += static_cast<std::size_t>(count);
        m_received.append(chunk.data(), static_cast<std::size_t>(count));
    }
    return count != 0;
}

std::optional<std::string> WorkerClient::takeLine()
{
    const std::size_t end = m_received.find('\n', m_searched);
    m_searched = m_received.size();
    if (end == std::string::npos)
        return std::nullopt;
    std::string line = m_received.substr(0, end);
    m_received.erase(0, end + 1);
    m_searched = 0;
    return line;
}

Diagnostic WorkerClient::howItDied()
{
    // It may have closed its pipe and go on.
    std::optional<int> status = m_process.poll();
    for (int i = 0; !status && i < patienceWithTheDying; ++i) {
        poll(nullptr, 0, 1);
        status = m_process.poll();
    }
    stop();
    std::string message = !status ? "the worker closed its line and went on"
                          : WIFSIGNALED(*status)
                              ? describeSignal(WTERMSIG(*status))
                              : "the worker ended with status " + std::to_string(WEXITSTATUS(*status));
    Diagnostic died = diagnostic(codes::workerDied, std::move(message));
    const auto lastLine = m_errorText.find_last_of('\n', m_errorText.empty() ? 0 : m_errorText.size() - 2);
    const std::string said = m_errorText.substr(lastLine == std::string::npos ? 0 : lastLine + 1);
    if (!said.empty())
        died.hint = "its last words: " + printable(said);
    return died;
}

Diagnostic WorkerClient::unreasonable(const std::string &what)
{
    stop();
    return diagnostic("worker.answer", "the worker " + what + ", which no worker of this program does")
        .withHint("nestc and this program must be of one version; a new worker is started for the next "
                  "measurement");
}

Result<json> WorkerClient::ask(json request, const std::function<void(const json &)> &onProgress,
                               std::stop_token stop)
{
    if (auto started = start(); !started)
        return std::unexpected(started.error());
    request["id"] = ++m_lastId;
    const std::string line = support::jsonText(request) + '\n';
    const Silence silence(m_process.id());
    for (std::size_t sent = 0; sent < line.size();) {
        const ssize_t count = send(m_toWorker, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
        if (count > 0) {
            sent += static_cast<std::size_t>(count);
            continue;
        }
        if (count == 0 || (errno != EAGAIN && errno != EINTR))
            break; // it is gone, which the answer will tell
        if (stop.stop_requested() || silence.isLongerThan(patience())) {
            this->stop();
            return stop.stop_requested() ? fail(support::codes::cancelled, "measuring was cancelled")
                                         : fail(timeOut());
        }
        pollfd ready{m_toWorker, POLLOUT, 0};
        poll(&ready, 1, workerPollMilliseconds);
    }
    return waitForAnswer(m_lastId, onProgress, stop);
}

std::chrono::seconds WorkerClient::patience() const
{
    return std::max(m_options.silence.value_or(WorkerOptions::usualSilence), leastPatience);
}

Diagnostic WorkerClient::timeOut() const
{
    return diagnostic(codes::timeOut,
                      "the worker said nothing for " + std::to_string(patience().count()) + " s")
        .withHint("try again; if the machine is very busy, raise the time limit");
}

Result<json> WorkerClient::waitForAnswer(std::uint64_t id,
                                         const std::function<void(const json &)> &onProgress,
                                         const std::stop_token &stopToken)
{
    Silence silence(m_process.id());
    std::size_t bytes = 0;
    int lines = 0;
    while (true) {
        if (stopToken.stop_requested()) {
            stop();
            return fail(support::codes::cancelled, "measuring was cancelled");
        }
        std::array<pollfd, 2> ready{{{m_fromWorker, POLLIN, 0}, {m_errors, POLLIN, 0}}};
        poll(ready.data(), ready.size(), workerPollMilliseconds);
        const bool alive = receive();
        while (const std::optional<std::string> line = takeLine()) {
            bytes += line->size();
            if (++lines > mostLines || bytes > mostAnswerBytes)
                return fail(unreasonable("says more than it was asked for"));
            if (stopToken.stop_requested())
                break;
            json answer = support::jsonTooDeepAt(*line) ? json() : json::parse(*line, nullptr, false);
            if (!answer.is_object() || !answer.contains("id") || !answer.at("id").is_number_unsigned()
                || answer.at("id") != id)
                return fail(unreasonable("gives an answer that was not asked for"));
            silence = Silence(m_process.id());
            if (answer.contains("error")) {
                auto error = process::errorFromJson(answer.at("error"));
                return error ? fail(std::move(*error))
                             : fail(unreasonable("gives no reason for its failure"));
            }
            if (!answer.contains("progress"))
                return answer;
            onProgress(answer);
        }
        if (m_received.size() > longestLine)
            return fail(unreasonable("says a line of many megabytes"));
        if (m_errorBytes > mostErrorBytes)
            return fail(unreasonable("prints errors without end"));
        if (!alive)
            return std::unexpected(howItDied());
        if (silence.isLongerThan(patience())) {
            const Diagnostic why = timeOut();
            stop();
            return fail(why);
        }
    }
}

} // namespace nestwright::measure
