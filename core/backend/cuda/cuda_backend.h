// SPDX-License-Identifier: Apache-2.0
/// CUDA C++ as text.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/device_source.h"

namespace nestwright::backend {

/// Error besides: "backend.not-built" for PTX, which NVRTC is not loaded for yet.
support::Result<Source> cudaSource(const Unit &unit, const lower::Target &target, SourceKind kind,
                                   std::stop_token stop);
/// The kernels of `unit` in CUDA C++. Throws support::UserError "backend.unsupported".
DeviceSource cudaKernels(const Unit &unit);
/// Error "backend.not-built": kernels can be read, not run.
support::Result<Artifact> cudaCompile(const Unit &unit, const lower::Target &target, std::stop_token stop);
std::string cudaVersion();

} // namespace nestwright::backend
