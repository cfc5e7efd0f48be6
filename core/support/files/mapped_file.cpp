// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/mapped_file.h"

#include <array>
#include <atomic>
#include <csignal>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace nestwright::support {

namespace {

/// Mapped at a time; a model keeps its weights in a few files.
constexpr std::size_t mostFiles = 64;

struct Range {
    std::atomic<std::uintptr_t> begin = 0, end = 0;
};
std::array<Range, mostFiles> mappedRanges;
struct sigaction earlierAction{};

/// Puts a page of zeros in the place of one that cannot be read.
void handleMissingPage(int signal, siginfo_t *info, void *)
{
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (const Range &range : mappedRanges) {
        if (address < range.begin.load() || address >= range.end.load())
            continue;
        const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        std::byte *page = static_cast<std::byte *>(info->si_addr) - address % size;
        if (mmap(page, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
            != MAP_FAILED)
            return;
    }
    sigaction(signal, &earlierAction, nullptr); // not ours: it comes again
}

void installHandler()
{
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action{};
        action.sa_sigaction = &handleMissingPage;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        sigaction(SIGBUS, &action, &earlierAction);
    });
}

std::mutex mappingMutex;

/// Identity of a file and its state: device, number, size, and time of its last change.
using Key = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t, std::int64_t>;
std::map<Key, std::weak_ptr<MappedFile>> mappings;

} // namespace

std::shared_ptr<MappedFile> MappedFile::share(const InputFile &file)
{
    struct stat info{};
    if (fstat(file.descriptor(), &info) != 0 || info.st_size <= 0)
        return nullptr;
    const Key key{info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    const std::scoped_lock lock(mappingMutex);
    std::erase_if(mappings, [](const auto &each) { return each.second.expired(); });
    if (const auto found = mappings.find(key); found != mappings.end()) {
        if (auto mapped = found->second.lock())
            return mapped;
    }
    std::size_t place = 0;
    while (place < mappedRanges.size() && mappedRanges[place].end.load() != 0)
        ++place;
    if (place == mappedRanges.size())
        return nullptr;
    const auto size = static_cast<std::size_t>(info.st_size);
    void *address =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.descriptor(), 0);
    if (address == MAP_FAILED)
        return nullptr;
    installHandler();
    mappedRanges[place].begin = reinterpret_cast<std::uintptr_t>(address);
    mappedRanges[place].end = reinterpret_cast<std::uintptr_t>(address) + size;
    const std::shared_ptr<MappedFile> mapped(new MappedFile);
    mapped->m_path = file.path();
    mapped->m_key = key;
    mapped->m_bytes = {static_cast<std::byte *>(address), size};
    mapped->m_place = place;
    mappings[key] = mapped;
    return mapped;
}

MappedFile::~MappedFile()
{
    munmap(m_bytes.data(), m_bytes.size());
    mappedRanges[m_place].begin = 0;
    mappedRanges[m_place].end = 0;
}

bool MappedFile::isChanged() const
{
    struct stat info{};
    return stat(m_path.c_str(), &info) != 0
           || Key{info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec} != m_key;
}

std::vector<std::shared_ptr<const MappedFile>> mappedFiles()
{
    const std::scoped_lock lock(mappingMutex);
    std::vector<std::shared_ptr<const MappedFile>> files;
    for (const auto &[key, file] : mappings) {
        if (auto mapped = file.lock())
            files.push_back(std::move(mapped));
    }
    return files;
}

} // namespace nestwright::support
