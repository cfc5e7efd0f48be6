// SPDX-License-Identifier: Apache-2.0
#include "core/backend/cuda/cuda_device.h"

#include "core/backend/device/cuda_driver.h"
#include "core/backend/device/device_kernel.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <map>

namespace nestwright::backend {

using support::diagnostic;
using support::fail;
using support::Result;
using support::UserError;

namespace {

/// Attributes of a device, by the numbers of the driver's CUdevice_attribute.
enum Attribute : int {
    MostThreadsOfBlock = 1,
    SharedBytesOfBlock = 8,
    Multiprocessors = 16,
    CacheBytes = 38,
    CapabilityMajor = 75,
    CapabilityMinor = 76,
};

/// An attribute of a function: CUfunction_attribute's MAX_DYNAMIC_SHARED_SIZE_BYTES.
constexpr int MostSharedAtLaunch = 8;

void check(const CudaDriver &driver, int code, const std::string &what)
{
    if (code == 0)
        return;
    const CudaReason reason = cudaReason(driver, code);
    throw UserError(diagnostic(reason.code, what + ": " + reason.text).withHint(reason.hint));
}

int numberOf(const CudaDriver &driver, Attribute attribute, int device)
{
    int value = 0;
    return driver.deviceAttribute(&value, attribute, device) == 0 ? value : 0;
}

DeviceFacts describe(const CudaDriver &driver, int device)
{
    DeviceFacts facts;
    std::string name(256, '\0');
    if (driver.deviceName(name.data(), static_cast<int>(name.size()), device) == 0)
        facts.name = name.substr(0, name.find('\0'));
    int version = 0;
    driver.version(&version);
    facts.driver = "CUDA " + std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
    facts.isGpu = true;
    facts.architecture = "sm_" + std::to_string(numberOf(driver, CapabilityMajor, device))
                         + std::to_string(numberOf(driver, CapabilityMinor, device));
    facts.computeUnits = numberOf(driver, Multiprocessors, device);
    facts.sharedBytes = numberOf(driver, SharedBytesOfBlock, device);
    facts.mostThreads = numberOf(driver, MostThreadsOfBlock, device);
    facts.cacheBytes = numberOf(driver, CacheBytes, device);
    std::size_t bytes = 0;
    driver.deviceMemory(&bytes, device);
    facts.memoryBytes = static_cast<std::int64_t>(bytes);
    return facts;
}

class CudaMemory final : public DeviceMemory {
public:
    CudaMemory(const CudaDriver &driver, CudaDriver::Address address) : address(address), m_driver(driver) {}
    ~CudaMemory() override { m_driver.release(address); }
    CudaMemory(const CudaMemory &) = delete;
    CudaMemory &operator=(const CudaMemory &) = delete;
    CudaDriver::Address address;

private:
    const CudaDriver &m_driver;
};

CudaDriver::Address &addressOf(DeviceMemory &memory) { return static_cast<CudaMemory &>(memory).address; }

class CudaGpu final : public Device {
public:
    explicit CudaGpu(const CudaDriver &driver) : m_driver(driver) {}

    void open(const DeviceProgram &program)
    {
        int device = 0;
        check(m_driver, m_driver.device(&device, 0), "the GPU cannot be opened");
        const std::string name = describe(m_driver, device).name;
        check(m_driver, m_driver.createContext(&m_context, 0, device), "'" + name + "' cannot be opened");
        check(m_driver, m_driver.loadModule(&m_module, program.source.data()),
              "the kernels cannot be loaded on '" + name + '\'');
        for (const DeviceProgram::Kernel &kernel : program.kernels) {
            CudaDriver::Handle function = nullptr;
            check(m_driver, m_driver.function(&function, m_module, kernel.name.c_str()),
                  "the compiler left no kernel '" + kernel.name + '\'');
            if (kernel.sharedAtLaunch > 0)
                check(m_driver,
                      m_driver.setFunctionAttribute(function, MostSharedAtLaunch,
                                                    static_cast<int>(kernel.sharedAtLaunch)),
                      "a block of '" + kernel.name + "' cannot have " + std::to_string(kernel.sharedAtLaunch)
                          + " bytes of shared memory on '" + name + '\'');
            m_kernels[kernel.name] = {function, static_cast<unsigned>(kernel.sharedAtLaunch)};
        }
    }

