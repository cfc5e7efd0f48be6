// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/device_peak.h"

#include "core/measure/machine/data_sheet.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/measurer.h"
#include "core/script/tvmscript/parser.h"
#include "core/support/errors/errors.h"
#include "core/target/kinds.h"

#include <algorithm>
#include <format>
#include <utility>

namespace nestwright::measure {

using backend::DeviceFacts;
using support::Result;
using support::UserError;

namespace {

constexpr std::int64_t threads = 256, blocksOfUnit = 8; ///< so many fill a multiprocessor
constexpr std::int64_t bytesOfBlock = threads * 16;     ///< that all threads read at once
constexpr int chains = 8, rounds = 4096, sharedRounds = 2048;
constexpr std::int64_t readBytes = std::int64_t{16} << 20; ///< by a multiprocessor, of the cache
constexpr std::int64_t leastMemory = std::int64_t{128} << 20, mostMemory = std::int64_t{512} << 20;

/// {0}: type, {1}: blocks, {2}: threads of all.
constexpr std::string_view multiplyAdds = R"(@T.prim_func
def main(terms: T.Buffer((10,), "{0}"), sums: T.Buffer(({2},), "{0}")):
    for block in T.thread_binding({1}, thread="blockIdx.x"):
        for thread in T.thread_binding(256, thread="threadIdx.x"):
            with T.block("chains"):
                b, t = T.axis.remap("SS", [block, thread])
                chain = T.alloc_buffer((8,), "{0}", scope="local")
                for c in T.unroll(8):
                    chain[c] = terms[c + 2]
                for r in range(4096):
                    for c in T.unroll(8):
                        chain[c] = chain[c] * terms[0] + terms[1]
                sums[b * 256 + t] = (chain[0] + chain[1] + chain[2] + chain[3] + chain[4] + chain[5]
                                     + chain[6] + chain[7])
)";

/// {0}: blocks, {1}: threads of all. Threads that run together read neighbours, 16 bytes each.
constexpr std::string_view sharedReads = R"(@T.prim_func
def main(data: T.Buffer((1024,), "float32"), sums: T.Buffer(({1},), "float32")):
    for block in T.thread_binding({0}, thread="blockIdx.x"):
        with T.block("block"):
            b = T.axis.remap("S", [block])
            data_shared = T.alloc_buffer((1024,), scope="shared")
            for thread in T.thread_binding(256, thread="threadIdx.x"):
                with T.block("copy"):
                    t = T.axis.remap("S", [thread])
                    for v in T.vectorized(4):
                        data_shared[t * 4 + v] = data[t * 4 + v]
            for thread in T.thread_binding(256, thread="threadIdx.x"):
                with T.block("sum"):
                    t = T.axis.remap("S", [thread])
                    four = T.alloc_buffer((4,), scope="local")
                    part = T.alloc_buffer((4,), scope="local")
                    for v in T.unroll(4):
                        part[v] = T.float32(0)
                    for r in range(2048):
                        for v in T.vectorized(4):
                            four[v] = data_shared[(t + r) % 256 * 4 + v]
                        for v in T.unroll(4):
                            part[v] = part[v] + four[v]
                    sums[b * 256 + t] = part[0] + part[1] + part[2] + part[3]
)";

/// {0}: blocks, {1}: threads of all, {2}: elements, {3}: passes over them, {4}: steps of a pass. A block
/// reads in each pass what another read in the one before, so that no cache of a multiprocessor has it.
constexpr std::string_view reads = R"(@T.prim_func
def main(data: T.Buffer(({2},), "float32"), sums: T.Buffer(({1},), "float32")):
    for block in T.thread_binding({0}, thread="blockIdx.x"):
        for thread in T.thread_binding(256, thread="threadIdx.x"):
            with T.block("sum"):
                b, t = T.axis.remap("SS", [block, thread])
                four = T.alloc_buffer((4,), scope="local")
                part = T.alloc_buffer((4,), scope="local")
                for v in T.unroll(4):
                    part[v] = T.float32(0)
                for p, s in T.grid({3}, {4}):
                    for v in T.vectorized(4):
                        four[v] = data[(s * {0} + (b + p) % {0}) * 1024 + t * 4 + v]
                    for v in T.unroll(4):
                        part[v] = part[v] + four[v]
                sums[b * 256 + t] = part[0] + part[1] + part[2] + part[3]
)";

template <class T> T valueOf(Result<T> result)
{
    if (!result)
        throw UserError(result.error());
    return std::move(*result);
}

