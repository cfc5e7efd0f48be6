// SPDX-License-Identifier: Apache-2.0
/// The one way in which files are written: whole or not at all, whoever else writes them and whenever the
/// power goes.
#pragma once

#include "core/support/errors/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace nestwright::support {

/// A file as it was when it was read or written: whether somebody else has changed it since.
struct FileStamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modified = 0; ///< nanoseconds
    std::uint64_t content = 0; ///< checksum of the bytes

    bool operator==(const FileStamp &) const = default;
};

/// The stamp of the file behind `path`, links followed, without its content: taken before the file is read,
/// so that a change in between is noticed later. None where there is no regular file.
std::optional<FileStamp> stampOf(const std::filesystem::path &path);

/// Whether the file holds other bytes than when the stamp was taken. A file that was touched, moved away and
/// back, or removed holds no others.
bool isChanged(const std::filesystem::path &path, const FileStamp &stamp);

struct AtomicWrite {
    bool durable = true;               ///< waits until the disk has it; caches need not
    std::optional<FileStamp> before{}; ///< refuse to replace a file that is another by now
};

/// Replaces a file in one go, or makes it. The bytes go to a file of their own in the same folder,
/// ".NAME.nestwright-…", which takes the name when it is whole; permissions and owner of the file there are
/// kept, symbolic links too. Writers of this program in one folder wait for each other. Devices, pipes and
/// files of /proc are written through, as they cannot be replaced. Errors: "file.write" (the old file is as
/// it was or, where only its folder could not be synced, the new one is there); "file.changed" with `before`.
Result<FileStamp> writeAtomically(const std::filesystem::path &path, std::string_view bytes,
                                  const AtomicWrite &how = {});

} // namespace nestwright::support
