// SPDX-License-Identifier: Apache-2.0
#include "core/support/large_pages.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>

namespace nestwright::support {

namespace {

constexpr std::size_t largePage = std::size_t{2} << 20;

std::size_t inPages(std::size_t bytes) { return (bytes + largePage - 1) / largePage * largePage; }

/// Whole large pages of the system's own, which are zero without being touched.
std::byte *mapLarge(std::size_t bytes)
{
    const std::size_t taken = bytes + largePage;
    void *mapped = mmap(nullptr, taken, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        throw std::bad_alloc();
    auto *begin = static_cast<std::byte *>(mapped);
    const std::size_t before = (largePage - reinterpret_cast<std::uintptr_t>(begin) % largePage) % largePage;
    if (before > 0)
        munmap(begin, before);
    munmap(begin + before + bytes, largePage - before);
    return begin + before;
}

/// Wishes for large pages, but for a last one that would be less than half full.
void adviseLarge(std::byte *memory, std::size_t bytes)
{
    const std::size_t filled = bytes / largePage * largePage;
    const bool isLastFilled = bytes - filled >= leastForLargePages;
    madvise(memory, isLastFilled ? inPages(bytes) : filled, MADV_HUGEPAGE);
}

/// Memory that was given back, in blocks of whole large pages.
class SpareBlocks {
public:
    /// The begin of the smallest block that is large enough; its rest stays. Null where there is none.
    std::byte *take(std::size_t bytes)
    {
        const std::scoped_lock lock(m_mutex);
        const auto found = m_blocks.lower_bound(bytes);
        if (found == m_blocks.end())
            return nullptr;
        auto block = m_blocks.extract(found);
        std::byte *memory = block.mapped();
        m_bytes -= bytes;
        if (block.key() > bytes) {
            block.key() -= bytes;
            block.mapped() += bytes;
            m_blocks.insert(std::move(block));
        }
        return memory;
    }

    /// Keeps a block; where there are too many, the smallest go.
    void give(std::byte *memory, std::size_t bytes) noexcept
    {
        const std::scoped_lock lock(m_mutex);
        while (m_bytes + bytes > mostSpareBytes && !m_blocks.empty())
            unmapSmallest();
        try {
            if (bytes <= mostSpareBytes) {
                m_blocks.emplace(bytes, memory);
                m_bytes += bytes;
                return;
            }
        } catch (const std::bad_alloc &) { // NOLINT(bugprone-empty-catch): the system gets it
        }
        munmap(memory, bytes);
    }

private:
    void unmapSmallest()
    {
        const auto smallest = m_blocks.begin();
        munmap(smallest->second, smallest->first);
        m_bytes -= smallest->first;
        m_blocks.erase(smallest);
    }

    std::mutex m_mutex;
    std::multimap<std::size_t, std::byte *> m_blocks; ///< by their bytes
    std::size_t m_bytes = 0;
};

/// Lives as long as the process: arrays may be given back at its very end.
SpareBlocks &spareBlocks()
{
    static auto &blocks = *new SpareBlocks;
    return blocks;
}

} // namespace

std::shared_ptr<std::byte> takeMemory(std::size_t bytes, Contents contents)
{
    if (bytes < leastForLargePages) {
        constexpr auto alignment = std::align_val_t(memoryAlignment);
        auto *memory = static_cast<std::byte *>(::operator new(bytes, alignment));
        if (contents == Contents::Zero)
            std::memset(memory, 0, bytes);
        return {memory, [](std::byte *taken) { ::operator delete(taken, alignment); }};
    }
    const std::size_t whole = inPages(bytes);
    std::byte *memory = spareBlocks().take(whole);
    const bool isNew = !memory;
    if (isNew)
        memory = mapLarge(whole);
    adviseLarge(memory, bytes);
    if (!isNew && contents == Contents::Zero)
        std::memset(memory, 0, bytes);
    return {memory, [whole](std::byte *taken) { spareBlocks().give(taken, whole); }};
}

} // namespace nestwright::support
