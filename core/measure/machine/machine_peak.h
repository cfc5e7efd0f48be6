// SPDX-License-Identifier: Apache-2.0
/// The peaks of a machine: multiply-add throughput and the bandwidth of each memory level.
#pragma once

#include "core/support/errors/result.h"
#include "core/support/text/json_fwd.h"
#include "core/target/machine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::measure {

struct MachinePeak {
    std::string processor; ///< model name of the CPU or the GPU, part of the cache key
    bool isGpu = false;
    bool isOfDataSheet = false; ///< of the GPU `processor`, which is not here
    int threads = 1;            ///< of a CPU
    double float32Flops = 0;    ///< per second, all threads; a multiply-add is two operations
    double float64Flops = 0;    ///< 0 where it is not known
    double tensorFlops = 0; ///< of a GPU's tensor cores in half precision, by its data sheet; 0: none known
    std::vector<target::MemoryLevel> levels; ///< nearest first; rates of all threads together
    bool disturbed = false; ///< other programs kept the machine busy meanwhile: it may be able to do more
};

/// One axis of a roofline: attainable FLOP/s at `intensity` (FLOPs per byte of that level).
double attainable(const MachinePeak &peak, const target::MemoryLevel &level, double intensity);

/// Operations and bytes: those of some work, or those of a machine in one second.
struct Throughput {
    double flops = 0, bytes = 0;
};

/// The share of the machine's roofline at this intensity that `work` reaches when it takes `seconds`, 0 … 1;
/// nothing where that is not known.
std::optional<double> peakFraction(const Throughput &work, double seconds, const Throughput &perSecond);

/// The share of the roof that a kernel reaches: of arithmetic, or of the memory that holds its bytes where it
/// has no floating-point operations; 0 where neither is known.
double roofShare(const Throughput &work, double seconds, const MachinePeak &peak);

/// Whether moving its data takes the work longer than computing.
bool isMemoryBound(const Throughput &work, const Throughput &perSecond);

/// The higher of each figure of two measurements of one machine.
MachinePeak higherOf(const MachinePeak &a, const MachinePeak &b);

/// Whether `cores` cores were not one for each thread: what they do together is nearer to half of so many
/// times what one does alone. Both in operations per second.
bool shareCores(double alone, double together, int cores);

/// Measures for about three seconds with the widest vectors the CPU has. Run it in the worker, on a quiet
/// machine: it waits up to three seconds for one, and as long again for a core for each thread.
MachinePeak measureMachinePeak(int threads);

support::Json toJson(const MachinePeak &peak);
support::Result<MachinePeak> machinePeakFromJson(const support::Json &value);

/// The peak measured earlier for this CPU and number of threads, or for a GPU by its name, if it is in the
/// user's cache.
support::Result<MachinePeak> loadCachedPeak(int threads);
support::Result<MachinePeak> loadCachedPeak(const std::string &gpu);
/// Keeps the higher of each figure there and in `peak`. Best effort: a cache that cannot be written is no
/// error. A disturbed one is not kept.
void storeCachedPeak(const MachinePeak &peak);

} // namespace nestwright::measure
