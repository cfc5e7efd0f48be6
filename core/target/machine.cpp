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

void fitSizes(Machine &machine)
{
    machine.vectors.sums = machine.vectors.registers * 3 / 4;
    if (!machine.levels.empty() && machine.levels[0].bytes > 0) {
        const MemoryLevel &first = machine.levels[0];
        machine.first.sets = std::max<std::int64_t>(1, first.sets());
        machine.first.waysOfTile = std::max<std::int64_t>(1, first.ways * 2 / 3);
        machine.first.tile = first.bytes / 3;
        machine.first.columns = first.bytes * 5 / 12;
        machine.first.manyColumns = first.bytes * 7 / 3;
        machine.first.matrix = first.bytes / 3;
        machine.first.fetchedRow = first.bytes / 3;
        machine.first.ahead = first.bytes / 6;
    }
    if (machine.levels.size() > 1 && machine.levels[1].bytes > 0) {
        const std::int64_t second = machine.levels[1].bytes;
        machine.second = {.kept = second / 4, .passing = second / 2, .rows = second / 16};
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
