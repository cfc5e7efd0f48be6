// SPDX-License-Identifier: Apache-2.0
#include "core/backend/cuda/cuda_backend.h"

#include "core/backend/cuda/cuda_emitter.h"
#include "core/support/errors.h"

namespace nestwright::backend {

using support::fail;
using support::Result;

DeviceSource cudaKernels(const Unit &unit)
{
    CudaEmitter emitter;
    return writeKernels(unit, emitter, "// Made by Nestwright. CUDA C++; needs no header.",
                        CudaEmitter::prelude);
}

Result<Source> cudaSource(const Unit &unit, const lower::Target &, SourceKind kind, std::stop_token)
try {
    if (kind != SourceKind::Cuda)
        return fail(support::diagnostic("backend.not-built", "this program cannot make PTX yet")
                        .withHint("compile the CUDA text with nvcc -ptx"));
    const DeviceSource source = cudaKernels(unit);
    return Source{source.text.text(), source.text.spans(), kind};
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

Result<Artifact> cudaCompile(const Unit &, const lower::Target &, std::stop_token)
{
    return fail(
        support::diagnostic("backend.not-built", "this program cannot run CUDA kernels yet")
            .withHint("read them with `nestc source --target cuda`, or measure with the target opencl"));
}

std::string cudaVersion() { return {}; }

} // namespace nestwright::backend
