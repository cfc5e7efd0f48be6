// SPDX-License-Identifier: Apache-2.0
/// CUDA C++ to machine code, by NVRTC.
#pragma once

#include "core/backend/device/kernel_resources.h"
#include "core/support/errors/result.h"
#include "core/support/text/json_fwd.h"

#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::backend {

/// The compiler that was found on this machine.
struct CudaCompiler {
    std::string path, version;      ///< of the library; "13.0"
    std::vector<int> architectures; ///< that it makes machine code for: 80 for sm_80, …
};
/// Errors: those of askDriver.
support::Result<CudaCompiler> cudaCompiler(std::stop_token stop = {});

struct CudaBinary {
    std::string ptx, cubin;
    std::vector<KernelResources> kernels; ///< in the order in which the compiler took them
};
/// Compiles `text` for `architecture` ("sm_90"). Errors: as cudaCompiler; "cuda.architecture" (the compiler
/// has none of that name); "backend.compiler" with its messages; "cancelled".
support::Result<CudaBinary> compileCuda(const std::string &text, const std::string &architecture,
                                        std::stop_token stop = {});

/// Resources of kernels, as ptxas tells them with `-v`; `architecture` stands in each.
std::vector<KernelResources> readPtxasLog(std::string_view log, const std::string &architecture);

/// In the process that is asked (askDriver), with "text" and "architecture": "ptx", "cubin" and "log";
/// without: "path", "version" and "architectures" of the compiler.
support::Json answerAsNvrtc(const support::Json &question);

} // namespace nestwright::backend
