// SPDX-License-Identifier: Apache-2.0
/// Files from outside: regular ones only, so that no FIFO or device makes a reader wait, or read without end.
#pragma once

#include "core/support/errors/limits.h"
#include "core/support/errors/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nestwright::support {

/// How the path of a file below a folder is followed.
enum class PathWalk {
    Kernel, ///< by openat2, or by steps where the system has no such call
    Steps,  ///< folder by folder
};

class InputFile {
public:
    /// Errors: "open.no-file", "open.unreadable" (no right to, a folder), "open.not-regular" (a FIFO, a
    /// device, a socket).
    static Result<InputFile> open(const std::string &path);
    /// A file that another file names. Errors as above, and "open.outside" for files outside `folder`, and
    /// for symbolic links on the way from there.
    static Result<InputFile> openBelow(const std::string &folder, const std::string &path,
                                       PathWalk walk = PathWalk::Kernel);

    InputFile(InputFile &&other) noexcept;
    InputFile &operator=(InputFile &&other) noexcept;
    ~InputFile();

    const std::string &path() const { return m_path; }
    std::uint64_t size() const { return m_size; } ///< bytes
    int descriptor() const { return m_descriptor; }

    /// Fills `into` from `offset` on. Error: "open.unreadable", also where the file ends before.
    Result<void> read(std::uint64_t offset, std::span<std::byte> into) const;

private:
    InputFile(std::string path, int descriptor, std::uint64_t size)
        : m_path(std::move(path))
        , m_descriptor(descriptor)
        , m_size(size)
    {
    }
    static Result<InputFile> checked(std::string path, int descriptor);

    std::string m_path;
    int m_descriptor = -1;
    std::uint64_t m_size = 0;
};

/// Standard input ("-", "/dev/stdin") and descriptors that the shell passes on ("/dev/fd/63"): the one way to
/// give a pipe.
bool isStream(std::string_view path);

/// The whole of a file, or of a stream until it ends. Errors: those of InputFile::open, and "open.too-large"
/// above `most` bytes.
Result<std::string> readText(const std::string &path, std::size_t most = limits::textBytes);

} // namespace nestwright::support
