// SPDX-License-Identifier: Apache-2.0
#include "core/support/mapped_file.h"

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
std::array<Range, mostFiles> ranges;
std::atomic<std::uint64_t> missing = 0;
struct sigaction before{};

/// Puts a page of zeros in the place of one that cannot be read.
void handleMissingPage(int signal, siginfo_t *info, void *)
{
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (const Range &range : ranges) {
        if (address < range.begin.load() || address >= range.end.load())
            continue;
        const std::uintptr_t size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)),
                             page = address / size * size;
        ++missing;
        if (mmap(reinterpret_cast<void *>(page), size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
            != MAP_FAILED)
            return;
    }
    sigaction(signal, &before, nullptr); // not ours: it comes again
}

void installHandler()
{
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action{};
        action.sa_sigaction = &handleMissingPage;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        sigaction(SIGBUS, &action, &before);
    });
}

/// Which file, and as it was when.
using Key = std::tuple<dev_t, ino_t, off_t, time_t, long>;

} // namespace

std::shared_ptr<MappedFile> MappedFile::share(const InputFile &file)
{
    static std::mutex mutex;
    static std::map<Key, std::weak_ptr<MappedFile>> shared;
    struct stat info{};
    if (fstat(file.descriptor(), &info) != 0 || info.st_size <= 0)
        return nullptr;
    const Key key{info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    const std::scoped_lock lock(mutex);
    std::erase_if(shared, [](const auto &each) { return each.second.expired(); });
    if (const auto found = shared.find(key); found != shared.end()) {
        if (auto mapped = found->second.lock())
            return mapped;
    }
    std::size_t place = 0;
    while (place < ranges.size() && ranges[place].end.load() != 0)
        ++place;
    if (place == ranges.size())
        return nullptr;
    const auto size = static_cast<std::size_t>(info.st_size);
    void *address =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.descriptor(), 0);
    if (address == MAP_FAILED)
        return nullptr;
    installHandler();
    ranges[place].begin = reinterpret_cast<std::uintptr_t>(address);
    ranges[place].end = reinterpret_cast<std::uintptr_t>(address) + size;
    const std::shared_ptr<MappedFile> mapped(
        new MappedFile({static_cast<std::byte *>(address), size}, place));
    shared[key] = mapped;
    return mapped;
}

MappedFile::~MappedFile()
{
    munmap(m_bytes.data(), m_bytes.size());
    ranges[m_place].begin = 0;
    ranges[m_place].end = 0;
}

std::uint64_t missingPages() { return missing; }

} // namespace nestwright::support
