// SPDX-License-Identifier: Apache-2.0
/// The functions of NVIDIA's driver, found at run time.
#pragma once

#include "core/support/errors/result.h"

#include <cstddef>
#include <string>

namespace nestwright::backend {

/// The driver's own functions, by the names of its manual. Each gives 0 when all is well.
struct CudaDriver {
    using Handle = void *;              ///< a context, module or function
    using Address = unsigned long long; ///< in the device's memory

    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*errorText)(int code, const char **text);
    int (*deviceCount)(int *count);
    int (*device)(int *device, int ordinal);
    int (*deviceName)(char *name, int length, int device);
    int (*deviceAttribute)(int *value, int attribute, int device);
    int (*deviceMemory)(std::size_t *bytes, int device);
    int (*createContext)(Handle *context, unsigned flags, int device);
    int (*destroyContext)(Handle context);
    int (*synchronize)();
    int (*loadModule)(Handle *module, const void *image);
    int (*unloadModule)(Handle module);
    int (*function)(Handle *function, Handle module, const char *name);
    int (*setFunctionAttribute)(Handle function, int attribute, int value);
    int (*allocate)(Address *memory, std::size_t bytes);
    int (*release)(Address memory);
    int (*upload)(Address to, const void *from, std::size_t bytes);
    int (*download)(void *to, Address from, std::size_t bytes);
    int (*launch)(Handle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                  unsigned blockY, unsigned blockZ, unsigned sharedBytes, Handle stream, void **arguments,
                  void **extra);
};

/// The driver of this machine, begun. A process that has it may not fork and go on using it. The library is
/// that which NESTWRIGHT_CUDA_DRIVER names, else the system's libcuda.so.1. Errors: "device.none" (no driver,
/// or no GPU), "device.driver" (it does not load, or does not begin).
support::Result<const CudaDriver *> cudaDriver();

/// "device.none": there is a driver, but no GPU.
support::Diagnostic noGpu();

/// An error code of the driver's: what happened, and which of a device's errors it is.
struct CudaReason {
    std::string code; ///< "device.memory", "device.launch", "device.lost"
    std::string text;
    std::string hint; ///< may be empty
};
CudaReason cudaReason(const CudaDriver &driver, int code);

} // namespace nestwright::backend
