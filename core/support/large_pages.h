// SPDX-License-Identifier: Apache-2.0
/// Memory for large arrays in large pages, where the system gives them to those who ask: kernels then miss
/// fewer translations of addresses.
#pragma once

#include <cstddef>
#include <new>

namespace nestwright::support {

/// Bytes of arrays that fill a page of 2 MB; smaller ones would waste more than they gain.
inline constexpr std::size_t leastForLargePages = std::size_t{2} << 20;

/// Memory of that size and alignment, from leastForLargePages on in large pages. Throws std::bad_alloc.
void *allocateLarge(std::size_t bytes, std::size_t alignment);
void freeLarge(void *memory, std::size_t bytes, std::size_t alignment) noexcept;

/// An allocator for containers.
template <class T> struct LargePageAllocator {
    using value_type = T; // NOLINT(readability-identifier-naming): the library's own

    LargePageAllocator() = default;
    template <class U> LargePageAllocator(const LargePageAllocator<U> &) {}

    T *allocate(std::size_t count) { return static_cast<T *>(allocateLarge(count * sizeof(T), alignof(T))); }
    void deallocate(T *memory, std::size_t count) noexcept
    {
        freeLarge(memory, count * sizeof(T), alignof(T));
    }
    friend bool operator==(const LargePageAllocator &, const LargePageAllocator &) { return true; }
};

} // namespace nestwright::support
