// SPDX-License-Identifier: Apache-2.0
#include "core/explore/machine.h"

#include "core/backend/vector_unit.h"
#include "core/measure/machine/peak_loops.h"
#include "core/measure/measurer.h"

#include <algorithm>
#include <array>

namespace nestwright::explore {

namespace {

/// Rates of one thread where none was measured, nearest level first; the last is the memory's.
constexpr std::array usualBytesPerSecond{150e9, 80e9, 40e9, 15e9};
constexpr double usualCyclesPerSecond = 3e9;

} // namespace

Machine thisMachine(int threads)
{
    Machine machine{.threads = std::max(1, threads), .vectorBits = measure::widestVector()};
    machine.vectorRegisters = machine.vectorBits >= 512 ? 32 : 16;
    machine.flops = usualCyclesPerSecond * 2 * 2 * std::min(machine.vectorBits, 256) / 32;
    if (const auto peak = measure::loadCachedPeak(machine.threads)) {
        machine.flops = peak->float32Flops / machine.threads;
        machine.levels = peak->levels;
        for (measure::MemoryLevel &level : machine.levels)
            level.bytesPerSecond /= machine.threads;
        return machine;
    }
    machine.levels = measure::cacheLevels();
    std::erase_if(machine.levels, [](const measure::MemoryLevel &level) { return level.bytes == 0; });
    machine.levels.push_back({.name = "DRAM"});
    for (std::size_t i = 0; i < machine.levels.size(); ++i) {
        const bool isLast = i + 1 == machine.levels.size();
        machine.levels[i].bytesPerSecond =
            isLast ? usualBytesPerSecond.back() : usualBytesPerSecond[std::min<std::size_t>(i, 2)];
    }
    return machine;
}

Machine machineOf(const target::Target &target)
{
    Machine machine = thisMachine(measure::threadsOf(target));
    const auto unit = backend::vectorUnitOf(target);
    if (!unit)
        return machine;
    // Rates were measured with this processor's widest vectors: narrower ones do less in the same cycles.
    const double share = std::min(1.0, static_cast<double>(unit->bits) / machine.vectorBits);
    machine.flops *= share;
    if (!machine.levels.empty())
        machine.levels.front().bytesPerSecond *= share;
    machine.vectorBits = unit->bits;
    machine.vectorRegisters = unit->registers;
    return machine;
}

int registersOfSums(const Machine &machine)
{
    // A sixth is left for operands; of few registers two, one of which reads its operand from memory.
    return machine.vectorRegisters - std::max(2, machine.vectorRegisters * 3 / 16);
}

} // namespace nestwright::explore
