// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/machine_peak.h"

#include "core/measure/machine/caches.h"
#include "core/measure/machine/memory_capacity.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/machine/peak_loops.h"
#include "core/support/files/atomic_file.h"
#include "core/support/host.h"
#include "core/support/text/json_output.h"

#include <algorithm>
#include <barrier>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <pthread.h>
#include <sched.h>
#include <set>
#include <thread>
#include <unistd.h>

namespace nestwright::measure {

using json = support::Json;
using support::fail;
using support::Result;
using target::MemoryLevel;
using Clock = std::chrono::steady_clock;

namespace {

constexpr double secondsPerTrial = 0.03;
constexpr double secondsOfClockWarmUp =
    0.05; ///< a processor takes its time to change its clock for wide vectors
constexpr std::size_t mostLevels = 16;
constexpr int usualTrials = 8; ///< the best counts: a peak is a bound
constexpr int calmTries = 15;  ///< of 0.2 s
constexpr int coreTries = 8;   ///< of about 0.4 s, each with so few trials:
constexpr int coreTrials = 2;
constexpr int sizeTrials = 4; ///< of each size that a shared cache is read with
/// 1 had the bandwidth of half of the last cache, whoever else used it; 2 read vectors across lines.
constexpr int storedFormat = 3;
constexpr double asFast = 0.7; ///< of the best rate: still from that cache

/// Empty where nothing can be kept. `name` is that of a GPU, whatever characters it has.
std::filesystem::path cachePath(std::string name)
{
    constexpr std::size_t longest = 100;
    std::ranges::replace_if(name, [](unsigned char each) { return std::isalnum(each) == 0; }, '-');
    const std::filesystem::path folder = support::cacheFolder();
    return folder.empty() ? folder : folder / ("machine-peak-" + name.substr(0, longest) + ".json");
}

Result<MachinePeak> loadPeak(const std::string &name, const std::string &processor)
{
    std::ifstream file(cachePath(name));
    const json value = json::parse(file, nullptr, false);
    auto peak = machinePeakFromJson(value.is_discarded() ? json() : value);
    if (peak && (peak->processor != processor || value.value("format", 1) != storedFormat))
        return fail("measure.bad-peak", "the stored machine peak is of another processor or program");
    return peak;
}

void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set,
                           &set); // best effort: an unpinned thread is only noisier
}

/// Work per second of one thread over at least `seconds`, once where that is 0.
double repeat(double seconds, int thread, const std::function<Work(int thread)> &work)
{
    const auto begin = Clock::now();
    double done = 0, passed = 0;
    do {
        done += work(thread).amount;
        passed = std::chrono::duration<double>(Clock::now() - begin).count();
    } while (passed < seconds);
    return done / passed;
}

/// Waits for a while until other programs leave the machine alone.
void awaitCalm(int threads)
{
    for (int i = 0; i < calmTries; ++i) {
        const OtherLoad load({getpid()});
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        if (!disturbs(load.processors().value_or(0), threads, usableCores()))
            return;
    }
}

/// Work per second of all threads together: each calls `work` until the time is over.
double rate(int threads, const std::function<Work(int thread)> &work, int trials = usualTrials)
{
    double best = 0;
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> rates(static_cast<std::size_t>(threads));
        std::barrier start(threads);
        std::vector<std::jthread> pool;
        for (int i = 0; i < threads; ++i) {
            pool.emplace_back([&, i] {
                pin(i);
                repeat(trial == 0 ? secondsOfClockWarmUp : 0, i, work);
                start.arrive_and_wait();
                rates[static_cast<std::size_t>(i)] = repeat(secondsPerTrial, i, work);
            });
        }
        pool.clear();
        double sum = 0;
        for (const double each : rates)
            sum += each;
        best = std::max(best, sum);
    }
    return best;
}

/// Cores of the first `threads` processors: siblings of one core count once.
int coresOf(int threads)
{
    std::set<std::string> cores;
    for (int i = 0; i < threads; ++i) {
        const std::string cpu = std::to_string(i);
        std::ifstream file("/sys/devices/system/cpu/cpu" + cpu + "/topology/thread_siblings_list");
        std::string siblings;
        cores.insert(std::getline(file, siblings) ? siblings : cpu);
    }
    return static_cast<int>(cores.size());
}

