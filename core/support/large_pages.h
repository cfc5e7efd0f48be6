// SPDX-License-Identifier: Apache-2.0
/// Memory for large arrays in large pages, where the system gives them to those who ask: kernels then miss
/// fewer translations of addresses.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace nestwright::support {

/// Bytes that fill half a page of 2 MB. Less in one would waste more memory than it gains: clearing 256 small
/// pages one by one takes four times as long as a large one.
inline constexpr std::size_t leastForLargePages = std::size_t{1} << 20;

/// Memory of that size and alignment (at most that of a page), all zero; from leastForLargePages on in large
/// pages. Throws std::bad_alloc.
void *allocateLarge(std::size_t bytes, std::size_t alignment);
void freeLarge(void *memory, std::size_t bytes, std::size_t alignment) noexcept;

/// An allocator for containers of plain bytes, whose elements are zero without being written.
template <class T> struct LargePageAllocator {
    using value_type = T; // NOLINT(readability-identifier-naming): the library's own

    LargePageAllocator() = default;
    template <class U> LargePageAllocator(const LargePageAllocator<U> &) {}

    T *allocate(std::size_t count) { return static_cast<T *>(allocateLarge(count * sizeof(T), alignof(T))); }
    void deallocate(T *memory, std::size_t count) noexcept
    {
        freeLarge(memory, count * sizeof(T), alignof(T));
    }
    template <class U, class... Arguments> void construct(U *element, Arguments &&...arguments)
    {
        if constexpr (sizeof...(Arguments) > 0)
            std::construct_at(element, std::forward<Arguments>(arguments)...);
    }
    friend bool operator==(const LargePageAllocator &, const LargePageAllocator &) { return true; }
};

} // namespace nestwright::support