    ~CudaGpu() override
    {
        if (m_module)
            m_driver.unloadModule(m_module);
        if (m_context)
            m_driver.destroyContext(m_context);
    }
    CudaGpu(const CudaGpu &) = delete;
    CudaGpu &operator=(const CudaGpu &) = delete;

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override
    {
        CudaDriver::Address address = 0;
        check(m_driver, m_driver.allocate(&address, std::max<std::size_t>(bytes, 1)),
              std::to_string(bytes) + " bytes cannot be had on the GPU");
        return std::make_unique<CudaMemory>(m_driver, address);
    }

    void upload(DeviceMemory &to, std::span<const std::byte> from) override
    {
        if (!from.empty())
            check(m_driver, m_driver.upload(addressOf(to), from.data(), from.size()),
                  "an array cannot be copied to the GPU");
    }

    void download(std::span<std::byte> to, DeviceMemory &from) override
    {
        if (!to.empty())
            check(m_driver, m_driver.download(to.data(), addressOf(from), to.size()),
                  "an array cannot be copied from the GPU");
    }

    void launch(const std::string &name, std::span<const LaunchArgument> arguments, const Extents &blocks,
                const Extents &threads) override
    {
        std::vector<void *> places;
        for (const LaunchArgument &argument : arguments) {
            if (const auto *memory = std::get_if<DeviceMemory *>(&argument))
                places.push_back(&addressOf(**memory));
            else // read only
                places.push_back(const_cast<std::byte *>(std::get<std::vector<std::byte>>(argument).data()));
        }
        const auto along = [](const Extents &extents, std::size_t axis) {
            return static_cast<unsigned>(extents[axis]);
        };
        const Kernel &kernel = m_kernels.at(name);
        check(m_driver,
              m_driver.launch(kernel.function, along(blocks, 0), along(blocks, 1), along(blocks, 2),
                              along(threads, 0), along(threads, 1), along(threads, 2), kernel.sharedBytes,
                              nullptr, places.data(), nullptr),
              "the kernel '" + name + "' cannot be launched");
    }

    void finish() override { check(m_driver, m_driver.synchronize(), "the GPU did not finish its work"); }

private:
    const CudaDriver &m_driver;
    CudaDriver::Handle m_context = nullptr, m_module = nullptr;
    struct Kernel {
        CudaDriver::Handle function = nullptr;
        unsigned sharedBytes = 0; ///< that a launch gives it
    };
    std::map<std::string, Kernel> m_kernels;
};

} // namespace

Result<std::vector<DeviceFacts>> cudaDevices()
{
    const auto driver = cudaDriver();
    if (!driver)
        return fail(driver.error());
    int count = 0;
    std::vector<DeviceFacts> gpus;
    if ((*driver)->deviceCount(&count) != 0)
        return fail(noGpu());
    for (int i = 0; i < count; ++i) {
        int device = 0;
        if ((*driver)->device(&device, i) == 0)
            gpus.push_back(describe(**driver, device));
    }
    if (gpus.empty())
        return fail(noGpu());
    return gpus;
}

Result<std::unique_ptr<LoadedKernel>> loadOnCuda(const Artifact &artifact)
try {
    auto program = DeviceProgram::read(artifact.bytes);
    if (!program)
        return std::unexpected(program.error());
    const auto driver = cudaDriver();
    if (!driver)
        return fail(driver.error());
    auto gpu = std::make_unique<CudaGpu>(**driver);
    gpu->open(*program);
    return std::make_unique<DeviceKernel>(artifact.entries, std::move(*program), std::move(gpu));
} catch (const UserError &error) {
    return fail(error.diagnostic());
}

} // namespace nestwright::backend
