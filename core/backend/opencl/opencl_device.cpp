// SPDX-License-Identifier: Apache-2.0
#include "core/backend/opencl/opencl_device.h"

#include "core/backend/codes.h"
#include "core/backend/device/device_kernel.h"
#include "core/backend/opencl/opencl_api.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <array>
#include <map>

namespace nestwright::backend {

using support::diagnostic;
using support::fail;
using support::Result;
using support::UserError;

namespace {

void check(cl_int code, const std::string &what)
{
    if (code == CL_SUCCESS)
        return;
    const bool isMemory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_INVALID_BUFFER_SIZE;
    throw UserError(
        diagnostic(isMemory ? "device.memory" : "device.launch", what + ": " + openClReason(code)));
}

struct Found {
    cl_device_id device = nullptr;
    DeviceFacts facts;
};

template <class Get> std::string textOf(const Get &get)
{
    std::size_t size = 0;
    if (get(0, nullptr, &size) != CL_SUCCESS || size == 0)
        return {};
    std::string text(size, '\0');
    get(size, text.data(), nullptr);
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
}

Found describe(const OpenClApi &api, cl_device_id device)
{
    const auto text = [&](cl_device_info what) {
        return textOf([&](std::size_t size, void *to, std::size_t *needed) {
            return api.getDeviceInfo(device, what, size, to, needed);
        });
    };
    const auto number = [&]<class T>(cl_device_info what, T value) {
        api.getDeviceInfo(device, what, sizeof value, &value, nullptr);
        return static_cast<std::int64_t>(value);
    };
    Found found{device, {}};
    found.facts.name = text(CL_DEVICE_NAME);
    found.facts.driver = text(CL_DEVICE_VERSION);
    found.facts.isGpu = (number(CL_DEVICE_TYPE, cl_device_type{}) & CL_DEVICE_TYPE_GPU) != 0;
    found.facts.computeUnits = static_cast<int>(number(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint{}));
    found.facts.memoryBytes = number(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong{});
    found.facts.sharedBytes = number(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong{});
    found.facts.mostThreads = number(CL_DEVICE_MAX_WORK_GROUP_SIZE, std::size_t{});
    found.facts.cacheBytes = number(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cl_ulong{});
    return found;
}

std::vector<Found> findDevices()
{
    const OpenClApi *api = openClApi();
    std::vector<Found> result;
    std::array<cl_platform_id, 16> platforms{};
    cl_uint platformCount = 0;
    if (!api || api->getPlatformIds(platforms.size(), platforms.data(), &platformCount) != CL_SUCCESS)
        return result;
    for (cl_uint i = 0; i < std::min<cl_uint>(platformCount, platforms.size()); ++i) {
        std::array<cl_device_id, 64> devices{};
        cl_uint count = 0;
        if (api->getDeviceIds(platforms[i], CL_DEVICE_TYPE_ALL, devices.size(), devices.data(), &count)
            != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < std::min<cl_uint>(count, devices.size()); ++d)
            result.push_back(describe(*api, devices[d]));
    }
    std::ranges::stable_partition(result, [](const Found &each) { return each.facts.isGpu; });
    return result;
}

support::Diagnostic noDevice()
{
    return diagnostic("device.none", "no OpenCL device was found")
        .withHint(openClApi() ? "install a driver: pocl-opencl-icd runs kernels on the processor"
                              : "install the loader, ocl-icd-libopencl1, and a driver: pocl-opencl-icd runs "
                                "kernels on the processor");
}

class Memory final : public DeviceMemory {
public:
    Memory(const OpenClApi &api, cl_mem handle) : handle(handle), m_api(api) {}
    ~Memory() override { m_api.releaseMemObject(handle); }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    cl_mem handle;

private:
    const OpenClApi &m_api;
};

class OpenClProgram final : public Device {
public:
    explicit OpenClProgram(const OpenClApi &api) : m_api(api) {}

    void open(const Found &found, const DeviceProgram &program)
    {
        cl_int code = CL_SUCCESS;
        m_context = m_api.createContext(nullptr, 1, &found.device, nullptr, nullptr, &code);
        check(code, "the device '" + found.facts.name + "' cannot be opened");
        m_queue = m_api.createCommandQueue(m_context, found.device, 0, &code);
        check(code, "the device '" + found.facts.name + "' takes no commands");
        build(found, program);
        for (const DeviceProgram::Kernel &kernel : program.kernels) {
            cl_kernel made = m_api.createKernel(m_program, kernel.name.c_str(), &code);
            check(code, "the driver's compiler left no kernel '" + kernel.name + '\'');
            m_kernels[kernel.name] = made;
        }
    }

