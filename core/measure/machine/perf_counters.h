// SPDX-License-Identifier: Apache-2.0
/// Events of the processor and of the system that the kernel of Linux counts while a kernel runs
/// (perf_event_open).
#pragma once

#include "core/measure/measurement.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::measure {

/// Event to count: `type` and `config` are those of perf_event_attr.
struct CounterEvent {
    std::string_view name; ///< "cache-misses": as in the JSON of a measurement
    std::uint32_t type = 0;
    std::uint64_t config = 0;
    bool inSystem = false; ///< happens within system calls, so that those of the system must be counted too
};

/// Events counted around a kernel: cycles, instructions, references to and misses of the last cache, misses
/// of the first one, mispredicted branches; page faults, context switches and migrations of threads.
std::span<const CounterEvent> kernelEvents();
constexpr std::size_t mostEvents = 16;

/// A counter at one moment: what it counted in `running` of the `enabled` nanoseconds.
struct CounterState {
    std::uint64_t value = 0, enabled = 0, running = 0;
};

/// The events between two moments, scaled to the whole time where several events share a counter of the
/// processor; nothing where it did not count.
std::optional<double> eventsBetween(const CounterState &before, const CounterState &after);

/// Counters of this thread and of all threads that it and those make afterwards. They count until they are
/// closed, so that they are read before and after what they are for: reading is all that a process in the
/// sandbox may do.
class PerfCounters {
public:
    explicit PerfCounters(std::span<const CounterEvent> events);
    PerfCounters(const PerfCounters &) = delete;
    PerfCounters &operator=(const PerfCounters &) = delete;
    ~PerfCounters();

    /// One per event.
    std::vector<CounterState> read() const;
    /// Why the event is not counted, as errno says it; 0 where it is.
    int error(std::size_t event) const { return m_counters[event].error; }

private:
    struct Counter {
        int descriptor = -1;
        int error = 0;
    };
    std::vector<Counter> m_counters;
};

/// The counts of a process that ran a kernel, as it leaves them in shared memory.
struct CountsInMemory {
    std::array<double, mostEvents> events{}; ///< of all calls; negative: it was not counted
    std::array<std::int32_t, mostEvents> errors{};
};

/// Counts of one of so many `calls`, with the reasons for those that are missing.
Counters countersOf(const CountsInMemory &counts, std::span<const CounterEvent> events, std::int64_t calls);

/// A number for people: "instructions per cycle", 3.1.
struct CounterFigure {
    std::string name; ///< of an event, or of what two of them tell
    double value = 0;
    bool isDerived = false;
};
/// The counts of a call, and what they tell: instructions per cycle, and misses per 1000 instructions.
std::vector<CounterFigure> figuresOf(const Counters &counters);
/// "3.1 instructions per cycle"; "1.2e+06 cycles"
std::string textOf(const CounterFigure &figure);

} // namespace nestwright::measure
