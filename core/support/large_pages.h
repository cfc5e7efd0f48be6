// SPDX-License-Identifier: Apache-2.0
/// Memory for large arrays in large pages, where the system gives them to those who ask: kernels then miss
/// fewer translations of addresses.
#pragma once

#include <cstddef>
#include <memory>

namespace nestwright::support {

/// Bytes that fill half a page of 2 MB. Less in one would waste more memory than it gains: clearing 256 small
/// pages one by one takes four times as long as a large one.
inline constexpr std::size_t leastForLargePages = std::size_t{1} << 20;

inline constexpr std::size_t memoryAlignment = 64; ///< bytes, for the widest vectors

/// Contents of memory when it is taken.
enum class Contents {
    Zero,
    Any, ///< for those who write all of it
};

/// Bytes of large memory that are kept when they are given back, for whoever takes some next: new pages are
/// cleared by the system, and a virtual machine may have to ask its host for them, which takes ten times as
/// long.
inline constexpr std::size_t mostSpareBytes = std::size_t{64} << 20;

/// Memory of that size, which may be 0, aligned to memoryAlignment; from leastForLargePages on in large
/// pages. Throws std::bad_alloc.
std::shared_ptr<std::byte> takeMemory(std::size_t bytes, Contents contents = Contents::Zero);

} // namespace nestwright::support
