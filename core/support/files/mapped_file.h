// SPDX-License-Identifier: Apache-2.0
/// Files whose pages are read when they are touched: gigabytes of weights cost neither time nor memory until
/// somebody needs them.
#pragma once

#include "core/support/files/input_file.h"

#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace nestwright::support {

/// A file in memory. What is written there stays in this process. Where somebody cuts the file off, the pages
/// behind its end read as zeros, so that the process goes on; whoever computed with it asks afterwards
/// whether it is still what it was.
class MappedFile {
public:
    /// The same mapping for everybody who asks for that file, as long as one of them has it; null where the
    /// system has no room for it.
    static std::shared_ptr<MappedFile> share(const InputFile &file);

    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    std::span<std::byte> bytes() const { return m_bytes; }
    const std::string &path() const { return m_path; }
    /// Whether the file was changed, or taken away, since it was mapped.
    bool isChanged() const;

private:
    MappedFile() = default;

    std::string m_path;
    /// Device, number, size and time of the last change.
    std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t, std::int64_t> m_key;
    std::span<std::byte> m_bytes;
    std::size_t m_place = 0; ///< among the ranges that the signal's handler knows
};

/// All that somebody still has.
std::vector<std::shared_ptr<const MappedFile>> mappedFiles();

} // namespace nestwright::support
