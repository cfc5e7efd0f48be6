// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/input_file.h"

#include "core/support/errors/codes.h"
#include "core/support/errors/system_reason.h"
#include "core/support/files/descriptor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace nestwright::support {

namespace {

/// Flags for reading. Without O_NONBLOCK the open of a FIFO would wait for a writer.
constexpr int readingFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

std::string quoted(const std::string &path) { return '"' + path + '"'; }

/// The error of an open that failed.
std::unexpected<Diagnostic> failure(const std::string &path, int error)
{
    if (error == ENOENT || error == ENOTDIR)
        return fail(diagnostic(codes::noFile, "there is no file " + quoted(path)).withHint("check the path"));
    return fail(diagnostic("open.unreadable", quoted(path) + " cannot be read: " + reasonOf(error))
                    .withHint(remedyOf(error, "check the rights of the file and of its folder")));
}

std::string_view kindOf(mode_t mode)
{
    return S_ISFIFO(mode)   ? "a FIFO"
           : S_ISCHR(mode)  ? "a device"
           : S_ISBLK(mode)  ? "a device"
           : S_ISSOCK(mode) ? "a socket"
                            : "no regular file";
}

std::unexpected<Diagnostic> notRegular(const std::string &path, mode_t mode)
{
    if (S_ISDIR(mode))
        return fail(diagnostic("open.unreadable", quoted(path) + " cannot be read: it is a folder")
                        .withHint("give a file in it"));
    return fail(diagnostic("open.not-regular", quoted(path) + " is " + std::string(kindOf(mode))
                                                   + ", but only regular files are read")
                    .withHint("write its output to a file first"));
}

std::unexpected<Diagnostic> outside(const std::string &path)
{
    return fail(
        diagnostic("open.outside", quoted(path)
                                       + " is reached by a symbolic link, or lies outside the folder of the "
                                         "file that names it")
            .withHint("put the file itself into that folder"));
}

/// Folder by folder, none of them a link.
int openBySteps(int folder, const std::filesystem::path &path)
{
    Descriptor at(dup(folder));
    const auto last = std::prev(path.end());
    for (auto part = path.begin(); part != last; ++part) {
        at.reset(openat(at.get(), part->c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        struct stat status{};
        if (at.get() < 0 || fstat(at.get(), &status) != 0)
            return -1;
        if (S_ISLNK(status.st_mode)) {
            errno = ELOOP;
            return -1;
        }
    }
    return openat(at.get(), last->c_str(), readingFlags | O_NOFOLLOW);
}

int openByKernel(int folder, const std::filesystem::path &path)
{
    open_how how{};
    how.flags = readingFlags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const auto opened = static_cast<int>(syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
    // Old kernels lack the call, and some containers forbid it.
    const bool isMissing = opened < 0 && (errno == ENOSYS || errno == EPERM);
    return isMissing ? openBySteps(folder, path) : opened;
}

/// Reads to the end of the stream, but at most `most` + 1 bytes.
Result<std::string> readStream(int descriptor, const std::string &path, std::size_t most)
{
    std::string text;
    std::array<char, 1 << 16> part{};
    while (text.size() <= most) {
        const ssize_t got = ::read(descriptor, part.data(), part.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failure(path, errno);
        if (got == 0)
            break;
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
}

std::unexpected<Diagnostic> tooLarge(const std::string &path, std::size_t most)
{
    return fail(
        diagnostic("open.too-large", quoted(path) + " has more than " + std::to_string(most >> 20) + " MiB")
            .withHint("no script, trace or session is that long; is it the right file?"));
}

} // namespace

InputFile::InputFile(InputFile &&other) noexcept
    : m_path(std::move(other.m_path))
    , m_descriptor(std::exchange(other.m_descriptor, -1))
    , m_size(other.m_size)
{
}

InputFile &InputFile::operator=(InputFile &&other) noexcept
{
    std::swap(m_path, other.m_path);
    std::swap(m_descriptor, other.m_descriptor);
    std::swap(m_size, other.m_size);
    return *this;
}

InputFile::~InputFile()
{
    if (m_descriptor >= 0)
        close(m_descriptor);
}

Result<InputFile> InputFile::checked(std::string path, int descriptor)
{
    Descriptor held(descriptor);
    struct stat status{};
    if (fstat(held.get(), &status) != 0)
        return failure(path, errno);
    if (!S_ISREG(status.st_mode))
        return notRegular(path, status.st_mode);
    return InputFile(std::move(path), held.release(), static_cast<std::uint64_t>(status.st_size));
}

Result<InputFile> InputFile::open(const std::string &path)
{
    if (path.contains('\0'))
        return failure(path, ENOENT);
    struct stat status{}; // looked at before it is opened: opening a device may do something
    if (stat(path.c_str(), &status) != 0)
        return failure(path, errno);
    if (!S_ISREG(status.st_mode))
        return notRegular(path, status.st_mode);
    const int descriptor = ::open(path.c_str(), readingFlags);
    return descriptor < 0 ? failure(path, errno) : checked(path, descriptor);
}

Result<InputFile> InputFile::openBelow(const std::string &folder, const std::string &path, PathWalk walk)
{
    const std::filesystem::path plain = std::filesystem::path(path).lexically_normal();
    if (path.empty() || path.contains('\0') || plain.is_absolute() || *plain.begin() == ".."
        || !plain.has_filename() || plain.filename() == ".")
        return outside(path);
    const Descriptor start(::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (start.get() < 0)
        return failure(folder, errno);
    const int descriptor =
        walk == PathWalk::Kernel ? openByKernel(start.get(), plain) : openBySteps(start.get(), plain);
    if (descriptor < 0 && (errno == ELOOP || errno == EXDEV))
        return outside(path);
    const std::string whole = (std::filesystem::path(folder) / plain).string();
    if (descriptor < 0 && errno == ENXIO) // a socket
        return notRegular(whole, S_IFSOCK);
    return descriptor < 0 ? failure(whole, errno) : checked(whole, descriptor);
}

Result<void> InputFile::read(std::uint64_t offset, std::span<std::byte> into) const
{
    while (!into.empty()) {
        const ssize_t got = pread(m_descriptor, into.data(), into.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failure(m_path, errno);
        if (got == 0)
            return fail(diagnostic("open.unreadable", quoted(m_path) + " ends too early"));
        into = into.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
    return {};
}

bool isStream(std::string_view path)
{
    return path == "-" || path == "/dev/stdin" || path.starts_with("/dev/fd/")
           || path.starts_with("/proc/self/fd/");
}

Result<std::string> readText(const std::string &path, std::size_t most)
{
    if (isStream(path)) {
        const Descriptor stream(path == "-" ? dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (stream.get() < 0)
            return failure(path, errno);
        auto text = readStream(stream.get(), path, most);
        return text && text->size() > most ? Result<std::string>(tooLarge(path, most)) : text;
    }
    const auto file = InputFile::open(path);
    if (!file)
        return fail(file.error());
    if (file->size() > most)
        return tooLarge(path, most);
    // Files of /proc report a size of 0, and a log may have grown: the bytes that can be read count.
    auto text = readStream(file->descriptor(), path, most);
    return text && text->size() > most ? Result<std::string>(tooLarge(path, most)) : text;
}

} // namespace nestwright::support
