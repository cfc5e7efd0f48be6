// SPDX-License-Identifier: Apache-2.0
/// The machine that programs are predicted for.
#pragma once

#include "core/measure/machine_peak.h"

namespace nestwright::explore {

struct Machine {
    int threads = 1;                            ///< of parallel loops
    double flops = 1e11;                        ///< float32 operations per second of one thread
    int vectorBits = 256;                       ///< of the widest vectors
    std::vector<measure::MemoryLevel> levels{}; ///< nearest first, the memory last; rates of one thread
};

/// This machine: as it was measured for this number of threads, else as wide as its processor says and as
/// fast as is usual.
Machine thisMachine(int threads);

} // namespace nestwright::explore
