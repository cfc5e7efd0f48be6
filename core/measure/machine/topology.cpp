// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/topology.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <format>
#include <fstream>
#include <hwloc.h>
#include <memory>
#include <sched.h>
#include <sstream>
#include <thread>

namespace nestwright::measure {

using support::Result;
using target::CoreKind;
using target::MemoryLevel;

namespace {

using Handle = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

/// Empty; loaded by whoever asks. Null where there is no memory for it.
Handle makeTopology()
{
    hwloc_topology_t made = nullptr;
    if (hwloc_topology_init(&made) != 0)
        return {nullptr, hwloc_topology_destroy};
    return {made, hwloc_topology_destroy};
}

/// Cores among processors, and threads of one of them.
CoreKind coresOf(hwloc_topology_t topology, hwloc_const_bitmap_t processors)
{
    CoreKind kind;
    const int threads = hwloc_bitmap_weight(processors);
    kind.cores = std::max(1, hwloc_get_nbobjs_inside_cpuset_by_type(topology, processors, HWLOC_OBJ_CORE));
    kind.threadsOfCore = std::max(1, threads / kind.cores);
    return kind;
}

/// The frequency of a kind in MHz, as it is told; 0: it is not.
double frequencyOf(const hwloc_info_s *infos, unsigned count)
{
    double found = 0;
    for (unsigned i = 0; i < count; ++i) {
        const std::string_view name = infos[i].name;
        if (name == "FrequencyMaxMHz" || (name == "FrequencyBaseMHz" && found == 0))
            found = std::strtod(infos[i].value, nullptr);
    }
    return found;
}

/// Kinds of the cores that may be used, fastest first; `of` gets the processors of the first.
std::vector<CoreKind> kindsOf(hwloc_topology_t topology, hwloc_bitmap_t of)
{
    const hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(topology);
    std::vector<CoreKind> kinds;
    std::vector<double> frequencies;
    const int count = hwloc_cpukinds_get_nr(topology, 0);
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> set(hwloc_bitmap_alloc(),
                                                                            hwloc_bitmap_free);
    for (int i = count - 1; i >= 0; --i) { // hwloc has the most efficient ones first
        hwloc_info_s *infos = nullptr;
        unsigned infoCount = 0;
        int efficiency = 0;
        if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(i), set.get(), &efficiency, &infoCount,
                                    &infos, 0)
            != 0)
            continue;
        hwloc_bitmap_and(set.get(), set.get(), allowed);
        if (hwloc_bitmap_iszero(set.get()))
            continue;
        const CoreKind kind = coresOf(topology, set.get());
        // Kinds that hwloc cannot rank are turbo bins of one kind.
        if (efficiency < 0 && !kinds.empty()) {
            kinds.front().cores += kind.cores;
            hwloc_bitmap_or(of, of, set.get());
            continue;
        }
        if (kinds.empty())
            hwloc_bitmap_copy(of, set.get());
        kinds.push_back(kind);
        frequencies.push_back(frequencyOf(infos, infoCount));
    }
    for (std::size_t i = 1; i < kinds.size(); ++i) {
        if (frequencies[0] > 0 && frequencies[i] > 0)
            kinds[i].speed = frequencies[i] / frequencies[0];
    }
    if (kinds.empty()) {
        hwloc_bitmap_copy(of, allowed);
        kinds.push_back(coresOf(topology, allowed));
    }
    return kinds;
}

/// Caches of data above a processor of `processors`, nearest first.
std::vector<MemoryLevel> cachesAbove(hwloc_topology_t topology, hwloc_const_bitmap_t processors)
{
    constexpr std::int64_t mostCacheBytes = std::int64_t{4} << 30;
    std::vector<MemoryLevel> levels;
    const hwloc_obj *processor =
        hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(hwloc_bitmap_first(processors)));
    for (const hwloc_obj *each = processor; each; each = each->parent) {
        if (!hwloc_obj_type_is_dcache(each->type) || each->attr->cache.size == 0
            || each->attr->cache.size > mostCacheBytes)
            continue;
        const auto &cache = each->attr->cache;
        MemoryLevel level{.name = std::format("L{}", cache.depth),
                          .bytes = static_cast<std::int64_t>(cache.size)};
        if (cache.linesize > 0)
            level.lineBytes = cache.linesize;
        level.sharers =
            std::max(1, hwloc_get_nbobjs_inside_cpuset_by_type(topology, each->cpuset, HWLOC_OBJ_CORE));
        // Fully associative caches and virtual machines say 0 ways, or less.
        const std::int64_t lines = std::max<std::int64_t>(1, level.bytes / level.lineBytes);
        level.ways = cache.associativity > 0 ? std::min<std::int64_t>(cache.associativity, lines) : lines;
        levels.push_back(std::move(level));
    }
    return levels;
}