/// Waits for a while until the threads have their cores for themselves: the host of a virtual machine may
/// have put two of its processors on one core.
void awaitCores(int threads)
{
    const int cores = coresOf(threads);
    const auto multiplyAdd = [](int) { return multiplyAddFloat32(); };
    for (int i = 0; cores > 1 && i < coreTries; ++i) {
        const double alone = rate(1, multiplyAdd, coreTrials);
        if (!shareCores(alone, rate(threads, multiplyAdd, coreTrials), cores))
            return;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
}

/// Bytes per second of all threads together, each reading its part of so many.
double readRate(int threads, std::int64_t bytes, int trials)
{
    std::vector<std::vector<Line>> data(static_cast<std::size_t>(threads));
    for (std::vector<Line> &each : data)
        each.resize(static_cast<std::size_t>(bytes / threads) / sizeof(Line) / 8 * 8);
    return rate(threads, [&](int i) { return readAll(data[static_cast<std::size_t>(i)]); }, trials);
}

/// Bandwidth and size of a cache of all threads, behind `nearer` bytes of their own.
void measureShared(MemoryLevel &cache, std::int64_t nearer, int threads)
{
    std::vector<std::pair<std::int64_t, double>> rates;
    const std::int64_t half = cache.bytes / 2;
    for (std::int64_t bytes = std::min(4 * nearer, half); rates.empty() || rates.back().first < half;
         bytes = std::min(2 * bytes, half))
        rates.emplace_back(bytes, readRate(threads, bytes, sizeTrials));
    for (const auto &[bytes, rate] : rates)
        cache.bytesPerSecond = std::max(cache.bytesPerSecond, rate);
    while (rates.back().second < asFast * cache.bytesPerSecond) {
        rates.pop_back();
        cache.bytes = rates.back().first;
    }
}

} // namespace

bool shareCores(double alone, double together, int cores)
{
    return together < 0.6 * cores * alone; // more of them may run at a lower clock
}

double attainable(const MachinePeak &peak, const MemoryLevel &level, double intensity)
{
    return std::min(peak.float32Flops, level.bytesPerSecond * intensity);
}

std::optional<double> peakFraction(const Throughput &work, double seconds, const Throughput &perSecond)
{
    if (perSecond.flops <= 0 || perSecond.bytes <= 0 || seconds <= 0)
        return std::nullopt;
    const double least = std::max(work.flops / perSecond.flops, work.bytes / perSecond.bytes);
    return std::min(least / seconds, 1.0);
}

double roofShare(const Throughput &work, double seconds, const MachinePeak &peak)
{
    if (seconds <= 0)
        return 0;
    if (work.flops > 0)
        return work.flops / seconds / peak.float32Flops;
    const auto holds = [&](const MemoryLevel &level) {
        return level.bytes == 0 || capacityOf(peak, level) >= work.bytes;
    };
    const auto level = std::ranges::find_if(peak.levels, holds);
    return level == peak.levels.end() || level->bytesPerSecond <= 0
               ? 0
               : work.bytes / seconds / level->bytesPerSecond;
}

bool isMemoryBound(const Throughput &work, const Throughput &perSecond)
{
    return work.bytes / perSecond.bytes > work.flops / perSecond.flops;
}

MachinePeak higherOf(const MachinePeak &a, const MachinePeak &b)
{
    MachinePeak higher = a;
    higher.float32Flops = std::max(a.float32Flops, b.float32Flops);
    higher.float64Flops = std::max(a.float64Flops, b.float64Flops);
    for (MemoryLevel &level : higher.levels) {
        const auto other = std::ranges::find(b.levels, level.name, &MemoryLevel::name);
        if (other == b.levels.end())
            continue;
        level.bytes = std::max(level.bytes, other->bytes);
        level.bytesPerSecond = std::max(level.bytesPerSecond, other->bytesPerSecond);
    }
    return higher;
}

