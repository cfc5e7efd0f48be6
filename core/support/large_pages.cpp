// SPDX-License-Identifier: Apache-2.0
#include "core/support/large_pages.h"

#include <sys/mman.h>

namespace nestwright::support {

namespace {

constexpr std::size_t largePage = std::size_t{2} << 20;

std::align_val_t alignmentOf(std::size_t bytes, std::size_t alignment)
{
    return std::align_val_t(bytes < leastForLargePages ? alignment : largePage);
}

} // namespace

void *allocateLarge(std::size_t bytes, std::size_t alignment)
{
    void *memory = ::operator new(bytes, alignmentOf(bytes, alignment));
    if (bytes >= leastForLargePages)
        madvise(memory, bytes, MADV_HUGEPAGE); // a wish: without it pages are small
    return memory;
}

void freeLarge(void *memory, std::size_t bytes, std::size_t alignment) noexcept
{
    ::operator delete(memory, bytes, alignmentOf(bytes, alignment));
}

} // namespace nestwright::support