Topology factsOf(hwloc_topology_t topology)
{
    Topology facts;
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> first(hwloc_bitmap_alloc(),
                                                                              hwloc_bitmap_free);
    facts.kinds = kindsOf(topology, first.get());
    facts.caches = cachesAbove(topology, first.get());
    facts.nodes = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE));
    return facts;
}

Topology thisTopology()
{
    Topology assumed;
    assumed.kinds = {{.cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()))}};
    const Handle handle = makeTopology();
    if (!handle)
        return assumed;
    // Processors that the process may not use do not count.
    hwloc_topology_set_flags(handle.get(), HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
    return hwloc_topology_load(handle.get()) == 0 ? factsOf(handle.get()) : assumed;
}

std::string firstWords(const std::string &file)
{
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

/// Quota of a group of processes, of version 2 ("max 100000", "150000 100000") or 1; 0: all.
double quotaOf(const std::string &folder)
{
    std::istringstream words(firstWords(folder + "/cpu.max"));
    double quota = 0, period = 0;
    if (words >> quota >> period && quota > 0 && period > 0)
        return quota / period;
    std::istringstream oldQuota(firstWords(folder + "/cpu.cfs_quota_us")),
        oldPeriod(firstWords(folder + "/cpu.cfs_period_us"));
    return oldQuota >> quota && oldPeriod >> period && quota > 0 && period > 0 ? quota / period : 0;
}

} // namespace

int Topology::cores() const
{
    int all = 0;
    for (const CoreKind &kind : kinds)
        all += kind.cores;
    return all;
}

int Topology::threads() const
{
    int all = 0;
    for (const CoreKind &kind : kinds)
        all += kind.cores * kind.threadsOfCore;
    return all;
}

const Topology &topology()
{
    static const Topology found = thisTopology();
    return found;
}

Result<Topology> topologyOf(const std::string &words)
{
    const Handle handle = makeTopology();
    if (!handle || hwloc_topology_set_synthetic(handle.get(), words.c_str()) != 0
        || hwloc_topology_load(handle.get()) != 0)
        return support::fail(
            support::diagnostic("usage.topology", std::format("'{}' describes no machine", words))
                .withHint("write it as hwloc does: \"pack:2 l3:1 l2:8 l1d:1 core:1 pu:2\""));
    return factsOf(handle.get());
}

double processorQuota(const std::string &root, const std::string &groups)
{
    double least = 0;
    const auto take = [&](const std::string &folder) {
        if (const double quota = quotaOf(folder); quota > 0)
            least = least > 0 ? std::min(least, quota) : quota;
    };
    std::ifstream list(groups);
    for (std::string line; std::getline(list, line);) { // "0::/a/b", "4:cpu,cpuacct:/a/b"
        const std::size_t second = line.find(':', line.find(':') + 1);
        const bool isOfProcessors =
            line.starts_with("0::") || line.contains("cpu,") || line.contains(":cpu:");
        if (second == std::string::npos || !isOfProcessors || !line.substr(second + 1).starts_with('/'))
            continue;
        const std::string folder = line.starts_with("0::") ? root : root + "/cpu";
        // Groups around it grant no less: the least counts. In a container its own group is the root.
        for (std::string path = line.substr(second + 1); path.size() > 1;
             path.resize(std::max<std::size_t>(1, path.rfind('/'))))
            take(folder + path);
        take(folder);
    }
    return least;
}

int usableThreads()
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    const int processors = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                               ? CPU_COUNT(&allowed)
                               : static_cast<int>(std::thread::hardware_concurrency());
    static const double quota = processorQuota();
    const int paid = quota > 0 ? static_cast<int>(std::ceil(quota)) : processors;
    return std::max(1, std::min(processors, paid));
}

} // namespace nestwright::measure
