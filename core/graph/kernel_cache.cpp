// SPDX-License-Identifier: Apache-2.0
#include "core/graph/kernel_cache.h"

#include "core/backend/backend.h"
#include "core/script/printer.h"
#include "core/support/host.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <fstream>
#include <functional>
#include <iterator>
#include <unistd.h>
#include <vector>

namespace nestwright::graph {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t usualBytes = std::uintmax_t{1} << 30;
constexpr std::chrono::hours betweenTrims(1);
constexpr std::string_view magic = "nestwright kernel 1\n";

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
    static const std::string here = support::processorName() + '\n' + buildName() + '\n';
    return here + target.str() + '\n' + script::print(scheduled).text;
}

fs::path fileOf(const fs::path &folder, const std::string &key)
{
    return folder / std::format("{:016x}.kernel", std::hash<std::string>()(key));
}

} // namespace

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
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::string head = std::format("{}{}\n{}", magic, key.size(), key);
    if (!text.starts_with(head)) // there is none, or another kernel has the same number
        return std::nullopt;
    auto entries = backend::entriesOf(scheduled);
    if (!entries)
        return std::nullopt;
    std::error_code error;
    fs::last_write_time(path, fs::file_time_type::clock::now(), error); // used just now
    backend::Artifact artifact;
    artifact.format =
        target.kind == lower::TargetKind::C ? backend::Format::SharedObject : backend::Format::Object;
    artifact.bytes = text.substr(head.size());
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
    const fs::path path = fileOf(m_folder, key);
    const fs::path made = path.string() + std::format(".{}", getpid());
    std::ofstream file(made, std::ios::binary);
    file << magic << key.size() << '\n' << key << artifact.bytes;
    file.close();
    if (file)
        fs::rename(made, path, error);
    else
        fs::remove(made, error);
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
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(m_folder, error)) {
        files.push_back({entry.path(), entry.last_write_time(error), entry.file_size(error)});
        total += files.back().size;
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
    const fs::path mark = m_folder / "trimmed";
    std::error_code error;
    const auto last = fs::last_write_time(mark, error);
    if (!error && fs::file_time_type::clock::now() - last < betweenTrims)
        return;
    std::ofstream(mark) << '\n';
    trim(usualBytes);
}

} // namespace nestwright::graph
