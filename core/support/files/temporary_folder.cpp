// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/temporary_folder.h"

#include "core/support/errors/errors.h"
#include "core/support/errors/system_reason.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nestwright::support {

namespace fs = std::filesystem;

namespace {

// A folder NAME stands beside its lock NAME.lock, which is made before it and removed after it: whenever its
// process is killed, the lock is left, and tells what to remove.
constexpr std::string_view prefix = "nestwright-tmp-", lockSuffix = ".lock";

enum class Lock : std::uint8_t { Held, Lost, Unknown }; ///< Unknown: the file system has no locks

/// Takes the lock `handle`, open at `path`; another process may have it, or have removed it.
Lock take(int handle, const fs::path &path)
{
    if (flock(handle, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? Lock::Lost : Lock::Unknown;
    struct stat held{}, there{};
    const bool stands = fstat(handle, &held) == 0 && lstat(path.c_str(), &there) == 0
                        && held.st_dev == there.st_dev && held.st_ino == there.st_ino;
    return stands ? Lock::Held : Lock::Lost;
}

fs::path lockOf(const fs::path &folder) { return folder.string() + std::string(lockSuffix); }

/// Removes a folder and then its lock. False where a part of it is left.
bool removeWithLock(const fs::path &folder)
{
    std::error_code error;
    fs::remove_all(folder, error);
    return !error && unlink(lockOf(folder).c_str()) == 0;
}

/// Parent of temporary folders. Not temp_directory_path(), whose error does not name the folder.
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
        const fs::path &lock = entry.path();
        const std::string name = lock.filename().string();
        if (!name.starts_with(prefix) || !name.ends_with(lockSuffix))
            continue;
        const int handle = open(lock.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (handle < 0)
            continue;
        struct stat info{};
        const bool isOwn = fstat(handle, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
        if (isOwn && take(handle, lock) == Lock::Held && removeWithLock(fs::path(lock).replace_extension()))
            ++removed;
        close(handle);
    }
    return removed;
}

TemporaryFolder::TemporaryFolder()
{
    const fs::path parent = parentFolder();
    static std::once_flag swept;
    std::call_once(swept, [&] { sweepTemporaryFolders(parent); });
    for (;;) {
        std::string lock = lockOf(parent / (std::string(prefix) + "XXXXXX")).string();
        m_handle = mkostemps(lock.data(), static_cast<int>(lockSuffix.size()), O_CLOEXEC);
        m_path = fs::path(lock).replace_extension();
        if (m_handle >= 0 && take(m_handle, lock) == Lock::Lost) { // to a sweep, which removes it
            close(m_handle);
            continue;
        }
        if (m_handle >= 0 && mkdir(m_path.c_str(), S_IRWXU) == 0)
            return;
        const int reason = errno;
        if (m_handle >= 0) {
            unlink(lock.c_str());
            close(m_handle);
        }
        if (reason != EEXIST)
            throw UserError(
                diagnostic("backend.files",
                           "no temporary folder can be made: '" + m_path.string() + "': " + reasonOf(reason))
                    .withHint(remedyOf(reason, "free some space there, or set TMPDIR to another folder")));
    }
}

TemporaryFolder::~TemporaryFolder()
{
    removeWithLock(m_path);
    close(m_handle);
}

} // namespace nestwright::support
