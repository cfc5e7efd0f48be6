// SPDX-License-Identifier: Apache-2.0
#include "core/backend/cuda/emulated_device.h"

#include "core/backend/codes.h"
#include "core/backend/cuda/cuda_backend.h"
#include "core/backend/device/device_kernel.h"
#include "core/backend/link/compiler.h"
#include "core/backend/link/runtime.h"
#include "core/support/errors/errors.h"

#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <sys/mman.h>

namespace nestwright::backend {

using support::fail;
using support::Result;
using support::UserError;

namespace {

/// Memory that ends where the process may not go on, so that what lies behind an array is not silently met.
class GuardedMemory final : public DeviceMemory {
public:
    explicit GuardedMemory(std::size_t bytes) : m_bytes(bytes)
    {
        constexpr std::size_t page = 4096, alignment = 16;
        const std::size_t used = (bytes + page - 1) / page * page;
        m_mapped = used + page;
        void *made = mmap(nullptr, m_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (made == MAP_FAILED || mprotect(static_cast<std::byte *>(made) + used, page, PROT_NONE) != 0)
            throw UserError(support::diagnostic("device.memory", "no memory for an array of "
                                                                     + std::to_string(bytes) + " bytes"));
        m_start = static_cast<std::byte *>(made);
        m_data = m_start + (used - (bytes + alignment - 1) / alignment * alignment);
    }
    ~GuardedMemory() override { munmap(m_start, m_mapped); }
    GuardedMemory(const GuardedMemory &) = delete;
    GuardedMemory &operator=(const GuardedMemory &) = delete;

    std::span<std::byte> bytes() { return {m_data, m_bytes}; }

private:
    std::byte *m_start = nullptr, *m_data = nullptr;
    std::size_t m_bytes, m_mapped = 0;
};

std::span<std::byte> bytesOf(DeviceMemory &memory) { return static_cast<GuardedMemory &>(memory).bytes(); }

class EmulatedDevice final : public Device {
public:
    explicit EmulatedDevice(void *library) : m_library(library) {}

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override
    {
        auto memory = std::make_unique<GuardedMemory>(bytes);
        constexpr int notANumber = 0xff;
        std::memset(memory->bytes().data(), notANumber, bytes);
        return memory;
    }
    void upload(DeviceMemory &to, std::span<const std::byte> from) override
    {
        std::memcpy(bytesOf(to).data(), from.data(), from.size());
    }
    void download(std::span<std::byte> to, DeviceMemory &from) override
    {
        std::memcpy(to.data(), bytesOf(from).data(), to.size());
    }
    void launch(const std::string &kernel, std::span<const LaunchArgument> arguments, const Extents &blocks,
                const Extents &threads) override
    {
        using Launch = int (*)(void **arguments, const std::int64_t *blocks, const std::int64_t *threads);
        const auto function = reinterpret_cast<Launch>(dlsym(m_library, ("nw_launch_" + kernel).c_str()));
        NW_ASSERT(function, "the library has no kernel '" + kernel + '\'');
        std::vector<void *> pointers(arguments.size()); // what memories are given as
        std::vector<void *> addresses;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (const auto *memory = std::get_if<DeviceMemory *>(&arguments[i])) {
                pointers[i] = bytesOf(**memory).data();
                addresses.push_back(static_cast<void *>(&pointers[i]));
            } else {
                const auto &bytes = std::get<std::vector<std::byte>>(arguments[i]);
                addresses.push_back(const_cast<std::byte *>(bytes.data())); // read only
            }
        }
        check(function(addresses.data(), blocks.data(), threads.data()), kernel);
    }
    void finish() override {}

private:
    /// `code`: of cuda_on_processor.h.
    static void check(int code, const std::string &kernel)
    {
        switch (code) {
        case 0: return;
        case 1:
            throw UserError(
                support::diagnostic("device.divergent-barrier",
                                    "threads of a block of '" + kernel + "' wait at different barriers"));
        case 2:
            throw UserError(support::diagnostic("device.stuck", "threads of a warp of '" + kernel
                                                                    + "' wait for others that do not come"));
        default:
            throw UserError(
                support::diagnostic("device.launch", "a block of '" + kernel + "' has too many threads")
                    .withHint("a block may have 1024 threads"));
        }
    }

    void *m_library; ///< stays loaded to the end of the process
};

/// Whether the system's C compiler has C++ too: it takes an empty file.
bool hasCxx(const std::stop_token &stop)
{
    return runCompiler({"-x", "c++", "-fsyntax-only", "/dev/null"}, stop).has_value();
}

/// A compiler without C++ says so in a way that helps nobody.
Result<void> withRemedy(Result<void> compiled, const std::stop_token &stop)
{
    if (!compiled && compiled.error().code == codes::compilerFailed && !hasCxx(stop))
        return fail(
            support::diagnostic(codes::noCompiler, "the C compiler here has no C++, which CUDA's text needs")
                .withHint("install g++ or clang"));
    return compiled;
}

} // namespace

Result<Artifact> compileEmulated(const Unit &unit, const target::Target &target, std::stop_token stop)
try {
    DeviceSource source = cudaKernels(unit, std::numeric_limits<std::int64_t>::max());
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "kernels.cpp", object = folder.path() / "kernels.so";
    std::string text(emulationSource());
    text += source.text.text();
    for (const DeviceProgram::Kernel &kernel : source.kernels)
        text += "\nNW_LAUNCH(" + kernel.name + ")\n";
    writeFile(file, text);
    const auto compiled =
        withRemedy(runCompiler({"-x", "c++", "-std=c++17", "-O1", "-march=native", "-ffp-contract=fast", "-w",
                                "-fPIC", "-shared", "-fno-strict-aliasing", "-fno-exceptions",
                                "-U_FORTIFY_SOURCE", "-o", object.string(), file.string(), "-lm"},
                               stop),
                   stop);
    if (!compiled)
        return std::unexpected(compiled.error());
    return artifactOf({hostPart(unit.flat), readFile(object), std::move(source.kernels)},
                      Format::EmulatedDevice, unit, target);
} catch (const UserError &error) {
    return fail(error.diagnostic());
}

Result<std::unique_ptr<LoadedKernel>> loadEmulated(const Artifact &artifact)
try {
    auto program = DeviceProgram::read(artifact.bytes);
    if (!program)
        return std::unexpected(program.error());
    const TemporaryFolder folder; // the file may go once it is mapped
    const std::filesystem::path file = folder.path() / "kernels.so";
    writeFile(file, program->source);
    void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return fail("backend.load", std::string("the kernels cannot be loaded: ") + dlerror());
    return std::make_unique<DeviceKernel>(artifact.entries, std::move(*program),
                                          std::make_unique<EmulatedDevice>(library));
} catch (const UserError &error) {
    return fail(error.diagnostic());
}

} // namespace nestwright::backend
