// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/other_load.h"

#include <algorithm>
#include <format>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string>
#include <unistd.h>

namespace nestwright::measure {

using Clock = std::chrono::steady_clock;

namespace {

constexpr double leastSeconds = 0.1; ///< the system counts in steps of a hundredth
constexpr double unnoticed = 0.2;    ///< processors: the usual load of a desktop
constexpr double shareNoticed =
    0.25; ///< of all processors: then caches, memory and clock are shared noticeably

std::vector<int> coresAllowed()
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    std::vector<int> cores;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        for (int core = 0; core < CPU_SETSIZE; ++core) {
            if (CPU_ISSET(core, &allowed))
                cores.push_back(core);
        }
    }
    return cores;
}

double ticksPerSecond() { return static_cast<double>(std::max(1L, sysconf(_SC_CLK_TCK))); }

/// Seconds that the processors of `cores` were busy since the start of the machine.
std::optional<double> busySeconds(const std::vector<int> &cores)
{
    std::ifstream file("/proc/stat");
    double ticks = 0;
    std::size_t found = 0;
    for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
        std::istringstream words(line.substr(3));
        int core = -1;
        if (line[3] == ' ' || !(words >> core) || !std::ranges::contains(cores, core))
            continue;
        double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softIrq = 0, stolen = 0;
        if (!(words >> user >> nice >> system >> idle >> waiting >> irq >> softIrq >> stolen))
            return {};
        ticks += user + nice + system + irq + softIrq + stolen;
        ++found;
    }
    return found == cores.size() && found > 0 ? std::optional(ticks / ticksPerSecond()) : std::nullopt;
}

/// Seconds of processors that a process and its children that have ended used; nothing when it has ended
/// itself.
std::optional<double> processorSecondsOf(pid_t process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name = text.rfind(')'); // which may hold spaces
    if (name == std::string::npos)
        return {};
    std::istringstream words(text.substr(name + 1));
    std::string skipped;
    for (int i = 0; i < 11; ++i) // state, ppid, …, up to the time spent in the program and in the system
        words >> skipped;
    double user = 0, system = 0, childrenUser = 0, childrenSystem = 0;
    if (!(words >> user >> system >> childrenUser >> childrenSystem))
        return {};
    return (user + system + childrenUser + childrenSystem) / ticksPerSecond();
}

} // namespace

OtherLoad::OtherLoad(std::vector<pid_t> own)
    : m_own(std::move(own))
    , m_cores(coresAllowed())
    , m_before(used())
    , m_begin(Clock::now())
{
}

std::optional<OtherLoad::Used> OtherLoad::used() const
{
    Used sum;
    const auto busy = busySeconds(m_cores);
    if (!busy)
        return {};
    sum.all = *busy;
    for (const pid_t process : m_own) {
        const auto seconds = processorSecondsOf(process);
        if (!seconds)
            return {};
        sum.own += *seconds;
    }
    return sum;
}

std::optional<double> OtherLoad::processors() const
{
    const double passed = std::chrono::duration<double>(Clock::now() - m_begin).count();
    const auto after = used();
    if (!m_before || !after || passed < leastSeconds)
        return {};
    const double others = (after->all - m_before->all) - (after->own - m_before->own);
    return std::clamp(others / passed, 0.0, static_cast<double>(m_cores.size()));
}

int usableCores() { return std::max(1, static_cast<int>(coresAllowed().size())); }

bool disturbs(double others, int threads, int cores)
{
    return others > unnoticed && (others + threads > cores + unnoticed / 2 || others > shareNoticed * cores);
}

std::string disturbance(double others)
{
    return std::format(
        "other programs kept {:.1f} processors busy meanwhile: the times say less than they could, so close "
        "those programs and measure again",
        others);
}

} // namespace nestwright::measure
