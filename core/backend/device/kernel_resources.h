// SPDX-License-Identifier: Apache-2.0
/// Resources that a GPU's kernel takes of a multiprocessor, and how many of its blocks run there side by
/// side.
#pragma once

#include "core/target/multiprocessor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nestwright::backend {

struct KernelResources {
    std::string kernel;
    std::string architecture;     ///< "sm_90"
    int registers = 0;            ///< of a thread
    std::int64_t spillStores = 0; ///< bytes of a thread that registers had no room for
    std::int64_t spillLoads = 0;  ///< bytes
    std::int64_t stackBytes = 0;  ///< of a thread, arrays that are no registers among them
    std::int64_t sharedBytes = 0; ///< of a block
    int barriers = 0;             ///< of the hardware's
    std::int64_t threads = 0;     ///< in a block; 0 where the program does not say
    bool operator==(const KernelResources &) const = default;
};

/// Whether machine code for `architecture` runs on a GPU of the architecture `gpu`: of the same generation,
/// and no older. NVIDIA's CUDA C++ Programming Guide, "Binary Compatibility".
bool runsOn(std::string_view architecture, std::string_view gpu);

enum class OccupancyLimit : std::uint8_t { Warps, Blocks, Registers, SharedMemory };

/// Number of blocks of a kernel resident on one multiprocessor.
struct Occupancy {
    int blocks = 0;                               ///< 0: none fits
    int warps = 0;                                ///< of those blocks
    int mostWarps = 0;                            ///< that the multiprocessor could hold
    OccupancyLimit limit = OccupancyLimit::Warps; ///< what one more block would exceed
    /// Registers of a thread, or bytes of shared memory of a block, with which one more block would fit;
    /// where `limit` is one of the two.
    std::optional<std::int64_t> forOneMore;
};
/// `resources.threads` must be positive. The rules are those of NVIDIA's occupancy calculator: registers are
/// given to warps in units of 256, four warps at a time, shared memory to blocks in units of 128 bytes.
Occupancy occupancyOf(const KernelResources &resources, const target::Multiprocessor &multiprocessor);
/// On the multiprocessor of `resources.architecture`; nothing where its limits or the threads are not known.
std::optional<Occupancy> occupancyOf(const KernelResources &resources);
/// "48 registers, 8192 bytes shared", and what is spilled.
std::string resourcesText(const KernelResources &resources);
/// "warps", "blocks", "registers", "shared-memory".
std::string_view limitName(OccupancyLimit limit);
/// "2 blocks of 256 threads run side by side, 16 of 64 warps; with 80 registers instead of 128 one more
/// would".
std::string occupancySentence(const KernelResources &resources, const Occupancy &occupancy);

} // namespace nestwright::backend