/// Runs probes on one device, each a kernel that does a known amount of work.
class Probes {
public:
    Probes(Measurer &measurer, const target::Target &target, const DeviceFacts &gpu, std::stop_token stop)
        : m_measurer(measurer)
        , m_target(target)
        , m_stop(std::move(stop))
        , m_blocks(std::max(1, gpu.computeUnits) * blocksOfUnit)
    {
    }

    /// Operations per second. Throws UserError where the device has no numbers of that type.
    double flops(std::string_view type) const
    {
        const double work = 2.0 * chains * rounds * static_cast<double>(m_blocks * threads);
        return work / secondsOf(std::format(multiplyAdds, type, m_blocks, m_blocks * threads));
    }

    /// Bytes per second.
    double sharedBandwidth() const
    {
        const double work = static_cast<double>(sharedRounds * bytesOfBlock * m_blocks);
        return work / secondsOf(std::format(sharedReads, m_blocks, m_blocks * threads));
    }

    /// Bytes per second of `passes` over about `bytes` of memory.
    double bandwidth(std::int64_t bytes, std::int64_t passes) const
    {
        const std::int64_t step = m_blocks * bytesOfBlock, steps = std::max<std::int64_t>(1, bytes / step);
        const double work = static_cast<double>(passes * steps * step);
        return work
               / secondsOf(std::format(reads, m_blocks, m_blocks * threads,
                                       steps * step / std::int64_t{sizeof(float)}, passes, steps));
    }

private:
    double secondsOf(const std::string &program) const
    {
        MeasureJob job;
        job.reference = valueOf(script::parseTvmScript(program, "probe.py"));
        job.variants = {job.reference};
        job.target = m_target;
        job.secondsPerRepetition = 0.02;
        job.wantPeak = false;
        const auto measured = valueOf(m_measurer.measure(job, [](const Progress &) {}, m_stop));
        const Measurement &result = measured.front();
        if (!result.ok())
            throw UserError(result.failure.value());
        return std::ranges::min(result.samples); // the best counts: a peak is a bound
    }

    Measurer &m_measurer;
    const target::Target &m_target;
    std::stop_token m_stop;
    std::int64_t m_blocks;
};

} // namespace

std::optional<DeviceFacts> gpuOf(const target::Target &target)
{
    if (!target.isGpu() || !backend::checkDevice(target))
        return {};
    const std::vector<DeviceFacts> found = backend::devices(target.kind);
    return found.empty() || !found.front().isGpu ? std::nullopt : std::optional(found.front());
}

Result<MachinePeak> knownPeak(const target::Target &target)
{
    if (const auto gpu = gpuOf(target))
        return loadCachedPeak(gpu->name);
    if (!target::kindOf(target.kind).hasArchitectures())
        return loadCachedPeak(threadsOf(target));
    const std::string architecture = target::architectureOf(target);
    if (const DataSheet *sheet = dataSheetOfArchitecture(architecture))
        return peakOf(*sheet);
    return support::fail("measure.bad-peak", "no peak is known of a GPU of " + architecture);
}

Result<MachinePeak> measureDevicePeak(Measurer &measurer, const target::Target &target,
                                      const DeviceFacts &gpu, std::stop_token stop)
try {
    const Probes probes(measurer, target, gpu, std::move(stop));
    MachinePeak peak;
    peak.processor = gpu.name;
    peak.isGpu = true;
    peak.float32Flops = probes.flops("float32");
    try {
        peak.float64Flops = probes.flops("float64");
    } catch (const UserError &) {
        peak.float64Flops = 0; // OpenCL's devices need not have it
    }
    peak.levels.push_back({"shared", gpu.sharedBytes, probes.sharedBandwidth()});
    if (gpu.cacheBytes > 0) {
        const std::int64_t part = gpu.cacheBytes / 4; // a cache may be in halves that hold the same
        peak.levels.push_back(
            {"L2", gpu.cacheBytes,
             probes.bandwidth(part, std::max<std::int64_t>(1, gpu.computeUnits * readBytes / part))});
    }
    const std::int64_t bytes = std::clamp(gpu.cacheBytes * 4, leastMemory, mostMemory);
    peak.levels.push_back({"DRAM", 0, probes.bandwidth(bytes, 1)});
    if (const DataSheet *sheet = dataSheetOfDevice(gpu.name))
        peak.tensorFlops = sheet->tensorFlops;
    return peak;
} catch (const UserError &error) {
    return support::fail(error.diagnostic());
}

} // namespace nestwright::measure
