// SPDX-License-Identifier: Apache-2.0
#include "core/measure/peers/library_code.h"

#include "core/backend/link/compiler.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <format>
#include <fstream>
#include <link.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

namespace nestwright::measure {

using backend::FunctionBytes;
using backend::MachineCode;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

constexpr std::size_t mostPlaces = 4096, wantedSamples = 200;
constexpr std::chrono::seconds longestRun{4};
/// Functions that run for less than this share of the time are not shown.
constexpr double leastFunctionShare = 0.03;
constexpr std::size_t mostFunctions = 6;
constexpr std::size_t mostMadeBytes = std::size_t{1} << 20;

std::array<std::atomic<std::uintptr_t>, mostPlaces> sampledPlaces;
std::atomic<std::size_t> sampledCount;

/// Program counter of the thread that a signal interrupted; 0 where this processor's registers are not known
/// here.
std::uintptr_t placeOf([[maybe_unused]] const void *context)
{
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return static_cast<const ucontext_t *>(context)->uc_mcontext.pc;
#else
    return 0;
#endif
}

void takeSample(int, siginfo_t *, void *context)
{
    const std::size_t place = sampledCount.fetch_add(1);
    if (place < mostPlaces)
        sampledPlaces[place] = placeOf(context);
}

/// Ticks of the time that this process computes, for as long as the object lives. The handler has a stack of
/// its own: code that a library makes uses the stack's register for other things.
class SamplingTimer {
public:
    SamplingTimer()
    {
        sampledCount = 0;
        stack_t stack{};
        stack.ss_sp = m_stack.data();
        stack.ss_size = m_stack.size();
        sigaltstack(&stack, &m_stackBefore);
        struct sigaction action{};
        action.sa_sigaction = takeSample;
        action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
        sigaction(SIGPROF, &action, &m_before);
        const itimerval every{{0, 1000}, {0, 1000}};
        setitimer(ITIMER_PROF, &every, nullptr);
    }
    ~SamplingTimer()
    {
        const itimerval never{};
        setitimer(ITIMER_PROF, &never, nullptr);
        sigaction(SIGPROF, &m_before, nullptr);
        sigaltstack(&m_stackBefore, nullptr);
    }
    SamplingTimer(const SamplingTimer &) = delete;
    SamplingTimer &operator=(const SamplingTimer &) = delete;

private:
    struct sigaction m_before{};
    stack_t m_stackBefore{};
    std::vector<char> m_stack = std::vector<char>(std::size_t{1} << 16);
};

std::map<std::uint64_t, int> samplesOf(const PeerCall &call)
{
    call.run(); // threads, buffers, code that is made
    {
        const SamplingTimer timer;
        const auto end = std::chrono::steady_clock::now() + longestRun;
        while (sampledCount < wantedSamples && std::chrono::steady_clock::now() < end)
            call.run();
    }
    std::map<std::uint64_t, int> samples;
    for (std::size_t i = 0; i < std::min<std::size_t>(sampledCount, mostPlaces); ++i)
        ++samples[sampledPlaces[i]];
    samples.erase(0);
    return samples;
}

/// A part of this process's memory.
struct Mapping {
    std::uint64_t from = 0, to = 0;
    std::string file; ///< empty: it is of no file
};

std::vector<Mapping> executableMappings()
{
    std::vector<Mapping> mappings;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        Mapping mapping;
        char rights[5] = {};
        int used = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx %4s %*s %*s %*s %n", &mapping.from, &mapping.to, rights, &used)
                < 3
            || rights[0] != 'r' || rights[2] != 'x')
            continue;
        const std::string file = line.substr(std::min(static_cast<std::size_t>(used), line.size()));
        const bool isFile = file.starts_with('/') && !file.starts_with("/memfd:");
        mapping.file = isFile ? file : std::string();
        mappings.push_back(std::move(mapping));
    }
    return mappings;
}

std::string memoryOf(std::uint64_t from, std::uint64_t size)
{
    // An address of this process. NOLINTNEXTLINE(performance-no-int-to-ptr)
    return {reinterpret_cast<const char *>(static_cast<std::uintptr_t>(from)), size};
}

