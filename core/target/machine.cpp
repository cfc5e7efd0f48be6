// SPDX-License-Identifier: Apache-2.0
#include "core/target/machine.h"

#include <algorithm>

namespace nestwright::target {

int registersOfSums(const Machine &machine)
{
    // Three sixteenths are left for operands; of few registers two, with another operand read from memory.
    const int registers = machine.vectors.registers;
    return registers - std::max(2, registers * 3 / 16);
}

double cyclesOfTile(const Machine &machine, std::int64_t rows, std::int64_t columns)
{
    const Machine::Vectors &unit = machine.vectors;
    return std::max({static_cast<double>(rows * columns) / unit.units,
                     static_cast<double>(rows + columns) / unit.loads, static_cast<double>(unit.latency)});
}

std::int64_t Machine::bytesOfThread(const MemoryLevel &level) const
{
    int physical = 0;
    for (const CoreKind &kind : cores)
        physical += kind.cores;
    const int ofCore = physical > 0 && threads > physical ? (threads + physical - 1) / physical : 1;
    const int sharing = std::min(level.sharers, std::max(1, threads)) * ofCore;
    return level.bytes / std::max(1, sharing);
}

double Machine::imbalance(std::int64_t count) const
{
    const std::int64_t most = (std::max<std::int64_t>(1, count) + threads - 1) / threads;
    return static_cast<double>(most * threads) / static_cast<double>(std::max<std::int64_t>(1, count));
}

void fitSizes(Machine &machine)
{
    // Found with a first cache of 48 KiB and a second of 2 MiB (Sapphire Rapids), and best with 32 KiB and
    // 1 MiB too (Zen 4), where sizes in proportion halved the speed of convolutions. Smaller caches get a
    // share.
    constexpr std::int64_t enoughFirst = 32 * kilobyte, enoughSecond = megabyte, enoughLast = 32 * megabyte;
    const Machine known;
    const auto shareOf = [](std::int64_t size, std::int64_t cache, std::int64_t enough) {
        return cache >= enough ? size : std::max<std::int64_t>(1, size * cache / enough);
    };
    machine.vectors.sums = machine.vectors.registers * 3 / 4;
    if (!machine.levels.empty() && machine.levels[0].bytes > 0) {
        const MemoryLevel &first = machine.levels[0];
        machine.first.sets = std::max<std::int64_t>(1, first.sets());
        machine.first.waysOfTile = std::max<std::int64_t>(1, first.ways * 2 / 3);
        for (const auto size :
             {&Machine::FirstCache::tile, &Machine::FirstCache::columns, &Machine::FirstCache::manyColumns,
              &Machine::FirstCache::matrix, &Machine::FirstCache::fetchedRow, &Machine::FirstCache::ahead})
            machine.first.*size = shareOf(known.first.*size, machine.bytesOfThread(first), enoughFirst);
    }
    if (machine.levels.size() > 1 && machine.levels[1].bytes > 0) {
        for (const auto size :
             {&Machine::SecondCache::kept, &Machine::SecondCache::passing, &Machine::SecondCache::rows})
            machine.second.*size =
                shareOf(known.second.*size, machine.bytesOfThread(machine.levels[1]), enoughSecond);
    }
    if (machine.levels.size() > 2 && machine.levels[2].bytes > 0) {
        for (const auto size : {&Machine::LastCache::results, &Machine::LastCache::inputs})
            machine.last.*size = shareOf(known.last.*size, machine.levels[2].bytes, enoughLast);
    }
}

const Machine &tunedMachine()
{
    static const Machine machine = [] {
        Machine made;
        made.levels = {{"L1", 48 * kilobyte, 0, 12}, {"L2", 2 * megabyte, 0, 16}};
        fitSizes(made);
        return made;
    }();
    return machine;
}

} // namespace nestwright::target
