// SPDX-License-Identifier: Apache-2.0
#include "core/graph/kernel_cache.h"

#include "core/backend/backend.h"
#include "core/backend/tool_version.h"
#include "core/script/printer.h"
#include "core/support/atomic_file.h"
#include "core/support/checksum.h"
#include "core/support/host.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <format>
#include <fstream>
#include <iterator>
#include <vector>

namespace nestwright::graph {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t usualBytes = std::uintmax_t{1} << 30;
constexpr std::chrono::hours betweenTrims(1);
constexpr std::string_view magic = "nestwright kernel 2\n";
constexpr std::string_view ending = ".kernel", trimMark = "trimmed";

/// Another build may compile the same program to other code.
std::string buildName()
{
    std::error_code error;
    const auto time = fs::last_write_time("/proc/self/exe", error).time_since_epoch().count();
    return std::format("{} {}", time, fs::file_size("/proc/self/exe", error));
}

/// All that the code depends on.
std::string keyOf(const ir::Module &scheduled, const lower::Target &target)
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

} // namespace

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
                                                   const lower::Target &target) const
{
    if (m_folder.empty())
        return std::nullopt;
    const std::string key = keyOf(scheduled, target);
    const fs::path path = fileOf(m_folder, key);
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto cached = readCachedKernel(text);
    if (!cached || cached->key != key) // damaged, or another kernel has the same number: made anew
        return std::nullopt;
    auto entries = backend::entriesOf(scheduled);
    if (!entries)
        return std::nullopt;
    fs::last_write_time(path, fs::file_time_type::clock::now(), error); // used just now
    backend::Artifact artifact;
    artifact.format =
        target.kind == lower::TargetKind::C ? backend::Format::SharedObject : backend::Format::Object;
    artifact.bytes = cached->code;
    artifact.entries = std::move(*entries);
    artifact.target = target.str();
    return artifact;
}

void KernelCache::put(const ir::Module &scheduled, const lower::Target &target,
                      const backend::Artifact &artifact) const
{
    if (m_folder.empty())
        return;
    std::error_code error;
    fs::create_directories(m_folder, error);
    const std::string key = keyOf(scheduled, target);
    (void)support::writeAtomically(fileOf(m_folder, key), cachedKernelText(key, artifact.bytes),
                                   {.durable = false}); // compiled again else
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
