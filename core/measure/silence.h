// SPDX-License-Identifier: Apache-2.0
/// How long a process has said nothing, told by its processor time too.
#pragma once

#include <chrono>
#include <sys/types.h>

namespace nestwright::measure {

/// Begins when it is made. On a busy machine a slow process gets little of the processor; that is no reason
/// to give it up.
class Silence {
public:
    explicit Silence(pid_t process);

    /// Whether the process has had `limit` of time, and of processor time (all threads together), without a
    /// word; or six times `limit` whatever it did. Without a clock of the process only the time counts.
    bool isLongerThan(std::chrono::nanoseconds limit) const;

private:
    pid_t m_process;
    std::chrono::steady_clock::time_point m_begin;
    std::chrono::nanoseconds m_processorBegin;
};

} // namespace nestwright::measure
