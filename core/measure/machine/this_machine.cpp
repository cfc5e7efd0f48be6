// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/this_machine.h"

#include "core/backend/vector_unit.h"
#include "core/measure/machine/caches.h"
#include "core/measure/machine/machine_peak.h"
#include "core/measure/machine/peak_loops.h"
#include "core/measure/machine/topology.h"
#include "core/target/machine_file.h"
#include "core/target/processors.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace nestwright::measure {

using target::Machine;

namespace {

/// Rates of one thread where none was measured, nearest level first; the last is the memory's.
constexpr std::array usualBytesPerSecond{150e9, 80e9, 40e9, 15e9};
constexpr double usualCyclesPerSecond = 3e9;

/// Bits of the vectors that are multiplied and added in a cycle; 0 where that is not known.
int bitsPerCycle(const backend::VectorUnit &unit)
{
    const int known = target::multiplyAddsOf(unit.processor, unit.bits);
    return unit.bits * (known > 0 ? known : unit.multiplyAdds);
}

/// The share of this processor's rate that it reaches with vectors of so many bits: one that takes its widest
/// vectors in two halves does as much with half of the width.
double shareOfWidth(int bits)
{
    const auto widest = backend::vectorUnitOf({});
    target::Target narrower;
    narrower.mattr = bits < 256 ? "-avx" : "-avx512f";
    const auto here = widest && bits < widest->bits ? backend::vectorUnitOf(narrower) : widest;
    if (!here || here->bits != bits || bitsPerCycle(*here) == 0 || bitsPerCycle(*widest) == 0)
        return static_cast<double>(bits) / static_cast<double>(widestVector());
    return static_cast<double>(bitsPerCycle(*here)) / bitsPerCycle(*widest);
}

/// Gives the machine vectors of another width. Rates are those of its widest: `share` of them are left.
void takeUnit(Machine &machine, const backend::VectorUnit &unit, double share)
{
    share = std::min(1.0, share);
    machine.flops *= share;
    if (!machine.levels.empty())
        machine.levels.front().bytesPerSecond *= share;
    machine.vectors.bytes = unit.bits / 8;
    machine.vectors.registers = unit.registers;
    const auto take = [](int &rate, int known) { rate = known > 0 ? known : rate; };
    const int known = target::multiplyAddsOf(unit.processor, unit.bits);
    take(machine.vectors.units, known > 0 ? known : unit.multiplyAdds);
    take(machine.vectors.latency, unit.latency);
    take(machine.vectors.loads, unit.loads);
}

/// Sets the rates that are not known.
void addUsualRates(std::vector<target::MemoryLevel> &levels)
{
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const bool isLast = i + 1 == levels.size();
        if (levels[i].bytesPerSecond == 0)
            levels[i].bytesPerSecond =
                isLast ? usualBytesPerSecond.back() : usualBytesPerSecond[std::min<std::size_t>(i, 2)];
    }
}

} // namespace

int threadsOf(const target::Target &target) { return target.threads > 0 ? target.threads : usableThreads(); }

Machine thisMachine(int threads)
{
    Machine machine;
    machine.threads = std::max(1, threads);
    machine.cores = topology().kinds;
    machine.nodes = topology().nodes;
    machine.vectors.bytes = widestVector() / 8;
    machine.vectors.registers = machine.vectors.bits() >= 512 ? 32 : 16;
    machine.levels = memoryLevels();
    machine.flops = usualCyclesPerSecond * 2 * 2 * std::min<double>(machine.vectors.bits(), 256) / 32;
    if (const auto peak = loadCachedPeak(machine.threads)) {
        machine.flops = peak->float32Flops / machine.threads;
        for (target::MemoryLevel &level : machine.levels) {
            const auto measured = std::ranges::find(peak->levels, level.name, &target::MemoryLevel::name);
            if (measured != peak->levels.end())
                level.bytesPerSecond = measured->bytesPerSecond / machine.threads;
        }
    }
    addUsualRates(machine.levels);
    return machine;
}

support::Result<std::optional<Machine>> givenMachine()
{
    const char *file = std::getenv("NESTWRIGHT_MACHINE");
    if (!file || !*file)
        return std::optional<Machine>();
    const Machine here = thisMachine(threadsOf({}));
    auto machine = target::readMachine(file, here);
    if (machine)
        addUsualRates(machine->levels);
    return machine ? support::Result<std::optional<Machine>>(std::move(*machine))
                   : support::fail(std::move(machine.error()));
}

Machine machineOf(const target::Target &target)
{
    const auto given = givenMachine(); // its errors were told when the program began
    const bool isGiven = given && *given;
    Machine machine = isGiven ? **given : thisMachine(threadsOf(target));
    if (target.threads > 0)
        machine.threads = target.threads;
    const bool isOther = !target.mcpu.empty() || !target.mattr.empty() || !target.mtriple.empty();
    if (const auto unit = isOther || !isGiven ? backend::vectorUnitOf(target) : std::nullopt)
        takeUnit(machine, *unit,
                 isGiven ? static_cast<double>(unit->bits) / machine.vectors.bits()
                         : shareOfWidth(unit->bits));
    if (auto named = target::cachesOf(target.mcpu)) {
        machine.levels = std::move(*named);
        addUsualRates(machine.levels);
    }
    target::fitSizes(machine);
    return machine;
}

Machine machineToScheduleFor(const target::Target &target)
{
    Machine machine = machineOf(target);
    machine.flops = 0;
    for (target::MemoryLevel &level : machine.levels)
        level.bytesPerSecond = 0;
    return machine;
}

} // namespace nestwright::measure
