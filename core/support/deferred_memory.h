// SPDX-License-Identifier: Apache-2.0
/// Bytes that are copied when somebody first asks for them: most weights of a model are only read to be laid
/// out anew, and need no place in memory before.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

namespace nestwright::support {

/// May be asked from several threads.
class DeferredMemory {
public:
    /// `source`, of any alignment, has that many bytes, and is kept by `keeper` until they are copied.
    DeferredMemory(const std::byte *source, std::size_t bytes, std::shared_ptr<const void> keeper);

    /// The copy, aligned to memoryAlignment. Throws std::bad_alloc.
    std::byte *bytes()
    {
        std::byte *const filled = m_filled.load(std::memory_order_acquire);
        return filled ? filled : fill();
    }
    /// Address of the bytes: the copy or, before there is one, its source.
    std::shared_ptr<const std::byte> source() const;

private:
    std::byte *fill();

    mutable std::mutex m_mutex;
    std::shared_ptr<const std::byte> m_source; ///< null once they are copied
    std::size_t m_byteCount;
    std::shared_ptr<std::byte> m_copy;
    std::atomic<std::byte *> m_filled = nullptr; ///< the copy, for those who need no lock
};

} // namespace nestwright::support
