// SPDX-License-Identifier: Apache-2.0
#include "core/measure/silence.h"

#include <ctime>
#include <optional>

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

} // namespace

Silence::Silence(pid_t process)
    : m_process(process)
    , m_begin(std::chrono::steady_clock::now())
    , m_processorBegin(processorTime(process).value_or(std::chrono::nanoseconds::zero()))
{
}

bool Silence::isLongerThan(std::chrono::nanoseconds limit) const
{
    const auto elapsed = std::chrono::steady_clock::now() - m_begin;
    if (elapsed < limit)
        return false;
    const std::optional<std::chrono::nanoseconds> used = processorTime(m_process);
    return !used || *used - m_processorBegin >= limit || elapsed >= patienceInLimits * limit;
}

} // namespace nestwright::measure
