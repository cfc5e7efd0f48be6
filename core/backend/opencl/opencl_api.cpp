// SPDX-License-Identifier: Apache-2.0
#include "core/backend/opencl/opencl_api.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <optional>
#include <utility>

namespace nestwright::backend {

namespace {

std::optional<OpenClApi> loadApi()
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return std::nullopt;
    bool isWhole = true;
    const auto find = [&]<class F>(F &function, const char *name) {
        function = reinterpret_cast<F>(dlsym(library, name));
        isWhole = isWhole && function;
    };
    OpenClApi api{};
    find(api.getPlatformIds, "clGetPlatformIDs");
    find(api.getDeviceIds, "clGetDeviceIDs");
    find(api.getDeviceInfo, "clGetDeviceInfo");
    find(api.createContext, "clCreateContext");
    find(api.releaseContext, "clReleaseContext");
    find(api.createCommandQueue, "clCreateCommandQueue");
    find(api.releaseCommandQueue, "clReleaseCommandQueue");
    find(api.createProgramWithSource, "clCreateProgramWithSource");
    find(api.buildProgram, "clBuildProgram");
    find(api.getProgramInfo, "clGetProgramInfo");
    find(api.getProgramBuildInfo, "clGetProgramBuildInfo");
    find(api.releaseProgram, "clReleaseProgram");
    find(api.createKernel, "clCreateKernel");
    find(api.setKernelArg, "clSetKernelArg");
    find(api.releaseKernel, "clReleaseKernel");
    find(api.createBuffer, "clCreateBuffer");
    find(api.releaseMemObject, "clReleaseMemObject");
    find(api.enqueueWriteBuffer, "clEnqueueWriteBuffer");
    find(api.enqueueReadBuffer, "clEnqueueReadBuffer");
    find(api.enqueueNdRangeKernel, "clEnqueueNDRangeKernel");
    find(api.finish, "clFinish");
    return isWhole ? std::optional(api) : std::nullopt;
}

} // namespace

const OpenClApi *openClApi()
{
    static const std::optional<OpenClApi> api = loadApi();
    return api ? &*api : nullptr;
}

std::string openClReason(cl_int code)
{
    constexpr auto words = std::to_array<std::pair<cl_int, std::string_view>>({
        {CL_DEVICE_NOT_AVAILABLE, "the device is not available"},
        {CL_COMPILER_NOT_AVAILABLE, "the driver has no compiler"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "the device has not enough memory"},
        {CL_OUT_OF_RESOURCES, "the device is out of resources"},
        {CL_OUT_OF_HOST_MEMORY, "the driver is out of memory"},
        {CL_BUILD_PROGRAM_FAILURE, "the driver's compiler failed"},
        {CL_INVALID_WORK_GROUP_SIZE, "the device cannot run so many threads in a block"},
        {CL_INVALID_WORK_ITEM_SIZE, "the device cannot run so many threads along one axis of a block"},
        {CL_INVALID_BUFFER_SIZE, "the device cannot make a buffer of that size"},
        {CL_INVALID_KERNEL_ARGS, "an argument of the kernel is missing"},
    });
    const auto found = std::ranges::find(words, code, &std::pair<cl_int, std::string_view>::first);
    return found == words.end() ? "the driver says error " + std::to_string(code)
                                : std::string(found->second);
}

} // namespace nestwright::backend
