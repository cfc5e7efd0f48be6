// SPDX-License-Identifier: Apache-2.0
/// The other end of the worker's pipe: starts it, watches it, replaces it when it dies or hangs.
#pragma once

#include "core/process/child_process.h"
#include "core/support/errors/result.h"
#include "core/support/text/json_fwd.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace nestwright::measure {

struct WorkerOptions {
    std::string program;                                ///< path of nestc; empty: beside this program
    std::uint64_t memoryBytes = std::uint64_t{8} << 30; ///< address space of a process that runs kernels
    /// A kernel that says nothing for so long, and had a processor for as long, hangs; so does one that says
    /// nothing for six times as long. On a busy machine a slow kernel is none that hangs. The same goes for
    /// the worker itself, which has 5 s at least. Without a value it is `usualSilence`, and three times as
    /// long on OpenCL, whose compilers may work when a kernel is first started.
    std::optional<std::chrono::seconds> silence{};

    static constexpr std::chrono::seconds usualSilence{20};
};

/// One worker process, started when first needed. Not for several threads at once, and the thread that starts
/// it must live as long as it. Its answers are untrusted: bounded in length and number, and checked by the
/// caller.
class WorkerClient {
public:
    explicit WorkerClient(WorkerOptions options) : m_options(std::move(options)) {}
    WorkerClient(const WorkerClient &) = delete;
    WorkerClient &operator=(const WorkerClient &) = delete;
    ~WorkerClient() { stop(); }

    /// Sends `request` and waits for its answer; lines with "progress" go to `onProgress`. Errors: those of
    /// the worker's answer; "worker.died" (names the signal), "worker.time-out", "worker.start",
    /// "worker.answer" (it is no answer of a worker), "cancelled". After an error the next request starts a
    /// fresh worker if this one is gone.
    support::Result<support::Json> ask(support::Json request,
                                       const std::function<void(const support::Json &)> &onProgress,
                                       std::stop_token stop);

    /// Starts the process ahead of the first request, so that it is warm.
    support::Result<void> start();

private:
    support::Result<support::Json> waitForAnswer(std::uint64_t id,
                                                 const std::function<void(const support::Json &)> &onProgress,
                                                 const std::stop_token &stop);
    /// Reads the bytes that are there, up to a limit; false at the end of the pipe.
    bool receive();
    /// The next whole line that was received.
    std::optional<std::string> takeLine();
    support::Diagnostic howItDied();
    /// Ends it: nothing more that it says can be relied on.
    support::Diagnostic unreasonable(const std::string &what);
    std::chrono::seconds patience() const;
    support::Diagnostic timeOut() const;
    void stop();

    WorkerOptions m_options;
    process::ChildProcess m_process;
    int m_toWorker = -1, m_fromWorker = -1, m_errors = -1;
    std::string m_received, m_errorText;
    std::size_t m_searched = 0;   ///< of m_received: no line ends there
    std::size_t m_errorBytes = 0; ///< printed by this worker on standard error
    std::uint64_t m_lastId = 0;
};

/// "worker.start", with the remedy.
support::Diagnostic doesNotStart(const std::string &program, const std::string &reason);

} // namespace nestwright::measure
