// SPDX-License-Identifier: Apache-2.0
#include "core/support/temporary_folder.h"

#include "core/support/errors.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nestwright::support {

namespace fs = std::filesystem;

namespace {

constexpr const char *prefix = "nestwright-tmp-"; // with it, every folder is one of ours, also a torn one

/// A folder that is this user's, and no link to one.
bool isOwnFolder(const fs::path &path)
{
    struct stat info{};
    return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

/// Holds a folder until the handle is closed, which the system does for a process that is killed. −1 with
/// errno EWOULDBLOCK where somebody else holds it, ENOENT where it was taken away.
int holdFolder(const fs::path &folder)
{
    const int handle = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (handle < 0)
        return -1;
    struct stat held{}, there{};
    if (flock(handle, LOCK_EX | LOCK_NB) == 0) {
        if (fstat(handle, &held) == 0 && lstat(folder.c_str(), &there) == 0 && held.st_dev == there.st_dev
            && held.st_ino == there.st_ino)
            return handle;
        errno = ENOENT;
    }
    const int reason = errno;
    close(handle);
    errno = reason;
    return -1;
}

/// Not temp_directory_path(), whose error does not name the folder.
fs::path parentFolder()
{
    const char *chosen = std::getenv("TMPDIR");
    fs::path parent = chosen && *chosen ? chosen : "/tmp";
    std::error_code error;
    if (!fs::is_directory(parent, error))
        throw UserError(
            diagnostic("backend.files",
                       "the folder for temporary files, '" + parent.string() + "', is not there")
                .withHint("set TMPDIR to a folder that exists, may be written to and has some space"));
    return parent;
}

} // namespace

int sweepTemporaryFolders(const fs::path &parent)
{
    int removed = 0;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(parent, error)) {
        if (!entry.path().filename().string().starts_with(prefix) || !isOwnFolder(entry.path()))
            continue;
        const int handle = holdFolder(entry.path());
        if (handle < 0)
            continue;
        std::error_code ignored;
        fs::remove_all(entry.path(), ignored);
        removed += ignored ? 0 : 1;
        close(handle);
    }
    return removed;
}

TemporaryFolder::TemporaryFolder()
{
    const fs::path parent = parentFolder();
    static std::once_flag swept;
    std::call_once(swept, [&] { sweepTemporaryFolders(parent); });
    do {
        std::string name = (parent / (std::string(prefix) + "XXXXXX")).string();
        if (!mkdtemp(name.data()))
            throw UserError(diagnostic("backend.files", "no temporary folder can be made: '" + name
                                                            + "': " + std::strerror(errno))
                                .withHint("free some space there, or set TMPDIR to another folder"));
        m_path = name;
        m_handle = holdFolder(m_path);
        // A sweep of another process met the folder before it was held: the next one. Where the file system
        // has no locks, folders serve without, and are never swept.
    } while (m_handle < 0 && (errno == EWOULDBLOCK || errno == ENOENT));
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
    if (m_handle >= 0)
        close(m_handle);
}

} // namespace nestwright::support
