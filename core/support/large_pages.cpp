// SPDX-License-Identifier: Apache-2.0
#include "core/support/large_pages.h"

#include <cstdint>
#include <cstring>
#include <sys/mman.h>

namespace nestwright::support {

namespace {

constexpr std::size_t largePage = std::size_t{2} << 20;

std::size_t inPages(std::size_t bytes) { return (bytes + largePage - 1) / largePage * largePage; }

/// Memory of the system's own, which is zero without being touched.
void *mapLarge(std::size_t bytes)
{
    const std::size_t taken = inPages(bytes) + largePage;
    void *mapped = mmap(nullptr, taken, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        throw std::bad_alloc();
    auto *begin = static_cast<std::byte *>(mapped);
    const std::size_t before = (largePage - reinterpret_cast<std::uintptr_t>(begin) % largePage) % largePage;
    if (before > 0)
        munmap(begin, before);
    munmap(begin + before + inPages(bytes), largePage - before);
    const std::size_t filled = bytes / largePage * largePage;
    const bool isLastFilled = bytes - filled >= leastForLargePages;
    madvise(begin + before, isLastFilled ? inPages(bytes) : filled, MADV_HUGEPAGE); // a wish
    return begin + before;
}

} // namespace

void *allocateLarge(std::size_t bytes, std::size_t alignment)
{
    if (bytes >= leastForLargePages)
        return mapLarge(bytes);
    return std::memset(::operator new(bytes, std::align_val_t(alignment)), 0, bytes);
}

void freeLarge(void *memory, std::size_t bytes, std::size_t alignment) noexcept
{
    if (bytes >= leastForLargePages)
        munmap(memory, inPages(bytes));
    else
        ::operator delete(memory, bytes, std::align_val_t(alignment));
}

} // namespace nestwright::support
