// SPDX-License-Identifier: Apache-2.0
/// Files whose pages are read when they are touched: gigabytes of weights cost neither time nor memory until
/// somebody needs them.
#pragma once

#include "core/support/input_file.h"

#include <memory>

namespace nestwright::support {

/// A file in memory. What is written there stays in this process. A page that cannot be read any more,
/// because somebody cut the file off, reads as zeros: the process goes on, and `missingPages` counts it.
class MappedFile {
public:
    /// The same mapping for everybody who asks for that file, as long as one of them has it; null where the
    /// system has no room for it.
    static std::shared_ptr<MappedFile> share(const InputFile &file);

    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    std::span<std::byte> bytes() const { return m_bytes; }

private:
    MappedFile(std::span<std::byte> bytes, std::size_t place) : m_bytes(bytes), m_place(place) {}

    std::span<std::byte> m_bytes;
    std::size_t m_place; ///< among the ranges that the signal's handler knows
};

/// Pages that could not be read so far.
std::uint64_t missingPages();

} // namespace nestwright::support
