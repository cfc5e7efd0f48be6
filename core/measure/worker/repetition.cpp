// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/repetition.h"

#include "core/backend/link/loaded_kernel.h"

#if NESTWRIGHT_HAS_BENCHMARK
#include <benchmark/benchmark.h>
#else
#include <chrono>
#endif

#include <algorithm>
#include <cstddef>
#include <vector>

namespace nestwright::measure {

namespace {

constexpr std::size_t flushBytes = std::size_t{64} << 20;

void flushCaches()
{
    static std::vector<char> junk(flushBytes);
    volatile char *bytes = junk.data(); // so that every write is one to memory
    for (std::size_t i = 0; i < junk.size(); i += 64)
        bytes[i] = static_cast<char>(bytes[i] + 1);
}

} // namespace

#if NESTWRIGHT_HAS_BENCHMARK

namespace {

/// Takes one time per benchmark.
class TimeReporter : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context &) override { return true; }
    void ReportRuns(const std::vector<Run> &runs) override
    {
        for (const Run &run : runs)
            time = {run.real_accumulated_time
                        / static_cast<double>(std::max<std::int64_t>(1, run.iterations)),
                    run.iterations};
    }
    Repetition time;
};

} // namespace

Repetition repeated(backend::BoundCall &call, bool flush, double seconds, std::int64_t iterations)
{
    const auto body = [&](benchmark::State &state) {
        for ([[maybe_unused]] auto round : state) {
            if (flush) {
                state.PauseTiming();
                flushCaches();
                state.ResumeTiming();
            }
            benchmark::DoNotOptimize(call.run());
        }
    };
    auto *registered = benchmark::RegisterBenchmark("kernel", body)->UseRealTime();
    if (iterations > 0)
        registered->Iterations(iterations);
    else
        registered->MinTime(seconds);
    TimeReporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter, "kernel");
    benchmark::ClearRegisteredBenchmarks();
    return reporter.time;
}

void prepareRepetitions()
{
    static const bool once = [] {
        char name[] = "worker";
        char *arguments[] = {name, nullptr};
        int count = 1;
        benchmark::Initialize(&count, arguments);
        benchmark::CPUInfo::Get();
        benchmark::SystemInfo::Get();
        return true;
    }();
    (void)once;
}

#else

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

double secondsOf(backend::BoundCall &call, bool flush, std::int64_t iterations)
{
    double flushing = 0;
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < iterations; ++i) {
        if (flush) {
            const auto paused = Clock::now();
            flushCaches();
            flushing += secondsSince(paused);
        }
        call.run();
    }
    return secondsSince(begin) - flushing;
}

} // namespace

Repetition repeated(backend::BoundCall &call, bool flush, double seconds, std::int64_t iterations)
{
    std::int64_t count = std::max<std::int64_t>(1, iterations);
    double all = secondsOf(call, flush, count);
    while (iterations == 0 && all < seconds) {
        count *= 2;
        all = secondsOf(call, flush, count);
    }
    return {all / static_cast<double>(count), count};
}

void prepareRepetitions() {}

#endif

} // namespace nestwright::measure
