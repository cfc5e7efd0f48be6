// SPDX-License-Identifier: Apache-2.0
/// A file descriptor that is closed with its owner.
#pragma once

#include <cerrno>
#include <unistd.h>
#include <utility>

namespace nestwright::support {

class Descriptor {
public:
    explicit Descriptor(int number) : m_number(number) {}
    ~Descriptor()
    {
        const int error = errno; // of a call before, which its caller asks for
        reset(-1);
        errno = error;
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int get() const { return m_number; }
    int release() { return std::exchange(m_number, -1); }
    void reset(int number)
    {
        if (m_number >= 0)
            ::close(m_number);
        m_number = number;
    }
    /// False, with errno set: some file systems say only now that they had no room.
    [[nodiscard]] bool close() { return ::close(release()) == 0 || errno == EINTR; }

private:
    int m_number;
};

} // namespace nestwright::support
