// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/silence.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <format>
#include <fstream>
#include <optional>
#include <string>

namespace nestwright::measure {

namespace {

constexpr int patienceInLimits = 6;

/// Processor time of all threads together; nothing when the process is gone.
std::optional<std::chrono::nanoseconds> processorTime(pid_t process)
{
    clockid_t clock{};
    timespec time{};
    if (process <= 0 || clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return std::nullopt;
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Whether the thread is ready to run, or runs: its state stands behind its name, which may hold brackets.
bool isReady(const std::filesystem::path &thread)
{
    std::ifstream file(thread / "stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name = line.rfind(')');
    return name != std::string::npos && line.substr(name).starts_with(") R");
}

struct Waits {
    std::optional<std::chrono::nanoseconds> longest; ///< of a thread; nothing where the system does not tell
    bool isWaiting = false; ///< a thread may be at it, which the system adds only afterwards
};

/// How long threads of the process were ready and got no processor.
Waits waitsOf(pid_t process)
{
    Waits waits;
    std::error_code error;
    for (std::filesystem::directory_iterator thread(std::format("/proc/{}/task", process), error), end;
         !error && thread != end; thread.increment(error)) {
        std::ifstream file(thread->path() / "schedstat");
        std::int64_t ran = 0, waited = 0;
        if (!(file >> ran >> waited))
            continue;
        waits.longest = std::max(waits.longest.value_or(std::chrono::nanoseconds::zero()),
                                 std::chrono::nanoseconds(waited));
        waits.isWaiting = waits.isWaiting || isReady(thread->path());
    }
    return waits;
}

} // namespace

Silence::Silence(pid_t process)
    : m_process(process)
    , m_begin(std::chrono::steady_clock::now())
    , m_processorBegin(processorTime(process).value_or(std::chrono::nanoseconds::zero()))
    , m_waitBegin(waitsOf(process).longest.value_or(std::chrono::nanoseconds::zero()))
{
}

bool Silence::isLongerThan(std::chrono::nanoseconds limit) const
{
    const auto elapsed = std::chrono::steady_clock::now() - m_begin;
    if (elapsed < limit)
        return false;
    const std::optional<std::chrono::nanoseconds> used = processorTime(m_process);
    if (!used || *used - m_processorBegin >= limit || elapsed >= patienceInLimits * limit)
        return true;
    const Waits waits = waitsOf(m_process);
    return waits.longest && !waits.isWaiting && elapsed - (*waits.longest - m_waitBegin) >= limit;
}

} // namespace nestwright::measure