    ~OpenClProgram() override
    {
        for (const auto &[name, kernel] : m_kernels)
            m_api.releaseKernel(kernel);
        if (m_program)
            m_api.releaseProgram(m_program);
        if (m_queue)
            m_api.releaseCommandQueue(m_queue);
        if (m_context)
            m_api.releaseContext(m_context);
    }
    OpenClProgram(const OpenClProgram &) = delete;
    OpenClProgram &operator=(const OpenClProgram &) = delete;

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override
    {
        cl_int code = CL_SUCCESS;
        cl_mem handle =
            m_api.createBuffer(m_context, CL_MEM_READ_WRITE, std::max<std::size_t>(bytes, 1), nullptr, &code);
        check(code, std::to_string(bytes) + " bytes cannot be had on the device");
        return std::make_unique<Memory>(m_api, handle);
    }

    void upload(DeviceMemory &to, std::span<const std::byte> from) override
    {
        if (!from.empty())
            check(m_api.enqueueWriteBuffer(m_queue, handleOf(to), CL_TRUE, 0, from.size(), from.data(), 0,
                                           nullptr, nullptr),
                  "an array cannot be copied to the device");
    }

    void download(std::span<std::byte> to, DeviceMemory &from) override
    {
        if (!to.empty())
            check(m_api.enqueueReadBuffer(m_queue, handleOf(from), CL_TRUE, 0, to.size(), to.data(), 0,
                                          nullptr, nullptr),
                  "an array cannot be copied from the device");
    }

    void launch(const std::string &name, std::span<const LaunchArgument> arguments, const Extents &blocks,
                const Extents &threads) override
    {
        cl_kernel kernel = m_kernels.at(name);
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const auto place = static_cast<cl_uint>(i);
            if (const auto *memory = std::get_if<DeviceMemory *>(&arguments[i])) {
                cl_mem handle = handleOf(**memory);
                check(m_api.setKernelArg(kernel, place, sizeof(cl_mem), static_cast<const void *>(&handle)),
                      "an argument of '" + name + "' is refused");
            } else {
                const auto &bytes = std::get<std::vector<std::byte>>(arguments[i]);
                check(m_api.setKernelArg(kernel, place, bytes.size(), bytes.data()),
                      "an argument of '" + name + "' is refused");
            }
        }
        std::array<std::size_t, 3> all{}, local{};
        for (std::size_t i = 0; i < all.size(); ++i) {
            local[i] = static_cast<std::size_t>(threads[i]);
            all[i] = local[i] * static_cast<std::size_t>(blocks[i]);
        }
        check(m_api.enqueueNdRangeKernel(m_queue, kernel, all.size(), nullptr, all.data(), local.data(), 0,
                                         nullptr, nullptr),
              "the kernel '" + name + "' cannot be launched");
    }

    void finish() override { check(m_api.finish(m_queue), "the device did not finish its work"); }

private:
    static cl_mem handleOf(DeviceMemory &memory) { return static_cast<Memory &>(memory).handle; }

    /// Also makes the machine code, which some drivers put off until the first launch: asked for it, they
    /// make it now.
    void build(const Found &found, const DeviceProgram &program)
    {
        const char *text = program.source.c_str();
        cl_int code = CL_SUCCESS;
        m_program = m_api.createProgramWithSource(m_context, 1, &text, nullptr, &code);
        check(code, "the driver takes no OpenCL C");
        if (m_api.buildProgram(m_program, 1, &found.device, "", nullptr, nullptr) != CL_SUCCESS) {
            const std::string log = textOf([&](std::size_t size, void *to, std::size_t *needed) {
                return m_api.getProgramBuildInfo(m_program, found.device, CL_PROGRAM_BUILD_LOG, size, to,
                                                 needed);
            });
            throw UserError(diagnostic(std::string(codes::compilerFailed),
                                       "the compiler of '" + found.facts.name + "' says:\n" + log));
        }
        std::size_t size = 0;
        if (m_api.getProgramInfo(m_program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr)
                == CL_SUCCESS
            && size > 0) {
            std::vector<unsigned char> bytes(size);
            unsigned char *place = bytes.data();
            m_api.getProgramInfo(m_program, CL_PROGRAM_BINARIES, sizeof place, static_cast<void *>(&place),
                                 nullptr);
        }
    }

    const OpenClApi &m_api;
    cl_context m_context = nullptr;
    cl_command_queue m_queue = nullptr;
    cl_program m_program = nullptr;
    std::map<std::string, cl_kernel> m_kernels;
};

} // namespace

Result<std::vector<DeviceFacts>> openClDevices()
{
    std::vector<DeviceFacts> result;
    for (const Found &found : findDevices())
        result.push_back(found.facts);
    return result.empty() ? fail(noDevice()) : Result<std::vector<DeviceFacts>>(std::move(result));
}

Result<std::unique_ptr<LoadedKernel>> loadOnOpenCl(const Artifact &artifact)
try {
    auto program = DeviceProgram::read(artifact.bytes);
    if (!program)
        return std::unexpected(program.error());
    const std::vector<Found> devices = findDevices();
    if (devices.empty())
        return fail(noDevice());
    auto device = std::make_unique<OpenClProgram>(*openClApi());
    device->open(devices.front(), *program);
    return std::make_unique<DeviceKernel>(artifact.entries, std::move(*program), std::move(device));
} catch (const UserError &error) {
    return fail(error.diagnostic());
}

} // namespace nestwright::backend
