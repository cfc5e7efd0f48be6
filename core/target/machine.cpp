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

const Machine &tunedMachine()
{
    static const Machine machine;
    return machine;
}

} // namespace nestwright::target
