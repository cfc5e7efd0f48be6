// SPDX-License-Identifier: Apache-2.0
/// Limits of the multiprocessors of NVIDIA's GPUs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace nestwright::target {

/// Limits of a multiprocessor, from NVIDIA's CUDA C++ Programming Guide, "Compute Capabilities".
struct Multiprocessor {
    std::string_view architecture;
    std::string_view devices;    ///< some that have it: "H100, H200"
    int warps, blocks;           ///< that are resident at most
    std::int64_t registers;      ///< of 32 bits
    std::int64_t sharedBytes;    ///< of all blocks
    std::int64_t sharedOfBlock;  ///< bytes that one block may have
    std::int64_t sharedReserved; ///< bytes that the system takes for each block
};

/// Bytes of arrays that a kernel may have of itself; more are asked for when it is launched.
inline constexpr std::int64_t sharedOfKernel = std::int64_t{48} * 1024;

/// Bytes that a thread loads or stores at once, the most first (CUDA C++ Programming Guide, "Device Memory
/// Accesses"). Memories of kernels begin at multiples of the most.
inline constexpr std::array accessBytes{16, 8, 4};

std::span<const Multiprocessor> multiprocessors();
/// "sm_90", "sm_90a", …; null where its limits are not known.
const Multiprocessor *multiprocessorOf(std::string_view architecture);

} // namespace nestwright::target
