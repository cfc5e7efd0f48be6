// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/this_machine.h"

#include "core/backend/vector_unit.h"
#include "core/measure/machine/caches.h"
#include "core/measure/machine/machine_peak.h"
#include "core/measure/machine/peak_loops.h"

#include <algorithm>
#include <array>
#include <thread>

namespace nestwright::measure {

using target::Machine;

namespace {

/// Rates of one thread where none was measured, nearest level first; the last is the memory's.
constexpr std::array usualBytesPerSecond{150e9, 80e9, 40e9, 15e9};
constexpr double usualCyclesPerSecond = 3e9;

} // namespace

int threadsOf(const target::Target &target)
{
    return target.threads > 0 ? target.threads
                              : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Machine thisMachine(int threads)
{
    Machine machine;
    machine.threads = std::max(1, threads);
    machine.vectors.bytes = widestVector() / 8;
    machine.vectors.registers = machine.vectors.bits() >= 512 ? 32 : 16;
    machine.flops = usualCyclesPerSecond * 2 * 2 * std::min<double>(machine.vectors.bits(), 256) / 32;
    if (const auto peak = loadCachedPeak(machine.threads)) {
        machine.flops = peak->float32Flops / machine.threads;
        machine.levels = peak->levels;
        for (target::MemoryLevel &level : machine.levels)
            level.bytesPerSecond /= machine.threads;
        return machine;
    }
    machine.levels = memoryLevels();
    for (std::size_t i = 0; i < machine.levels.size(); ++i) {
        const bool isLast = i + 1 == machine.levels.size();
        machine.levels[i].bytesPerSecond =
            isLast ? usualBytesPerSecond.back() : usualBytesPerSecond[std::min<std::size_t>(i, 2)];
    }
    return machine;
}

Machine machineOf(const target::Target &target)
{
    Machine machine = thisMachine(threadsOf(target));
    const auto unit = backend::vectorUnitOf(target);
    if (!unit)
        return machine;
    // Rates were measured with this processor's widest vectors: narrower ones do less in the same cycles.
    const double share =
        std::min(1.0, static_cast<double>(unit->bits) / static_cast<double>(machine.vectors.bits()));
    machine.flops *= share;
    if (!machine.levels.empty())
        machine.levels.front().bytesPerSecond *= share;
    machine.vectors.bytes = unit->bits / 8;
    machine.vectors.registers = unit->registers;
    return machine;
}

} // namespace nestwright::measure
