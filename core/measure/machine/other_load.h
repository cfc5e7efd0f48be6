// SPDX-License-Identifier: Apache-2.0
/// How busy other programs keep the processors meanwhile: times measured beside them are too long.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace nestwright::measure {

/// Watches the processors that this process may use, from when it is made.
class OtherLoad {
public:
    /// `own`: processes that are not others, each with its threads and those of its children that end
    /// meanwhile.
    explicit OtherLoad(std::vector<pid_t> own);

    /// Average number of processors kept busy by others since, with time that a host takes away.
    /// Nothing where the system does not tell, or too little time has passed to tell.
    std::optional<double> processors() const;

private:
    struct Used {
        double all = 0, own = 0; ///< seconds of processors
    };
    std::optional<Used> used() const;

    std::vector<pid_t> m_own;
    std::vector<int> m_cores; ///< usable by this process
    std::optional<Used> m_before;
    std::chrono::steady_clock::time_point m_begin;
};

/// Processors that this process may use.
int usableCores();

/// Whether others that keep so many of `cores` processors busy slow down `threads` threads.
bool disturbs(double others, int threads, int cores);

/// One sentence on the effect on times, for a person.
std::string disturbance(double others);

} // namespace nestwright::measure