/// The function of a library that holds `place`; nothing where no symbol does.
std::optional<FunctionBytes> namedFunction(std::uint64_t place)
{
    Dl_info info{};
    ElfW(Sym) *symbol = nullptr;
    // An address of this process. NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto *address = reinterpret_cast<const void *>(static_cast<std::uintptr_t>(place));
    if (dladdr1(address, &info, reinterpret_cast<void **>(&symbol), RTLD_DL_SYMENT) == 0 || !symbol
        || !info.dli_sname)
        return {};
    const auto from = reinterpret_cast<std::uintptr_t>(info.dli_saddr);
    if (place < from || place - from >= symbol->st_size)
        return {};
    return FunctionBytes{info.dli_sname, from, memoryOf(from, symbol->st_size)};
}

/// "jit_avx512_core_gemm_f32_kern" of "dnnl_dump_cpu_jit_avx512_core_gemm_f32_kern.4.bin".
std::string nameOfDump(std::string file)
{
    for (const std::string_view prefix : {"dnnl_dump_", "cpu_"}) {
        if (file.starts_with(prefix))
            file.erase(0, prefix.size());
    }
    return file.substr(0, file.find('.'));
}

/// Code that the library made and wrote to `folder`, where it lies in `mapping`; else all of the mapping.
FunctionBytes madeFunction(std::uint64_t place, const Mapping &mapping, const std::filesystem::path &folder)
{
    const std::string memory = memoryOf(mapping.from, mapping.to - mapping.from);
    std::error_code ignored;
    for (const auto &entry : std::filesystem::directory_iterator(folder, ignored)) {
        const std::string bytes =
            entry.path().extension() == ".bin" ? backend::readFile(entry.path()) : std::string();
        const std::size_t at = bytes.empty() ? std::string::npos : memory.find(bytes);
        if (at == std::string::npos)
            continue;
        const std::uint64_t from = mapping.from + at;
        if (place >= from && place - from < bytes.size())
            return {nameOfDump(entry.path().filename().string()), from, bytes};
    }
    // Code begins with the mapping, or too far before the place to be of one function.
    const std::uint64_t offset = place - mapping.from < mostMadeBytes ? 0 : place - mapping.from;
    return {"code made at run time", mapping.from + offset, memory.substr(offset, mostMadeBytes)};
}

struct BusyFunction {
    FunctionBytes function;
    int samples = 0;
};

} // namespace

std::string coreOf(const PeerCall &call, PeerLibrary library)
{
    using NameOfCore = const char *(*)();
    const auto name = library == PeerLibrary::OpenBlas
                          ? reinterpret_cast<NameOfCore>(dlsym(call.handle, "openblas_get_corename"))
                          : nullptr;
    return name ? name() : std::string();
}

Result<MachineCode> codeThatRuns(const PeerCall &call, PeerLibrary library,
                                 const std::filesystem::path &folder)
{
    using SetDump = int (*)(int);
    if (const auto dump = library == PeerLibrary::OneDnn
                              ? reinterpret_cast<SetDump>(dlsym(call.handle, "dnnl_set_jit_dump"))
                              : nullptr;
        dump && chdir(folder.c_str()) == 0)
        dump(1);
    MachineCode code;
    code.samples = samplesOf(call);
    const std::vector<Mapping> mappings = executableMappings();
    std::vector<BusyFunction> busy;
    int all = 0, unnamed = 0;
    for (const auto &[place, count] : code.samples) {
        all += count;
        const auto known = std::ranges::find_if(busy, [&](const BusyFunction &each) {
            return place >= each.function.address
                   && place - each.function.address < each.function.bytes.size();
        });
        if (known != busy.end()) {
            known->samples += count;
            continue;
        }
        const auto mapping = std::ranges::find_if(
            mappings, [&](const Mapping &each) { return place >= each.from && place < each.to; });
        if (auto named = namedFunction(place))
            busy.push_back({*std::move(named), count});
        else if (mapping != mappings.end() && mapping->file.empty())
            busy.push_back({madeFunction(place, *mapping, folder), count});
        else
            unnamed += count;
    }
    if (all == 0)
        return fail(diagnostic("peer.no-samples", std::format("{} was not seen at work", call.library))
                        .withHint("take a larger product"));
    std::ranges::stable_sort(busy, std::greater(), &BusyFunction::samples);
    if (busy.empty() || unnamed > busy.front().samples)
        return fail(
            diagnostic("peer.symbols", std::format("{} works in functions that have no names", call.library))
                .withHint("its symbols are stripped: take a build that keeps those of its kernels, "
                          "as the packages of Debian do"));
    for (BusyFunction &each : busy) {
        if (code.functions.size() < mostFunctions && each.samples >= leastFunctionShare * all)
            code.functions.push_back(std::move(each.function));
    }
    return code;
}

} // namespace nestwright::measure
