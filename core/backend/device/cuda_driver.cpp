// SPDX-License-Identifier: Apache-2.0
#include "core/backend/device/cuda_driver.h"
#include "core/support/library_functions.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <string_view>

namespace nestwright::backend {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// Codes of CUresult that say something to a person who schedules kernels; NVIDIA's Driver API, "Data types".
struct KnownCode {
    int number;
    std::string_view code, text, hint;
};
constexpr std::array knownCodes{
    KnownCode{2, "device.memory", "the GPU has not enough memory",
              "choose smaller sizes, or end what else uses it"},
    KnownCode{46, "device.lost", "the GPU is taken, or not available any more", "look at `nvidia-smi`"},
    KnownCode{200, "device.launch", "the machine code cannot be read", ""},
    KnownCode{209, "device.launch", "the machine code is for another architecture than this GPU's",
              "choose the target cuda without -arch, which is this GPU's"},
    KnownCode{214, "device.lost", "the GPU found an error in its memory that it cannot correct",
              "look at `nvidia-smi`; the GPU may have to be reset"},
    KnownCode{700, "device.launch", "a kernel reads or writes outside of its arrays", ""},
    KnownCode{701, "device.launch", "a block needs more registers or threads than a multiprocessor has",
              "bind fewer threads to the block, or keep less in registers"},
    KnownCode{702, "device.launch", "a kernel took longer than the driver allows",
              "a GPU that drives a screen ends long kernels; choose smaller sizes"},
    KnownCode{710, "device.launch", "an assertion of a kernel does not hold", ""},
    KnownCode{715, "device.launch", "a kernel has an instruction that this GPU does not know", ""},
    KnownCode{716, "device.launch",
              "a kernel reads or writes a vector at an address that is no multiple of its size", ""},
    KnownCode{719, "device.launch", "a kernel failed on the GPU", ""},
    KnownCode{999, "device.lost", "the driver lost the GPU",
              "look at `nvidia-smi`; the GPU may have to be reset"},
};

Result<CudaDriver> loadDriver()
{
    const char *named = std::getenv("NESTWRIGHT_CUDA_DRIVER");
    const char *name = named && *named ? named : "libcuda.so.1";
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library && named && *named) {
        const char *reason = dlerror();
        return fail(diagnostic("device.driver",
                               "NVIDIA's driver cannot be loaded: " + std::string(reason ? reason : named))
                        .withHint("NESTWRIGHT_CUDA_DRIVER names libcuda.so.1"));
    }
    if (!library)
        return fail(
            diagnostic("device.none", "NVIDIA's driver, libcuda.so.1, was not found here")
                .withHint("install the driver of the GPU; without one the code can be read, and checked "
                          "by `nestc verify --target cuda --how all`"));
    support::LibraryFunctions found(library);
    CudaDriver driver{};
    found.find(driver.init, "cuInit");
    found.find(driver.version, "cuDriverGetVersion");
    found.find(driver.errorText, "cuGetErrorString");
    found.find(driver.deviceCount, "cuDeviceGetCount");
    found.find(driver.device, "cuDeviceGet");
    found.find(driver.deviceName, "cuDeviceGetName");
    found.find(driver.deviceAttribute, "cuDeviceGetAttribute");
    found.find(driver.deviceMemory, "cuDeviceTotalMem_v2");
    found.find(driver.createContext, "cuCtxCreate_v2");
    found.find(driver.destroyContext, "cuCtxDestroy_v2");
    found.find(driver.synchronize, "cuCtxSynchronize");
    found.find(driver.loadModule, "cuModuleLoadData");
    found.find(driver.unloadModule, "cuModuleUnload");
    found.find(driver.function, "cuModuleGetFunction");
    found.find(driver.setFunctionAttribute, "cuFuncSetAttribute");
    found.find(driver.allocate, "cuMemAlloc_v2");
    found.find(driver.release, "cuMemFree_v2");
    found.find(driver.upload, "cuMemcpyHtoD_v2");
    found.find(driver.download, "cuMemcpyDtoH_v2");
    found.find(driver.launch, "cuLaunchKernel");
    if (!found.isWhole())
        return fail(diagnostic("device.driver", "'" + std::string(name) + "' is too old a driver, or none")
                        .withHint("install NVIDIA's driver 470 or later"));
    return driver;
}

Result<CudaDriver> beginDriver()
{
    auto driver = loadDriver();
    if (!driver)
        return driver;
    if (const int code = driver->init(0); code != 0) {
        constexpr int noDevice = 100;
        const CudaReason reason = cudaReason(*driver, code);
        return code == noDevice
                   ? fail(noGpu())
                   : fail(diagnostic("device.driver", "NVIDIA's driver does not begin: " + reason.text)
                              .withHint(
                                  "`nvidia-smi` says more; after an update of the driver the machine has "
                                  "to be started again"));
    }
    return driver;
}

} // namespace

Result<const CudaDriver *> cudaDriver()
{
    static const Result<CudaDriver> driver = beginDriver();
    if (!driver)
        return fail(driver.error());
    return &*driver;
}

support::Diagnostic noGpu()
{
    return diagnostic("device.none", "NVIDIA's driver finds no GPU")
        .withHint("`nvidia-smi` lists those that it knows");
}

CudaReason cudaReason(const CudaDriver &driver, int code)
{
    const auto known = std::ranges::find(knownCodes, code, &KnownCode::number);
    if (known != knownCodes.end())
        return {std::string(known->code), std::string(known->text), std::string(known->hint)};
    const char *text = nullptr;
    const bool isNamed = driver.errorText(code, &text) == 0 && text;
    return {"device.launch",
            "the driver says error " + std::to_string(code) + (isNamed ? ", " + std::string(text) : ""),
            {}};
}

} // namespace nestwright::backend
