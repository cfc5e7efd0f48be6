// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/atomic_file.h"

#include "core/support/errors/codes.h"
#include "core/support/errors/stop.h"
#include "core/support/errors/system_reason.h"
#include "core/support/files/checksum.h"
#include "core/support/files/descriptor.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <format>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace nestwright::support {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view mark = ".nestwright-"; // in names of files that are being written
constexpr std::size_t randomDigits = 12, longestName = 255;
constexpr std::chrono::seconds patience(2); // with somebody else who writes into the folder
constexpr std::chrono::seconds orphanAge(60);

/// A system call that failed.
struct Failure {
    int error;
};

int checked(int result)
{
    if (result < 0)
        throw Failure{errno};
    return result;
}

void closeWritten(Descriptor &file)
{
    if (!file.close())
        throw Failure{errno};
}

FileStamp stampFrom(const struct stat &status)
{
    return {.device = status.st_dev,
            .inode = status.st_ino,
            .size = static_cast<std::uint64_t>(status.st_size),
            .modified = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec};
}

void writeAll(int file, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR)
            throw Failure{errno};
        bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
}

void sync(int file)
{
    if (::fsync(file) < 0 && errno != EINVAL && errno != ENOTSUP && errno != EBADF) // no such thing there
        throw Failure{errno};
}

std::string remedyFor(int error, const fs::path &path)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT: return "free some space there, or choose another folder";
    case EACCES:
    case EPERM:
    case EROFS: return "choose a folder that you may write to";
    case ENOENT: return "make the folder '" + path.parent_path().string() + "' first, or choose another";
    case EISDIR: return "give the name of a file in it";
    case EMFILE:
    case ENFILE: return "close some programs, then try again";
    default: return "choose another folder";
    }
}

std::unexpected<Diagnostic> cannotWrite(const fs::path &path, int error)
{
    return fail(diagnostic("file.write", "'" + path.string() + "' cannot be written: " + reasonOf(error))
                    .withHint(remedyOf(error, remedyFor(error, path))));
}

/// The file that `path` names when links are followed, also where it is not there yet. None where it lies in
/// /proc, whose links are no names.
std::optional<fs::path> target(fs::path path)
{
    constexpr int mostLinks = 40;
    for (int i = 0; i < mostLinks; ++i) {
        if (path.string().starts_with("/proc/"))
            return {};
        std::error_code error;
        const fs::path to = fs::read_symlink(path, error);
        if (error)
            return path;
        path = to.is_absolute() ? to : path.parent_path() / to;
    }
    throw Failure{ELOOP};
}

std::string randomName(const std::string &name)
{
    std::random_device random;
    const std::uint64_t number = (std::uint64_t{random()} << 32) | random();
    const std::string own = std::format("{}{:0{}x}", mark, number >> 16, randomDigits);
    return '.' + name.substr(0, longestName - 1 - own.size()) + own;
}

/// One file being replaced, by way of another beside it.
class Replacement {
public:
    Replacement(const fs::path &place, const AtomicWrite &how)
        : m_place(place)
        , m_how(how)
        , m_folder(openFolder(folderPath()))
        , m_name(place.filename().string())
    {
    }
    ~Replacement()
    {
        if (!m_temporary.empty())
            ::unlinkat(m_folder.get(), m_temporary.c_str(), 0);
    }
    Replacement(const Replacement &) = delete;
    Replacement &operator=(const Replacement &) = delete;

