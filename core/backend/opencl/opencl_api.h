// SPDX-License-Identifier: Apache-2.0
/// The OpenCL loader's functions, found at run time.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>

namespace nestwright::backend {

struct OpenClApi {
    decltype(&clGetPlatformIDs) getPlatformIds;
    decltype(&clGetDeviceIDs) getDeviceIds;
    decltype(&clGetDeviceInfo) getDeviceInfo;
    decltype(&clCreateContext) createContext;
    decltype(&clReleaseContext) releaseContext;
    decltype(&clCreateCommandQueue) createCommandQueue;
    decltype(&clReleaseCommandQueue) releaseCommandQueue;
    decltype(&clCreateProgramWithSource) createProgramWithSource;
    decltype(&clBuildProgram) buildProgram;
    decltype(&clGetProgramInfo) getProgramInfo;
    decltype(&clGetProgramBuildInfo) getProgramBuildInfo;
    decltype(&clReleaseProgram) releaseProgram;
    decltype(&clCreateKernel) createKernel;
    decltype(&clSetKernelArg) setKernelArg;
    decltype(&clReleaseKernel) releaseKernel;
    decltype(&clCreateBuffer) createBuffer;
    decltype(&clReleaseMemObject) releaseMemObject;
    decltype(&clEnqueueWriteBuffer) enqueueWriteBuffer;
    decltype(&clEnqueueReadBuffer) enqueueReadBuffer;
    decltype(&clEnqueueNDRangeKernel) enqueueNdRangeKernel;
    decltype(&clFinish) finish;
};

/// Null where the system has no loader.
const OpenClApi *openClApi();

/// "CL_OUT_OF_RESOURCES" … in words.
std::string openClReason(cl_int code);

} // namespace nestwright::backend
