// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/machine_facts.h"

#include "core/backend/backend.h"
#include "core/measure/machine/caches.h"
#include "core/measure/machine/machine_peak.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/machine/topology.h"
#include "core/measure/measurer.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/support/host.h"
#include "core/support/text/bytes_text.h"
#include "core/target/kinds.h"
#include "core/target/processors.h"

#include <format>

namespace nestwright::measure {

namespace {

void addPeak(std::vector<MachineFact> &facts, int threads)
{
    const auto peak = loadCachedPeak(threads);
    if (!peak) {
        facts.push_back({"peak", "Peak", "not measured yet: it is with the first kernel"});
        return;
    }
    facts.push_back({"peak-float32", std::format("Peak, float32, {} threads", threads),
                     std::format("{:.1f} GFLOPS", peak->float32Flops * 1e-9)});
    facts.push_back({"peak-float64", std::format("Peak, float64, {} threads", threads),
                     std::format("{:.1f} GFLOPS", peak->float64Flops * 1e-9)});
    for (const target::MemoryLevel &level : peak->levels)
        facts.push_back({"bandwidth-" + level.name, level.name + " bandwidth",
                         std::format("{:.1f} GB/s", level.bytesPerSecond * 1e-9)});
}

/// "1.0 MiB, 16 ways, for 4 cores".
std::string cacheText(const target::MemoryLevel &level)
{
    return std::format("{}, {} ways{}", support::bytesText(static_cast<double>(level.bytes)), level.ways,
                       level.sharers > 1 ? std::format(", for {} cores", level.sharers) : "");
}

/// "8 cores with 2 threads each".
std::string coresText(const target::CoreKind &kind)
{
    std::string text = std::format("{} core{}", kind.cores, kind.cores > 1 ? "s" : "");
    if (kind.threadsOfCore > 1)
        text += std::format(" with {} threads each", kind.threadsOfCore);
    return kind.speed < 1 ? text + std::format(", {:.0f} % as fast", 100 * kind.speed) : text;
}

/// Cores that the program may use, memory nodes and quota.
void addCores(std::vector<MachineFact> &facts)
{
    const Topology &found = topology();
    std::string cores;
    for (const target::CoreKind &kind : found.kinds)
        cores += (cores.empty() ? "" : " and ") + coresText(kind);
    facts.push_back({"cores", "Cores", cores});
    if (found.nodes > 1)
        facts.push_back({"memory-nodes", "Memory", std::format("in {} nodes", found.nodes)});
    if (const double quota = processorQuota(); quota > 0)
        facts.push_back({"quota", "Quota", std::format("{:.3g} processors, by its control group", quota)});
}

/// The machine that schedules are made for.
void addSchedules(std::vector<MachineFact> &facts, const target::Target &target)
{
    const target::Machine machine = machineToScheduleFor(target);
    const auto add = [&](std::string name, std::string title, std::string value) {
        facts.push_back({"schedule-" + std::move(name), std::move(title), std::move(value), "Schedules for"});
    };
    add("target", "target", target.str());
    add("vectors", "vectors",
        std::format("{} registers of {} bits", machine.vectors.registers, machine.vectors.bits()));
    add("rates", "vectors in a cycle",
        std::format("multiply-adds {}, loads {}; a sum is there after {} cycles (LLVM's model)",
                    machine.vectors.units, machine.vectors.loads, machine.vectors.latency));
    add("threads", "threads", std::to_string(machine.threads));
    for (const target::MemoryLevel &level : machine.levels) {
        if (level.bytes > 0)
            add(level.name, level.name,
                cacheText(level) + (target::cachesOf(target.mcpu) ? ", usual for it" : ""));
    }
}

} // namespace

std::vector<MachineFact> machineFacts(const target::Target &target)
{
    const int threads = threadsOf({});
    std::vector<MachineFact> facts{{"processor", "Processor", support::processorName()},
                                   {"threads", "Threads", std::to_string(threads)}};
    addCores(facts);
    const Caches own = caches();
    for (const target::MemoryLevel &level : own.levels)
        facts.push_back({"cache-" + level.name, level.name + " cache",
                         cacheText(level) + (own.isAssumed ? ", as is usual" : "")});
    addPeak(facts, threads);
    std::string targets;
    for (const target::Kind &kind : target::kinds()) {
        if (backend::isBuilt(kind.kind))
            targets += (targets.empty() ? "" : ", ") + std::string(kind.name);
    }
    facts.push_back({"targets", "Targets", targets});
    addSchedules(facts, target);
    for (const SandboxPart &part : partsOf(probeSandbox()))
        facts.push_back({"sandbox-" + part.name, part.description,
                         part.isApplied ? "applied" : "not applied: this system does not allow it",
                         "Kernels run with"});
    return facts;
}

} // namespace nestwright::measure
