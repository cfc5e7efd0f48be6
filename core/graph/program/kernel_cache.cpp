// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program/kernel_cache.h"

#include "core/backend/backend.h"
#include "core/backend/tool_version.h"
#include "core/script/print/printer.h"
#include "core/support/files/atomic_file.h"
#include "core/support/files/checksum.h"
#include "core/support/files/input_file.h"
#include "core/support/host.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fcntl.h>
#include <format>
#include <span>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace nestwright::graph {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t usualBytes = std::uintmax_t{1} << 30;
constexpr std::chrono::hours betweenTrims(1);
constexpr std::string_view magic = "nestwright kernel 2\n";
constexpr std::string_view ending = ".kernel", trimMark = "trimmed";

/// Identity of this build of the program: another build may compile the same program to other code.
std::string buildName()
{
    std::error_code error;
    const auto time = fs::last_write_time("/proc/self/exe", error).time_since_epoch().count();
    return std::format("{} {}", time, fs::file_size("/proc/self/exe", error));
}

/// All that the code depends on.
std::string keyOf(const ir::Module &scheduled, const target::Target &target)
{
    static const std::string here =
        support::processorName() + '\n' + support::processorFeatures() + '\n' + buildName() + '\n';
    return here + backend::toolVersion(target.kind) + '\n' + target.str() + '\n'
           + script::print(scheduled).text;
}

fs::path fileOf(const fs::path &folder, const std::string &key)
{
    return folder / std::format("{:016x}{}", support::checksum(key), ending);
}

/// Takes a number and the line's end from the text; in the one form in which numbers are written.
std::optional<std::uint64_t> takeNumber(std::string_view &text)
{
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || length == text.size() || text[length] != '\n'
        || text.substr(0, length) != std::format("{:x}", number))
        return {};
    text.remove_prefix(length + 1);
    return number;
}

/// The rights of others to write.
constexpr mode_t writtenByOthers = S_IWGRP | S_IWOTH;

/// Makes the folder this user's alone. The reason where it cannot be, else empty.
std::string keepPrivate(const fs::path &folder)
{
    std::error_code error;
    fs::create_directories(folder.parent_path(), error);
    mkdir(folder.c_str(), S_IRWXU);
    const int place = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (place < 0)
        return fs::is_symlink(folder, error) ? "it is a symbolic link" : std::string();
    struct stat info{};
    std::string refusal;
    if (fstat(place, &info) != 0 || info.st_uid != geteuid())
        refusal = "it is another user's";
    else if ((info.st_mode & writtenByOthers) != 0 && fchmod(place, S_IRWXU) != 0)
        refusal = "others may write to it";
    close(place);
    if (refusal.empty() && (info.st_mode & writtenByOthers) != 0) {
        for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
             at.increment(error)) {
            if (std::error_code kept; at->path().extension() == ending)
                fs::remove(at->path(), kept);
        }
    }
    return refusal;
}

/// The text of a file in the folder; nothing where it is a link, another user's, or others may write it.
std::optional<std::string> ownText(const fs::path &folder, const fs::path &file)
{
    const auto opened = support::InputFile::openBelow(folder.string(), file.filename().string());
    struct stat info{};
    if (!opened || fstat(opened->descriptor(), &info) != 0 || info.st_uid != geteuid()
        || (info.st_mode & writtenByOthers) != 0)
        return {};
    std::string text(opened->size(), '\0');
    if (!opened->read(0, std::as_writable_bytes(std::span(text))))
        return {};
    futimens(opened->descriptor(), nullptr); // used just now
    return text;
}

} // namespace

KernelCache::KernelCache(fs::path folder) : m_folder(std::move(folder))
{
    if (m_folder.empty())
        return;
    if (const std::string reason = keepPrivate(m_folder); !reason.empty()) {
        m_refusal = std::format("compiled kernels are not kept in '{}': {}", m_folder.string(), reason);
        m_folder.clear();
    }
}

