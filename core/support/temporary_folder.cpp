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

constexpr const char *prefix = "nestwright-", *lockName = ".nestwright-lock";

/// A folder that is this user's, and no link to one.
bool isOwnFolder(const fs::path &path)
{
    struct stat info{};
    return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

/// The lock of a folder, held; −1 where somebody else holds it, or where there is none.
int tryLock(const fs::path &folder)
{
    const int lock = open((folder / lockName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        return lock;
    if (lock >= 0)
        close(lock);
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
        const int lock = tryLock(entry.path());
        if (lock < 0)
            continue;
        std::error_code ignored;
        fs::remove_all(entry.path(), ignored);
        removed += ignored ? 0 : 1;
        close(lock);
    }
    return removed;
}

TemporaryFolder::TemporaryFolder()
{
    const fs::path parent = parentFolder();
    static std::once_flag swept;
    std::call_once(swept, [&] { sweepTemporaryFolders(parent); });
    std::string name = (parent / (std::string(prefix) + "XXXXXX")).string();
    if (!mkdtemp(name.data()))
        throw UserError(diagnostic("backend.files",
                                   "no temporary folder can be made: '" + name + "': " + std::strerror(errno))
                            .withHint("free some space there, or set TMPDIR to another folder"));
    m_path = name;
    // Made under another name and locked before it is the lock: nobody finds it without its holder.
    const fs::path made = m_path / "lock";
    m_lock = open(made.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (m_lock >= 0) {
        flock(m_lock, LOCK_EX | LOCK_NB);
        std::error_code ignored; // a folder without a lock is only never swept
        fs::rename(made, m_path / lockName, ignored);
    }
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
    if (m_lock >= 0)
        close(m_lock);
}

} // namespace nestwright::support
