// SPDX-License-Identifier: Apache-2.0
#include "core/measure/sandbox/guarded_array.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace nestwright::measure {

namespace {

constexpr std::size_t guardBytes = std::size_t{1} << 20; ///< on either side: rows behind lie in them, too

std::size_t roundedUp(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

} // namespace

void Margins::fill(std::byte pattern) const
{
    std::ranges::fill(before, pattern);
    std::ranges::fill(behind, pattern);
}

Side Margins::written(std::byte pattern) const
{
    const auto isOther = [&](std::byte b) { return b != pattern; };
    if (std::ranges::any_of(behind, isOther))
        return Side::Behind;
    return std::ranges::any_of(before, isOther) ? Side::Before : Side::None;
}

GuardedArray guardedArray(const ir::NdArray &like)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = like.byteCount(), aligned = roundedUp(bytes, ir::NdArray::alignment);
    const std::size_t inside = roundedUp(aligned, page), guard = roundedUp(guardBytes, page),
                      all = inside + 2 * guard;
    void *mapped = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
        throw std::bad_alloc();
    std::shared_ptr<void> keeper(mapped, [all](void *memory) { munmap(memory, all); });
    std::byte *first = static_cast<std::byte *>(mapped) + guard, *data = first + (inside - aligned);
    if (inside > 0 && mprotect(first, inside, PROT_READ | PROT_WRITE) != 0)
        throw std::bad_alloc();
    return {ir::NdArray(like.dtype(), like.shape(), data, std::move(keeper)),
            {std::span(first, data), std::span(data + bytes, data + aligned)}};
}

} // namespace nestwright::measure
