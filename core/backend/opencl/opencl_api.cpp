// SPDX-License-Identifier: Apache-2.0
#include "core/backend/opencl/opencl_api.h"
#include "core/support/library_functions.h"

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
    support::LibraryFunctions found(library);
    OpenClApi api{};
    found.find(api.getPlatformIds, "clGetPlatformIDs");
    found.find(api.getDeviceIds, "clGetDeviceIDs");
    found.find(api.getDeviceInfo, "clGetDeviceInfo");
    found.find(api.createContext, "clCreateContext");
    found.find(api.releaseContext, "clReleaseContext");
    found.find(api.createCommandQueue, "clCreateCommandQueue");
    found.find(api.releaseCommandQueue, "clReleaseCommandQueue");
    found.find(api.createProgramWithSource, "clCreateProgramWithSource");
    found.find(api.buildProgram, "clBuildProgram");
    found.find(api.getProgramInfo, "clGetProgramInfo");
    found.find(api.getProgramBuildInfo, "clGetProgramBuildInfo");
    found.find(api.releaseProgram, "clReleaseProgram");
    found.find(api.createKernel, "clCreateKernel");
    found.find(api.setKernelArg, "clSetKernelArg");
    found.find(api.releaseKernel, "clReleaseKernel");
    found.find(api.createBuffer, "clCreateBuffer");
    found.find(api.releaseMemObject, "clReleaseMemObject");
    found.find(api.enqueueWriteBuffer, "clEnqueueWriteBuffer");
    found.find(api.enqueueReadBuffer, "clEnqueueReadBuffer");
    found.find(api.enqueueNdRangeKernel, "clEnqueueNDRangeKernel");
    found.find(api.finish, "clFinish");
    return found.isWhole() ? std::optional(api) : std::nullopt;
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
