// SPDX-License-Identifier: Apache-2.0
/// How long a process has said nothing, without the time in which it waited for a processor.
#pragma once

#include <chrono>
#include <sys/types.h>

namespace nestwright::measure {

/// Begins when it is made. On a busy machine a slow process gets little of the processor; that is no reason
/// to give it up.
class Silence {
public:
    explicit Silence(pid_t process);

    /// Whether the process has had `limit` of time without a word, less the time in which a thread of it was
    /// ready and got no processor, or `limit` of processor time (all threads together); or six times `limit`
    /// whatever it did. One that sleeps gets no more than `limit`. Without a clock of the process only the
    /// time counts, and where the system does not tell how long threads waited, processor time.
    bool isLongerThan(std::chrono::nanoseconds limit) const;

private:
    pid_t m_process;
    std::chrono::steady_clock::time_point m_begin;
    std::chrono::nanoseconds m_processorBegin;
    std::chrono::nanoseconds m_waitBegin;
};

} // namespace nestwright::measure