std::string cachedKernelText(std::string_view key, std::string_view code)
{
    std::string body(key);
    body += code;
    return std::format("{}{:x}\n{:x}\n{:x}\n", magic, key.size(), code.size(), support::checksum(body))
           + body;
}

std::optional<CachedKernel> readCachedKernel(std::string_view text)
{
    if (!text.starts_with(magic))
        return {};
    text.remove_prefix(magic.size());
    const auto keySize = takeNumber(text);
    const auto codeSize = keySize ? takeNumber(text) : std::nullopt;
    const auto sum = codeSize ? takeNumber(text) : std::nullopt;
    if (!sum || *keySize > text.size() || text.size() - *keySize != *codeSize
        || support::checksum(text) != *sum)
        return {};
    return CachedKernel{text.substr(0, *keySize), text.substr(*keySize)};
}

fs::path KernelCache::defaultFolder()
{
    const fs::path folder = support::cacheFolder();
    return folder.empty() ? folder : folder / "kernels";
}

std::optional<backend::Artifact> KernelCache::find(const ir::Module &scheduled,
                                                   const target::Target &target) const
{
    if (m_folder.empty())
        return std::nullopt;
    const std::string key = keyOf(scheduled, target);
    const fs::path path = fileOf(m_folder, key);
    const auto text = ownText(m_folder, path);
    const auto cached = text ? readCachedKernel(*text) : std::nullopt;
    if (!cached || cached->key != key) // damaged, or another kernel has the same number: made anew
        return std::nullopt;
    auto entries = backend::entriesOf(scheduled);
    if (!entries)
        return std::nullopt;
    backend::Artifact artifact;
    artifact.format = backend::artifactFormat(target.kind);
    artifact.bytes = cached->code;
    artifact.entries = std::move(*entries);
    artifact.target = target.str();
    return artifact;
}

void KernelCache::put(const ir::Module &scheduled, const target::Target &target,
                      const backend::Artifact &artifact) const
{
    if (m_folder.empty())
        return;
    const std::string key = keyOf(scheduled, target);
    const fs::path file = fileOf(m_folder, key);
    if (support::writeAtomically(file, cachedKernelText(key, artifact.bytes), {.durable = false}))
        chmod(file.c_str(), S_IRUSR | S_IWUSR); // compiled again else
}

void KernelCache::trim(std::uintmax_t bytes) const
{
    struct File {
        fs::path path;
        fs::file_time_type used;
        std::uintmax_t size;
    };
    std::vector<File> files;
    std::uintmax_t total = 0;
    const auto now = fs::file_time_type::clock::now();
    std::error_code error;
    for (fs::directory_iterator at(m_folder, error); !error && at != fs::directory_iterator();
         at.increment(error)) {
        std::error_code gone; // another process trims too
        const fs::path &path = at->path();
        const auto used = at->last_write_time(gone);
        const auto size = gone ? 0 : at->file_size(gone);
        if (gone || path.filename() == trimMark)
            continue;
        if (path.extension() != ending) { // of an older release, or left by a process that was killed
            if (now - used > betweenTrims)
                fs::remove(path, gone);
            continue;
        }
        files.push_back({path, used, size});
        total += size;
    }
    std::ranges::sort(files, {}, &File::used);
    for (const File &file : files) {
        if (total <= bytes)
            return;
        fs::remove(file.path, error);
        total -= file.size;
    }
}

void KernelCache::trimNowAndThen() const
{
    if (m_folder.empty())
        return;
    const fs::path mark = m_folder / trimMark;
    std::error_code error;
    const auto last = fs::last_write_time(mark, error);
    if (!error && fs::file_time_type::clock::now() - last < betweenTrims)
        return;
    (void)support::writeAtomically(mark, "\n", {.durable = false});
    trim(usualBytes);
}

} // namespace nestwright::graph
