// SPDX-License-Identifier: Apache-2.0
/// CUDA C++ as text.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/device/device_source.h"
#include "core/backend/device/kernel_resources.h"
#include "core/target/multiprocessor.h"

namespace nestwright::backend {

/// PTX is NVRTC's, for `target.arch` or else for sm_80. Errors besides: those of compileCuda.
support::Result<Source> cudaSource(const Unit &unit, const target::Target &target, SourceKind kind,
                                   std::stop_token stop);
/// The kernels of `unit` in CUDA C++; one with more than `mostShared` bytes of shared arrays is given them
/// when it is launched. Throws support::UserError "backend.unsupported".
DeviceSource cudaKernels(const Unit &unit, std::int64_t mostShared = target::sharedOfKernel);
/// Machine code for `target.arch`, else for the first GPU here, else for sm_80. Errors:
/// "backend.unsupported", those of compileCuda.
support::Result<Artifact> cudaCompile(const Unit &unit, const target::Target &target, std::stop_token stop);
/// Resources of the kernels of `unit` as NVRTC compiles them. Errors: "backend.unsupported", those of
/// compileCuda.
support::Result<std::vector<KernelResources>> cudaResources(const Unit &unit, const target::Target &target,
                                                            std::stop_token stop);
/// Error "target.option": there is no such architecture.
support::Result<void> cudaCheck(const target::Target &target);
/// "NVRTC 13.0 (/usr/local/cuda/lib64/libnvrtc.so.13)"; empty where there is none.
std::string cudaVersion();

} // namespace nestwright::backend
