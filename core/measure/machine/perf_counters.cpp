// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/perf_counters.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <format>
#include <fstream>
#include <linux/perf_event.h>
#include <map>
#include <sys/syscall.h>
#include <unistd.h>

namespace nestwright::measure {

namespace {

constexpr std::uint64_t readMisses(std::uint64_t cache)
{
    constexpr unsigned operationAt = 8, resultAt = 16;
    return cache | (std::uint64_t{PERF_COUNT_HW_CACHE_OP_READ} << operationAt)
           | (std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << resultAt);
}

constexpr std::string_view cycles = "cycles", instructions = "instructions";

constexpr auto countedEvents = std::to_array<CounterEvent>({
    {cycles, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {instructions, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"L1d-read-misses", PERF_TYPE_HW_CACHE, readMisses(PERF_COUNT_HW_CACHE_L1D)},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true},
});
static_assert(countedEvents.size() <= mostEvents);

int openCounter(const CounterEvent &event)
{
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = event.type;
    attributes.config = event.config;
    attributes.inherit = 1;
    attributes.exclude_kernel = event.inSystem ? 0 : 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1,
                                    static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
}

/// Setting of the system for counting without rights; empty where it does not say.
std::string paranoia()
{
    std::string level;
    std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
    return level;
}

/// Why events are missing that perf_event_open refuses with `error`.
std::string reasonOf(int error, bool inSystem)
{
    const char *name = strerrorname_np(error);
    std::string said = std::string("perf_event_open says ") + (name ? name : "an unknown error");
    if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
        return "this machine does not count them: " + said + "; a virtual machine hides them";
    if (error == EACCES || error == EPERM)
        return std::format(
            "the system forbids it: {}; kernel.perf_event_paranoid is {}, and "
            "'sudo sysctl kernel.perf_event_paranoid={}' allows it (a container may forbid it too)",
            said, paranoia(), inSystem ? 1 : 2);
    if (error == EMFILE || error == ENFILE)
        return "too many files are open: " + said;
    return said;
}

/// "a, b and c"
std::string listOf(const std::vector<std::string_view> &names)
{
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text.append(i == 0 ? "" : i + 1 == names.size() ? " and " : ", ").append(names[i]);
    return text;
}

} // namespace

std::span<const CounterEvent> kernelEvents() { return countedEvents; }

std::optional<double> eventsBetween(const CounterState &before, const CounterState &after)
{
    if (after.running <= before.running || after.value < before.value || after.enabled < before.enabled)
        return std::nullopt;
    const auto share = static_cast<double>(after.enabled - before.enabled)
                       / static_cast<double>(after.running - before.running);
    return static_cast<double>(after.value - before.value) * share;
}

PerfCounters::PerfCounters(std::span<const CounterEvent> events)
{
    for (const CounterEvent &event : events) {
        Counter &counter = m_counters.emplace_back();
        counter.descriptor = openCounter(event);
        counter.error = counter.descriptor < 0 ? errno : 0;
    }
}

PerfCounters::~PerfCounters()
{
    for (const Counter &counter : m_counters) {
        if (counter.descriptor >= 0)
            close(counter.descriptor);
    }
}

std::vector<CounterState> PerfCounters::read() const
{
    std::vector<CounterState> states;
    for (const Counter &counter : m_counters) {
        std::array<std::uint64_t, 3> numbers{}; // in the order of the bits of read_format, behind the value
        if (counter.descriptor < 0
            || ::read(counter.descriptor, numbers.data(), sizeof numbers) != ssize_t{sizeof numbers})
            numbers = {};
        states.push_back({numbers[0], numbers[1], numbers[2]});
    }
    return states;
}

Counters countersOf(const CountsInMemory &counts, std::span<const CounterEvent> events, std::int64_t calls)
{
    Counters counters;
    std::map<std::string, std::vector<std::string_view>> absent;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const double count = counts.events[i];
        if (counts.errors[i] != 0)
            absent[reasonOf(counts.errors[i], events[i].inSystem)].push_back(events[i].name);
        else if (!std::isfinite(count) || count < 0)
            absent["they were given no time on the processor's counters; measure for longer"].push_back(
                events[i].name);
        else
            counters.counts[std::string(events[i].name)] = count / static_cast<double>(calls);
    }
    for (const auto &[reason, names] : absent)
        counters.absent += (counters.absent.empty() ? "no " : "; no ") + listOf(names) + ": " + reason;
    return counters;
}

std::vector<CounterFigure> figuresOf(const Counters &counters)
{
    std::vector<CounterFigure> figures;
    const auto count = [&](std::string_view name) {
        const auto found = counters.counts.find(std::string(name));
        return found == counters.counts.end() ? 0.0 : found->second;
    };
    const double executed = count(instructions), passed = count(cycles);
    if (executed > 0 && passed > 0)
        figures.push_back({"instructions per cycle", executed / passed, true});
    constexpr auto misses =
        std::to_array<std::string_view>({"cache-misses", "L1d-read-misses", "branch-misses"});
    constexpr double thousand = 1000;
    for (const std::string_view name : misses) {
        if (executed > 0 && counters.counts.contains(std::string(name)))
            figures.push_back(
                {std::string(name) + " per 1000 instructions", count(name) / executed * thousand, true});
    }
    for (const CounterEvent &event : countedEvents) { // in its order
        if (counters.counts.contains(std::string(event.name)))
            figures.push_back({std::string(event.name), count(event.name), false});
    }
    return figures;
}

std::string textOf(const CounterFigure &figure)
{
    return std::format("{:.3g} {}", figure.value, figure.name);
}

} // namespace nestwright::measure
