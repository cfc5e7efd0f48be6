// SPDX-License-Identifier: Apache-2.0
/// The threads of a device: axes that loops are bound to, and the memory that threads share.
#pragma once

#include "core/ir/node/stmt.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace nestwright::ir {

enum class ThreadRank : std::uint8_t {
    Block,   ///< blockIdx: blocks, which never meet
    Thread,  ///< threadIdx: the threads of a block
    Virtual, ///< vthread: copies of the code within one thread
};

inline constexpr std::size_t threadDimensions = 3;
/// Threads that run in step and can exchange values.
inline constexpr std::int64_t warpSize = 32;

struct ThreadAxis {
    ThreadRank rank = ThreadRank::Block;
    std::size_t dimension = 0; ///< x, y, z as 0, 1, 2
    bool operator==(const ThreadAxis &) const = default;
};

/// The axis of that name: "blockIdx.x" … "threadIdx.z", "vthread", "vthread.x" …
std::optional<ThreadAxis> threadAxisOf(std::string_view name);
/// The axis that `loop` is bound to, if it is.
inline std::optional<ThreadAxis> threadAxisOf(const For &loop)
{
    return loop.forKind == ForKind::ThreadBinding ? threadAxisOf(loop.thread) : std::nullopt;
}
inline bool isBoundTo(const For &loop, ThreadRank rank)
{
    const std::optional<ThreadAxis> axis = threadAxisOf(loop);
    return axis && axis->rank == rank;
}

/// Whether all threads of a block wait for each other there.
bool isBarrier(const Stmt &s);

/// Who sees a memory, from all threads to one.
enum class MemoryRank : std::uint8_t {
    Device, ///< "global"
    Block,  ///< "shared", "shared.dyn"
    Warp,   ///< "warp"
    Thread, ///< "local", registers of matrix units
};
MemoryRank memoryRankOf(std::string_view scope);

} // namespace nestwright::ir