MachinePeak measureMachinePeak(int threads)
{
    awaitCalm(threads);
    awaitCores(threads);
    const OtherLoad load({getpid()});
    MachinePeak peak;
    peak.processor = support::processorName();
    peak.threads = threads;
    peak.float32Flops = rate(threads, [](int) { return multiplyAddFloat32(); });
    peak.float64Flops = rate(threads, [](int) { return multiplyAddFloat64(); });
    peak.levels = memoryLevels();
    std::int64_t largest = 4 << 20, own = 1 << 20;
    for (MemoryLevel &level : peak.levels) {
        largest = std::max(largest, level.bytes);
        if (level.bytes == 0) { // memory: four times the last cache
            level.bytesPerSecond =
                readRate(threads, std::min<std::int64_t>(largest * 4, 512 << 20), usualTrials);
        } else if (level.name == "L3") {
            measureShared(level, own, threads);
        } else { // half of it stays inside it
            own = level.bytes * threads;
            level.bytesPerSecond = readRate(threads, own / 2, usualTrials);
        }
    }
    // All that comes from a farther level passes the nearer ones.
    for (std::size_t i = peak.levels.size(); i-- > 1;)
        peak.levels[i - 1].bytesPerSecond =
            std::max(peak.levels[i - 1].bytesPerSecond, peak.levels[i].bytesPerSecond);
    peak.disturbed = disturbs(load.processors().value_or(0), threads, usableCores());
    return peak;
}

json toJson(const MachinePeak &peak)
{
    json levels = json::array();
    for (const MemoryLevel &level : peak.levels)
        levels.push_back(
            {{"name", level.name}, {"bytes", level.bytes}, {"bytesPerSecond", level.bytesPerSecond}});
    return {{"format", storedFormat},
            {"processor", peak.processor},
            {"gpu", peak.isGpu},
            {"threads", peak.threads},
            {"float32Flops", peak.float32Flops},
            {"float64Flops", peak.float64Flops},
            {"tensorFlops", peak.tensorFlops},
            {"levels", levels},
            {"disturbed", peak.disturbed}};
}

Result<MachinePeak> machinePeakFromJson(const json &value)
{
    try {
        MachinePeak peak;
        peak.processor = value.at("processor").get<std::string>();
        peak.isGpu = value.value("gpu", false);
        peak.threads = value.at("threads").get<int>();
        peak.float32Flops = value.at("float32Flops").get<double>();
        peak.float64Flops = value.at("float64Flops").get<double>();
        peak.tensorFlops = value.value("tensorFlops", 0.0);
        peak.disturbed = value.value("disturbed", false);
        for (const json &level : value.at("levels"))
            peak.levels.push_back({level.at("name").get<std::string>(), level.at("bytes").get<std::int64_t>(),
                                   level.at("bytesPerSecond").get<double>()});
        const auto isRate = [](double rate) { return std::isfinite(rate) && rate > 0; };
        const bool levels = peak.levels.size() <= mostLevels
                            && std::ranges::all_of(peak.levels, isRate, &MemoryLevel::bytesPerSecond);
        const bool isDouble = isRate(peak.float64Flops) || (peak.isGpu && peak.float64Flops == 0);
        const bool isTensor = isRate(peak.tensorFlops) || peak.tensorFlops == 0;
        if (!isRate(peak.float32Flops) || !isDouble || !isTensor || peak.threads < 1 || !levels)
            return fail("measure.bad-peak", "the machine peak has numbers that cannot be");
        return peak;
    } catch (const std::exception &error) {
        return fail("measure.bad-peak",
                    std::string("the stored machine peak cannot be read: ") + error.what());
    }
}

Result<MachinePeak> loadCachedPeak(int threads)
{
    return loadPeak(std::to_string(threads), support::processorName());
}

Result<MachinePeak> loadCachedPeak(const std::string &gpu) { return loadPeak(gpu, gpu); }

void storeCachedPeak(const MachinePeak &peak)
{
    const std::string name = peak.isGpu ? peak.processor : std::to_string(peak.threads);
    const std::filesystem::path path = cachePath(name);
    if (path.empty() || peak.disturbed)
        return; // a peak measured on a busy machine is no bound: it is measured again
    const auto earlier = loadPeak(name, peak.processor);
    const MachinePeak best = earlier ? higherOf(peak, *earlier) : peak;
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    (void)support::writeAtomically(path, support::jsonText(toJson(best), 2) + '\n',
                                   {.durable = false}); // measured again else
}

} // namespace nestwright::measure
