// SPDX-License-Identifier: Apache-2.0
/// The machine that programs are predicted for.
#pragma once

#include "core/measure/machine/machine_peak.h"
#include "core/target/target.h"

namespace nestwright::explore {

struct Machine {
    int threads = 1;                            ///< of parallel loops
    double flops = 1e11;                        ///< float32 operations per second of one thread
    int vectorBits = 256;                       ///< of the widest vectors
    int vectorRegisters = 32;                   ///< of that width
    std::vector<measure::MemoryLevel> levels{}; ///< nearest first, the memory last; rates of one thread
};

/// This machine: as it was measured for this number of threads, else as wide as its processor says and as
/// fast as is usual.
Machine thisMachine(int threads);

/// This machine as code for `target` uses it: with the vectors and registers of the instruction set, which
/// may be those of another processor, and the target's threads.
Machine machineOf(const target::Target &target);

/// Vectors of sums that stay in registers, beside the operands that are multiplied.
int registersOfSums(const Machine &machine);

} // namespace nestwright::explore
