// SPDX-License-Identifier: Apache-2.0
#include "core/support/deferred_memory.h"

#include "core/support/large_pages.h"

#include <cstring>
#include <utility>

namespace nestwright::support {

DeferredMemory::DeferredMemory(const std::byte *source, std::size_t bytes, std::shared_ptr<const void> keeper)
    : m_source(std::move(keeper), source)
    , m_byteCount(bytes)
{
}

std::byte *DeferredMemory::fill()
{
    const std::scoped_lock lock(m_mutex);
    if (!m_copy) {
        m_copy = takeMemory(m_byteCount, Contents::Any);
        std::memcpy(m_copy.get(), m_source.get(), m_byteCount);
        m_source.reset();
        m_filled.store(m_copy.get(), std::memory_order_release);
    }
    return m_copy.get();
}

std::shared_ptr<const std::byte> DeferredMemory::source() const
{
    const std::scoped_lock lock(m_mutex);
    return m_copy ? m_copy : m_source;
}

} // namespace nestwright::support
