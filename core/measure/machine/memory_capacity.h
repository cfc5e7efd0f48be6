// SPDX-License-Identifier: Apache-2.0
/// The bytes that levels of the memory hold.
#pragma once

#include "core/measure/machine/machine_peak.h"

namespace nestwright::measure {

/// Bytes that a level holds for all threads together, whose parts are each in the caches of their own core;
/// 0 for DRAM, which holds all.
inline double capacityOf(const MachinePeak &peak, const target::MemoryLevel &level)
{
    const bool isOfOneCore = !peak.isGpu && (level.name == "L1" || level.name == "L2");
    return static_cast<double>(level.bytes) * (isOfOneCore ? peak.threads : 1);
}

} // namespace nestwright::measure