    /// Writes and renames the file; nothing where the file there differs from the expected one.
    std::optional<FileStamp> write(std::string_view bytes)
    {
        lock();
        if (m_how.durable)
            removeOrphans();
        Descriptor file(create());
        writeAll(file.get(), bytes);
        keepRights(file.get());
        if (m_how.durable)
            sync(file.get());
        struct stat status{};
        checked(::fstat(file.get(), &status));
        FileStamp stamp = stampFrom(status);
        stamp.content = checksum(bytes);
        closeWritten(file);
        if (m_how.before && isChanged(m_place, *m_how.before))
            return {};
        checked(::renameat(m_folder.get(), m_temporary.c_str(), m_folder.get(), m_name.c_str()));
        m_temporary.clear();
        if (m_how.durable)
            sync(m_folder.get());
        return stamp;
    }

private:
    static int openFolder(const fs::path &folder)
    {
        const int readable = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return readable >= 0 || errno != EACCES
                   ? checked(readable)
                   : checked(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }

    /// Takes the lock, if possible. Where the file system knows no locks, or a process that does not write
    /// keeps this one (`flock FOLDER COMMAND`), unique names and renames suffice for whole files.
    void lock()
    {
        const auto end = std::chrono::steady_clock::now() + patience;
        while (::flock(m_folder.get(), LOCK_EX | LOCK_NB) < 0) {
            if (errno == EINTR)
                continue;
            if (errno != EWOULDBLOCK)
                return;
            if (std::chrono::steady_clock::now() > end)
                return;
            checkStop();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        m_isLocked = true;
    }

    /// Under the lock nobody else is writing: leftovers of a crash go.
    void removeOrphans() const
    {
        if (!m_isLocked)
            return;
        const std::string prefix = '.' + m_name + std::string(mark);
        std::error_code error;
        for (const auto &entry : fs::directory_iterator(folderPath(), error)) {
            const std::string name = entry.path().filename().string();
            if (!name.starts_with(prefix) || name.size() != prefix.size() + randomDigits)
                continue;
            const auto age = fs::file_time_type::clock::now() - entry.last_write_time(error);
            if (!error && age > orphanAge)
                ::unlinkat(m_folder.get(), name.c_str(), 0);
        }
    }

    fs::path folderPath() const
    {
        return m_place.parent_path().empty() ? fs::path(".") : m_place.parent_path();
    }

    int create()
    {
        while (true) {
            const std::string name = randomName(m_name);
            const int file =
                ::openat(m_folder.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (file < 0 && errno == EEXIST)
                continue;
            checked(file);
            m_temporary = name;
            return file;
        }
    }

    /// Gives `file` the rights of the file that is there. An owner that may not be given away stays the
    /// writer.
    void keepRights(int file) const
    {
        struct stat there{}, made{};
        if (::fstatat(m_folder.get(), m_name.c_str(), &there, 0) < 0 || ::fstat(file, &made) < 0)
            return;
        if (there.st_uid != made.st_uid || there.st_gid != made.st_gid) {
            if (::fchown(file, there.st_uid, there.st_gid) < 0
                && ::fchown(file, static_cast<uid_t>(-1), there.st_gid) < 0)
                there.st_mode &= ~static_cast<mode_t>(S_ISUID | S_ISGID);
        }
        checked(::fchmod(file, there.st_mode & 07777U));
    }

    fs::path m_place;
    const AtomicWrite &m_how;
    Descriptor m_folder;
    std::string m_name;
    std::string m_temporary;
    bool m_isLocked = false;
};

void writeThrough(const fs::path &path, std::string_view bytes)
{
    Descriptor file(checked(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY)));
    writeAll(file.get(), bytes);
    closeWritten(file);
}

/// Whether there is something that can only be written through.
bool isNoFile(const fs::path &path)
{
    struct stat status{};
    if (::stat(path.c_str(), &status) < 0)
        return false;
    if (S_ISDIR(status.st_mode))
        throw Failure{EISDIR};
    return !S_ISREG(status.st_mode);
}

} // namespace

std::optional<FileStamp> stampOf(const fs::path &path)
{
    struct stat status{};
    if (::stat(path.c_str(), &status) < 0 || !S_ISREG(status.st_mode))
        return {};
    return stampFrom(status);
}

bool isChanged(const fs::path &path, const FileStamp &stamp)
{
    std::optional<FileStamp> now = stampOf(path);
    if (!now)
        return false;
    now->content = stamp.content;
    if (*now == stamp)
        return false;
    if (now->size != stamp.size)
        return true;
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return checksum(bytes) != stamp.content;
}

Result<FileStamp> writeAtomically(const fs::path &path, std::string_view bytes, const AtomicWrite &how)
{
    try {
        const bool isSpecial = isNoFile(path);
        const std::optional<fs::path> place = target(path);
        if (isSpecial || !place) {
            writeThrough(path, bytes);
            return FileStamp{};
        }
        if (!place->has_filename())
            throw Failure{EISDIR};
        if (const auto stamp = Replacement(*place, how).write(bytes))
            return *stamp;
    } catch (const Failure &failure) {
        return cannotWrite(path, failure.error);
    }
    return fail(diagnostic(codes::fileChanged, "'" + path.string() + "' was changed by another program")
                    .withHint("save under another name, or open the file again to see the changes"));
}

} // namespace nestwright::support
